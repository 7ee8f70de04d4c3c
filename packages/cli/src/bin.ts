#!/usr/bin/env node
import { relative } from 'node:path';
import process from 'node:process';
import { exitCodes } from './failure.ts';
import { run } from './run.ts';
import type { Output } from './surroundings.ts';

const asked = new AbortController();

// The first signal ends everything in order; the second one does not wait.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (asked.signal.aborted) process.exit(exitCodes.interrupted);
    asked.abort(new Error(`the process got ${signal}`));
  });
}

const exitCode = await run(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: createOutput(process.stdout),
  stderr: createOutput(process.stderr),
  signal: asked.signal,
  invocation: invocation(),
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
      return stream.isTTY ? stream.columns : undefined;
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

/** How a person starts this command again: from source it has no name of its own, and needs the Node that runs it now. */
function invocation(): string {
  const path = process.argv[1] ?? '';
  if (!path.endsWith('.ts')) return 'switchyard';
  const shortest = (full: string): string => {
    const near = relative(process.cwd(), full);
    return near.startsWith('..') ? full : near;
  };
  return `${shortest(process.execPath)} --conditions=@switchyard/source ${shortest(path)}`;
}
