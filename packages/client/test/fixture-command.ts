import { fileURLToPath } from 'node:url';
import type { Command } from '../src/node/index.ts';

/** Answers the command that starts a server of test/fixtures. */
export function fixture(name: string, ...args: string[]): Command {
  const path = fileURLToPath(new URL(`./fixtures/${name}.js`, import.meta.url));
  return { command: process.execPath, args: [path, ...args] };
}
