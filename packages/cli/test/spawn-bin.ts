import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../src/bin.ts', import.meta.url));

/** The command as a process of its own. */
export interface Bin extends AsyncDisposable {
  readonly process: ChildProcessWithoutNullStreams;
  /** Settles with the exit code, or the signal that ended it, when the process and its output have ended. */
  readonly ended: Promise<number | string>;
  readonly output: { stdout: string; stderr: string };
  /** Resolves once the output so far matches; rejects when the process ends before. */
  until(name: 'stdout' | 'stderr', pattern: RegExp): Promise<void>;
}

/** Starts `switchyard` with these arguments in a folder, with more variables than this process has. */
export function spawnBin(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Bin {
  const own = { ...process.env, ...env };
  const child = spawn(process.execPath, ['--conditions=@switchyard/source', bin, ...args], { cwd, env: own });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
  }
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string);
  return {
    process: child,
    ended,
    output,
    until: (name, pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(output[name])) resolve();
        };
        child[name].on('data', look);
        look();
        void ended.then(() => reject(new Error(`it ended first: ${output.stdout}${output.stderr}`)));
      }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
