import { fileURLToPath } from 'node:url';
import type { Command } from '../src/node/index.ts';

/** Answers the command that starts a server of test/fixtures. */
export function fixture(name: string, ...args: string[]): Command {
  const path = fileURLToPath(new URL(`./fixtures/${name}.js`, import.meta.url));
  return { command: process.execPath, args: [path, ...args] };
}

/** Answers whether a process with this id exists and is no zombie. */
export async function isAlive(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises');
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return !/\) [ZX] /.test(stat);
  } catch {
    return false;
  }
}
