import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const fixture = fileURLToPath(new URL('fixtures/token-process.ts', import.meta.url));

/** A process that shares a folder of tokens. */
export interface TokenProcess {
  readonly process: ChildProcess;
  /** Resolves once it has written this line. */
  until(line: string): Promise<void>;
  /** Settles with its exit code or signal. */
  readonly ended: Promise<unknown>;
  written(): string;
}

/** Starts a process that does `what` with the store of a folder. It is killed after the test. */
export function startTokenProcess(what: 'hold' | 'refresh', folder: string, ...more: string[]): TokenProcess {
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', fixture, what, folder, ...more], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (text += part));
  const ended = once(child, 'close').then(([code, signal]: unknown[]) => code ?? signal);
  return {
    process: child,
    ended,
    written: () => text,
    until: (line) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (text.split('\n').includes(line)) resolve();
        };
        child.stdout.on('data', look);
        look();
        void ended.then((how) => reject(new Error(`it ended first (${String(how)}): ${text}`)));
      }),
  };
}
