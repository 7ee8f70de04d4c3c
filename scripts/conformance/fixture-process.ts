import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { root } from '../run.ts';

/** The fixture server as a child process. */
export interface FixtureProcess {
  readonly url: string;
  /** What it wrote after the line with its URL. */
  readonly lines: readonly string[];
  /** Ends the process and resolves when it is gone. */
  end(): Promise<void>;
}

const startTimeoutMs = 20_000;
const endTimeoutMs = 5_000;

/**
 * Starts the fixture server on a free port and resolves once it answers.
 *
 * @throws Error with everything that the process wrote when it exits or stays silent; the reason of `signal`.
 */
export async function startFixtureServer(signal: AbortSignal): Promise<FixtureProcess> {
  const child = spawn(
    process.execPath,
    ['--conditions=@switchyard/source', 'packages/testing/src/bin/fixture-server.ts', '--port', '0'],
    { cwd: root, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const lines: string[] = [];
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });

  async function end(): Promise<void> {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs);
    await exited;
    clearTimeout(timer);
  }

  const started = new Promise<string>((resolve, reject) => {
    const fail = (problem: string): void =>
      reject(new Error(`the fixture server ${problem}\n${lines.join('\n')}`.trimEnd()));
    const timer = setTimeout(() => fail('gave no URL in time'), startTimeoutMs);
    createInterface({ input: child.stderr }).on('line', (line) => {
      const url = /^fixture server at (\S+)$/.exec(line)?.[1];
      if (url === undefined) lines.push(line);
      else resolve(url);
    });
    child.once('error', reject);
    child.once('close', (code) => fail(`exited with ${code}`));
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    void exited.then(() => clearTimeout(timer));
  });
  try {
    const url = await started;
    const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(startTimeoutMs)]) });
    await answer.body?.cancel();
    return { url, lines, end };
  } catch (error) {
    await end();
    throw error;
  }
}
