import process from 'node:process';
import { exitCodes } from './failure.ts';
import { invocationOf } from './invocation.ts';
import { readLine } from './read-line.ts';
import { run } from './run.ts';
import type { Output } from './surroundings.ts';

// A terminal and npm may both pass one Ctrl-C on, so that it arrives twice.
const SAME_REQUEST_MS = 500;

/** What a write meets once nobody reads, the second of two included, which finds the stream ended. */
const READER_IS_GONE = /^(?:EPIPE|ECONNRESET|EOF|ERR_STREAM_.*)$/;

const asked = new AbortController();
let askedAt = Infinity;

// The first signal ends everything in order; one that comes later does not wait.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => end(signal));
}

function end(signal: NodeJS.Signals): void {
  if (performance.now() - askedAt > SAME_REQUEST_MS) process.exit(exitCodes.interrupted);
  if (asked.signal.aborted) return;
  askedAt = performance.now();
  asked.abort(new Error(`the process got ${signal}`));
}

const stdout = createOutput(process.stdout);
const exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout,
  stderr: createOutput(process.stderr),
  signal: asked.signal,
  invocation: invocationOf({
    program: process.argv[1] ?? '',
    node: process.execPath,
    cwd: process.cwd(),
    env: process.env,
  }),
  ...(process.stdin.isTTY && process.stdout.isTTY && process.stderr.isTTY
    ? { person: { input: process.stdin, output: process.stderr, interrupt: () => end('SIGINT') } }
    : {}),
  ...(process.stdin.isTTY ? { readLine: (signal: AbortSignal) => readLine(process.stdin, signal) } : {}),
});
await Promise.all([written(process.stdout), written(process.stderr)]);
const lost = stdout.failure();
if (lost === undefined) process.exit(exitCode);
process.stderr.write(`error: The output is incomplete: standard output could not be written (${lost.message}).\n`);
await written(process.stderr);
process.exit(exitCodes.failure);

/**
 * A reader that goes away, as `head` does, ends the output and nothing else. Any other failure, such as a full disk, is
 * answered by `failure`: what was asked for is lost.
 */
function createOutput(stream: NodeJS.WriteStream): Output & { failure(): Error | undefined } {
  let isGone = false;
  let failure: Error | undefined;
  stream.on('error', () => {
    isGone = true;
  });
  return {
    write(text) {
      if (isGone) return;
      stream.write(text, (error: NodeJS.ErrnoException | null | undefined) => {
        if (error && !READER_IS_GONE.test(error.code ?? '')) failure ??= error;
      });
    },
    failure: () => failure,
    isTerminal: stream.isTTY,
    get columns() {
      return stream.isTTY && stream.columns > 0 ? stream.columns : undefined;
    },
  };
}

/** Settles when everything written so far has left the process, or nobody reads it. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writable) resolve();
    else stream.write('', () => resolve());
  });
}
