import { execFile } from 'node:child_process';
import process from 'node:process';
import { minimalEnvironment } from '@switchyard/guards/node';
import { isJsonObject, parseJson } from '@switchyard/protocol';
import type { HeaderFields } from '../message/connection.ts';

/** A command that prints headers. It is started without a shell. */
export interface HeadersCommand {
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables of the command, beside the few that programs need to start. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** How long it may take, in milliseconds. Default 10,000; then it is killed. */
  readonly timeoutMs?: number;
  /** The environment from which the minimal one is taken. Default: that of this process. */
  readonly baseEnv?: Readonly<Record<string, string | undefined>>;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/**
 * Answers a function for the option `headers` that starts a command and reads the headers that it prints on stdout: one
 * JSON object of texts, at most 64 KiB. It rejects with an `Error` where the command fails, takes too long or prints
 * something else; the message holds nothing of what it printed.
 */
export function headersFromCommand(command: HeadersCommand): () => Promise<HeaderFields> {
  return async () => readHeaders(await run(command));
}

function run({ command, args = [], env = {}, cwd, timeoutMs, baseEnv = process.env }: HeadersCommand): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const limits = {
    timeout: timeoutMs ?? DEFAULT_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    killSignal: 'SIGKILL',
  } as const;
  const child = execFile(
    command,
    args,
    {
      ...limits,
      ...(cwd === undefined ? {} : { cwd }),
      encoding: 'utf8',
      windowsHide: true,
      env: minimalEnvironment({ base: baseEnv, env, platform: process.platform }),
    },
    (error, stdout) => {
      // Node's own error holds the arguments, and what was printed may be half of a credential.
      if (error === null) resolve(stdout);
      else reject(new Error(`the command that prints headers ${describeEnd(error, limits.timeout)}.`));
    },
  );
  child.stdin?.end();
  return promise;
}

function describeEnd(
  { code, killed, signal }: { readonly code?: unknown; readonly killed?: boolean; readonly signal?: unknown },
  timeoutMs: number,
): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${MAX_OUTPUT_BYTES} bytes`;
  if (killed === true) return `took longer than ${timeoutMs} ms`;
  if (typeof code === 'number') return `ended with exit code ${code}`;
  return typeof signal === 'string' ? `was ended by ${signal}` : `could not be started (${String(code)})`;
}

function readHeaders(text: string): HeaderFields {
  const fields: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(parse(text))) {
    if (typeof value !== 'string') throw notHeaders();
    fields[name] = value;
  }
  return fields;
}

function parse(text: string): object {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // The parser's message quotes what was printed.
  }
  if (!isJsonObject(value)) throw notHeaders();
  return value;
}

function notHeaders(): Error {
  return new Error(
    'the command that prints headers must print one JSON object whose values are texts, and nothing else.',
  );
}
