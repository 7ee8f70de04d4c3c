import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import process from 'node:process';

/** Names one process so that it is not taken for a later one that got its number. */
export interface ProcessMark {
  readonly pid: number;
  /** When it started, in the system's own counting; empty where the system does not tell. */
  readonly startedAt: string;
  /** Where its number means something: this host since its last start, and this container. */
  readonly machine: string;
}

let own: ProcessMark | undefined;

/** Answers the mark of this process. */
export function ownMark(): ProcessMark {
  own ??= { pid: process.pid, startedAt: startOf(process.pid) ?? '', machine: machineOf() };
  return own;
}

/**
 * Answers whether a process lives: `unknown` where it ran on another machine, or where this system does not tell when
 * processes started and there is one of its number.
 */
export function lifeOf(mark: ProcessMark): 'alive' | 'dead' | 'unknown' {
  if (mark.machine !== ownMark().machine) return 'unknown';
  if (!exists(mark.pid)) return 'dead';
  const startedAt = startOf(mark.pid);
  if (startedAt === undefined || mark.startedAt === '') return 'unknown';
  return startedAt === mark.startedAt ? 'alive' : 'dead';
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Linux tells in field 22; the name in field 2 may hold spaces and parentheses. A zombie counts as ended. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'ended' : fields[19];
  } catch {
    return undefined;
  }
}

function machineOf(): string {
  const parts = [hostname()];
  try {
    parts.push(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(), readlinkSync('/proc/self/ns/pid'));
  } catch {
    // Elsewhere the name of the host must do.
  }
  return parts.join(' ');
}
