import { spawn } from 'node:child_process';
import { dirname } from 'node:path';

import { type Finished, root } from '../run.ts';

/** How long a command may take, and what ends it early. */
export interface GroupOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a command left behind; `timedOut` when it was ended for its time. */
export interface GroupFinished extends Finished {
  readonly timedOut: boolean;
}

/**
 * Runs a command from the workspace root in its own process group, and ends whatever is left of the group when the
 * command exits, runs out of time or is aborted: the suite starts clients through a shell, which would outlive it.
 * `node` in a shell below it is the Node that runs this.
 *
 * @throws the reason of `signal` when it aborts.
 */
export async function runInGroup(
  command: string,
  args: readonly string[],
  { timeoutMs, signal }: GroupOptions,
): Promise<GroupFinished> {
  signal.throwIfAborted();
  const child = spawn(command, args, {
    cwd: root,
    detached: true,
    env: { ...process.env, PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let timedOut = false;
  const end = (): void => endGroup(child.pid);
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, timeoutMs);
  signal.addEventListener('abort', end);
  child.once('exit', end);
  try {
    const finished = await new Promise<Finished>((resolve, reject) => {
      const chunks: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
    });
    signal.throwIfAborted();
    return { ...finished, timedOut };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: the whole group is gone already, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
