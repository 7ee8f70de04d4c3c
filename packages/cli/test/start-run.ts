import { run, type Surroundings } from '../src/index.ts';

/** What one run of the command left behind. */
export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON; throws where it is not exactly one document. */
  json(): unknown;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Surroundings['env'];
  readonly signal?: AbortSignal;
  /** Whether both outputs are terminals of 80 columns. */
  readonly isTerminal?: boolean;
  /** Is told what is written to standard output. */
  readonly onStdout?: (text: string) => void;
  /** Is told what is written to standard error. */
  readonly onStderr?: (text: string) => void;
  /** Types a line. */
  readonly readLine?: Surroundings['readLine'];
  /** Is asked. */
  readonly person?: Surroundings['person'];
}

/** Runs the command in this process. */
export async function startRun(argv: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const written = { stdout: '', stderr: '' };
  const { isTerminal = false } = options;
  const output = (name: keyof typeof written) => ({
    write(text: string) {
      written[name] += text;
      if (name === 'stdout') options.onStdout?.(text);
      else options.onStderr?.(text);
    },
    isTerminal,
    columns: isTerminal ? 80 : undefined,
  });
  const exitCode = await run(argv, {
    env: options.env ?? {},
    cwd: options.cwd ?? '/nowhere',
    stdout: output('stdout'),
    stderr: output('stderr'),
    signal: options.signal ?? new AbortController().signal,
    invocation: 'switchyard',
    ...(options.readLine === undefined ? {} : { readLine: options.readLine }),
    ...(options.person === undefined ? {} : { person: options.person }),
  });
  return { exitCode, ...written, json: () => JSON.parse(written.stdout) as unknown };
}
