import type { MissingServer } from '../target/target.ts';
import type { Terminal } from '../terminal.ts';

/** Warns of servers that a list lacks, with the last lines that each wrote to stderr. */
export function warnOfMissing(missing: readonly MissingServer[], terminal: Pick<Terminal, 'warn'>): void {
  for (const { server, message, stderr = [] } of missing) {
    terminal.warn(message.includes(server) ? message : `${server}: ${message}`);
    for (const line of stderr) terminal.warn(`${server} wrote: ${line}`);
  }
}
