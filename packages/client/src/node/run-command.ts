import { type ChildProcessByStdio, spawn } from 'node:child_process';
import process from 'node:process';
import type { Readable } from 'node:stream';
import { minimalEnvironment } from '@switchyard/guards/node';
import { systemClock } from '../peer/clock.ts';
import { within } from '../timing/within.ts';
import type { HeadersCommand } from './headers-command.ts';

/** What a command printed, and how it failed. */
export interface Printed {
  readonly stdout: string;
  /** The end of it, from the beginning of a word on. */
  readonly stderr: string;
  /** Goes on after the name of the command; `undefined` where it ended with exit code 0. */
  readonly failure: string | undefined;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_STDOUT_BYTES = 64 * 1024;
const MAX_STDERR_CHARS = 64 * 1024;
/** How long the end of its output is waited for after its own: a process that it left behind may hold that open. */
const END_MS = 250;

/**
 * Runs a command without a shell to its end, and answers what it printed; one that takes too long or prints more than
 * 64 KiB on stdout is killed. Never rejects, and repeats nothing of the arguments.
 */
export async function runCommand(command: HeadersCommand): Promise<Printed> {
  const timeoutMs = command.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  let child: ChildProcessByStdio<null, Readable, Readable>;
  try {
    child = start(command, timeoutMs);
  } catch (error) {
    return { stdout: '', stderr: '', failure: describeNoStart(error) };
  }
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(describeNoStart(error)));
    child.once('exit', (code, signal) => resolve(describeExit(code, signal)));
  });
  let isTooMuch = false;
  const stdout = collectStart(child.stdout, () => {
    isTooMuch = true;
    child.kill('SIGKILL');
  });
  const stderr = collectEnd(child.stderr);
  const exit = await ended;
  await within(systemClock, END_MS, closed);
  child.stdout.destroy();
  child.stderr.destroy();
  // What was not read cannot be told from what stderr says, so that is not shown either.
  if (isTooMuch) return { stdout: '', stderr: '', failure: `printed more than ${MAX_STDOUT_BYTES} bytes` };
  const failure = child.killed ? `took longer than ${timeoutMs} ms` : exit;
  return { stdout: stdout(), stderr: stderr(), failure };
}

function start({ command, args = [], env = {}, cwd, baseEnv = process.env }: HeadersCommand, timeoutMs: number) {
  return spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: minimalEnvironment({ base: baseEnv, env, platform: process.platform }),
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
}

function collectStart(stream: Readable, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // What came until then is all there is; how the command ended says the rest. So it is below.
  stream.on('error', () => undefined);
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_STDOUT_BYTES) chunks.push(chunk);
    else onTooMuch();
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function collectEnd(stream: Readable): () => string {
  let text = '';
  let isCut = false;
  const cutTo = (chars: number): void => {
    isCut ||= text.length > chars;
    text = text.slice(-chars);
  };
  stream.on('error', () => undefined);
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    if (text.length > 2 * MAX_STDERR_CHARS) cutTo(MAX_STDERR_CHARS);
  });
  return () => {
    cutTo(MAX_STDERR_CHARS);
    // The end of a word would not be known for that of a secret.
    return isCut ? text.replace(/^\S*/, '') : text;
  };
}

function describeExit(code: number | null, signal: string | null): string | undefined {
  if (signal !== null) return `was ended by ${signal}`;
  return code === 0 ? undefined : `ended with exit code ${code}`;
}

/** Node's own error holds the arguments. */
function describeNoStart(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT'
    ? 'could not be started: there is no such program, or no such folder in cwd (ENOENT)'
    : `could not be started (${String(code)})`;
}
