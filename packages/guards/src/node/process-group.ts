import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 10;

function hasErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * True where processes have groups that a signal reaches as one. Windows has none: there a process tree is ended by id.
 */
export function hasProcessGroups(): boolean {
  return process.platform !== 'win32';
}

/**
 * Sends `signal` to each process of the group `groupId`, which is the process id of its leader. A group that is gone is
 * no error. On Windows it ends the process tree below `groupId` by force, whatever the signal.
 */
export function signalGroup(groupId: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (!hasProcessGroups()) {
    spawnSync('taskkill', ['/pid', String(groupId), '/t', '/f'], { stdio: 'ignore', windowsHide: true });
    return;
  }
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    // ESRCH: nobody is left. EPERM: who is left belongs to another user; whoever waits for the group will say so.
    if (!hasErrno(error, 'ESRCH') && !hasErrno(error, 'EPERM')) throw error;
  }
}

/** True while the group has a process, dead ones that their parent has not collected included. False on Windows. */
export function isGroupPresent(groupId: number): boolean {
  if (!hasProcessGroups()) return false;
  try {
    process.kill(-groupId, 0);
    return true;
  } catch (error) {
    return !hasErrno(error, 'ESRCH');
  }
}

/**
 * True where `/proc` shows that each process of the group is dead already: an init process that collects late, or never
 * as in some containers, keeps a group present. False where there is no `/proc`.
 */
function isOnlyZombies(groupId: number): boolean {
  let members = 0;
  try {
    for (const name of readdirSync('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const [state, group] = stateAndGroup(name);
      if (group !== groupId) continue;
      if (state !== 'Z' && state !== 'X') return false;
      members += 1;
    }
  } catch (error) {
    if (hasErrno(error, 'ENOENT') || hasErrno(error, 'EACCES')) return false;
    throw error;
  }
  return members > 0;
}

function stateAndGroup(processId: string): [state: string, group: number] {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${processId}/stat`, 'latin1');
  } catch {
    // The process ended between the listing and the reading.
    return ['X', NaN];
  }
  // The command name in parentheses may hold anything; the fields start after its last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [fields[0] ?? '', Number(fields[2])];
}

/** Waits until no process of the group runs, for `timeoutMs` at most; answers whether that came true. */
export async function waitForGroupEnd(groupId: number, timeoutMs: number): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += POLL_MS) {
    if (!isGroupPresent(groupId)) return true;
    // Reading /proc costs more than a signal, so it is asked seldom.
    if (waitedMs % (POLL_MS * 10) === POLL_MS * 5 && isOnlyZombies(groupId)) return true;
    if (waitedMs >= timeoutMs) return isOnlyZombies(groupId);
    await delay(POLL_MS);
  }
}
