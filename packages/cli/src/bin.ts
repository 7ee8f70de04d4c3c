#!/usr/bin/env node
import process from 'node:process';
import { exitCodes } from './failure.ts';
import { invocationOf } from './invocation.ts';
import { run } from './run.ts';
import type { Output } from './surroundings.ts';

// A terminal and npm may both pass one Ctrl-C on, so that it arrives twice.
const SAME_REQUEST_MS = 500;

const asked = new AbortController();
let askedAt = Infinity;

// The first signal ends everything in order; one that comes later does not wait.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (performance.now() - askedAt > SAME_REQUEST_MS) process.exit(exitCodes.interrupted);
    if (asked.signal.aborted) return;
    askedAt = performance.now();
    asked.abort(new Error(`the process got ${signal}`));
  });
}

const exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: createOutput(process.stdout),
  stderr: createOutput(process.stderr),
  signal: asked.signal,
  invocation: invocationOf({
    program: process.argv[1] ?? '',
    node: process.execPath,
    cwd: process.cwd(),
    env: process.env,
  }),
});
await Promise.all([written(process.stdout), written(process.stderr)]);
process.exit(exitCode);

/** A reader that goes away, as `head` does, ends the output and nothing else. */
function createOutput(stream: NodeJS.WriteStream): Output {
  let isGone = false;
  stream.on('error', () => {
    isGone = true;
  });
  return {
    write(text) {
      if (!isGone) stream.write(text);
    },
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
