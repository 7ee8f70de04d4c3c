import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the running children of a process whose command line holds a word. Only Linux tells; elsewhere none. */
export function childrenOf(parent: number, word: string): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const status = readFileSync(`/proc/${pid}/status`, 'latin1');
        return status.includes(`\nPPid:\t${parent}\n`) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(word);
      } catch {
        // It ended between the listing and the reading.
        return false;
      }
    });
}
