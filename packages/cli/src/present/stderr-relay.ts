import type { Terminal } from '../terminal.ts';

/** How many lines of one server are shown in a second; the next one after it says how many were not. */
const MAX_LINES_A_SECOND = 100;

interface Shown {
  since: number;
  lines: number;
  left: number;
}

/**
 * Creates the function that shows what servers write to stderr, each line behind the server's name. `now` is in
 * milliseconds.
 */
export function createStderrRelay(
  terminal: Pick<Terminal, 'relay'>,
  now: () => number = () => performance.now(),
): (server: string, line: string) => void {
  const servers = new Map<string, Shown>();
  return (server, line) => {
    const time = now();
    const shown = servers.get(server) ?? { since: time, lines: 0, left: 0 };
    servers.set(server, shown);
    if (time - shown.since >= 1_000) Object.assign(shown, { since: time, lines: 0 });
    if (shown.lines >= MAX_LINES_A_SECOND) {
      shown.left += 1;
      return;
    }
    if (shown.left > 0) terminal.relay(server, `(${shown.left} lines were not shown)`);
    shown.lines += 1;
    shown.left = 0;
    terminal.relay(server, line);
  };
}
