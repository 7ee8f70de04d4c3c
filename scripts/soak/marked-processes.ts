import { readdirSync, readFileSync } from 'node:fs';

/**
 * Answers the ids of all processes whose environment holds a marker, wherever they ended up: a variable is inherited by
 * whatever a process starts. Those that are dead and not collected have no environment any more; see {@link zombies}.
 */
export function markedProcesses(marker: string): number[] {
  return processes().filter((pid) => read(pid, 'environ').includes(marker));
}

/** Answers the children of this process that are dead and were not collected. */
export function zombies(): number[] {
  return processes().filter((pid) => {
    const stat = read(pid, 'stat');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state === 'Z' && Number(parent) === process.pid;
  });
}

/** Answers how many descriptors this process has open. */
export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

function processes(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function read(pid: number, file: 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // It ended between the listing and the reading, or belongs to somebody else.
    return '';
  }
}
