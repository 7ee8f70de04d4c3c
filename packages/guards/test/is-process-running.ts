import { readFileSync } from 'node:fs';

/** True while a process runs; one that is dead and not yet collected by its parent does not run. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    if (process.platform !== 'linux') return true;
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
  } catch {
    // No such process, or it ended between the two questions.
    return false;
  }
}
