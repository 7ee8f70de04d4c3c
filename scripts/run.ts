import { spawn } from 'node:child_process';

/**
 * What a finished command left behind: its exit code and everything it printed, standard error after standard output.
 */
export interface Finished {
  readonly code: number;
  readonly output: string;
}

/** Runs a command from the workspace root and collects its output; it never throws for a non-zero exit. */
export function run(
  command: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** Absolute path of the workspace root. */
export const root = new URL('..', import.meta.url).pathname;
