import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import process from 'node:process';
import { MASK, redactedExcerpt } from '@switchyard/guards';
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
const MAX_STDERR_CHARS = 4_000;
const MAX_SHOWN_CHARS = 500;
/** A shorter word of stdout is no credential, and would cut a message to pieces. */
const MIN_SECRET_CHARS = 4;

/**
 * Answers a function for the option `headers` that starts a command and reads the headers that it prints on stdout: one
 * JSON object of texts such as `{"authorization":"Bearer …"}`, at most 64 KiB. It rejects with an `Error` where the command
 * fails, takes too long or prints something else. The message names the program and shows the end of what it wrote to
 * stderr, without secrets; it holds nothing of its arguments and of what it printed on stdout.
 */
export function headersFromCommand(command: HeadersCommand): () => Promise<HeaderFields> {
  return async () => {
    const { stdout, said } = await run(command);
    return readHeaders(stdout, said);
  };
}

/** What a command printed, and what a message may say of its stderr. */
interface Printed {
  readonly stdout: string;
  readonly said: string;
}

function run({
  command,
  args = [],
  env = {},
  cwd,
  timeoutMs,
  baseEnv = process.env,
}: HeadersCommand): Promise<Printed> {
  const { promise, resolve, reject } = Promise.withResolvers<Printed>();
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
    (error, stdout, stderr) => {
      const said = describeStderr(stderr, stdout);
      // Node's own error holds the arguments, and what was printed may be half of a credential.
      if (error === null) resolve({ stdout, said });
      else {
        const name = JSON.stringify(basename(command));
        reject(new Error(`the command ${name}, which prints headers, ${describeEnd(error, limits.timeout)}.${said}`));
      }
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
  if (typeof signal === 'string') return `was ended by ${signal}`;
  return code === 'ENOENT'
    ? 'could not be started: there is no such program, or no such folder in cwd (ENOENT)'
    : `could not be started (${String(code)})`;
}

/** What it printed on stdout may be a credential, and is not shown where stderr repeats it. */
function describeStderr(stderr: string, stdout: string): string {
  const printed = stdout.split(/[\s"':,{}]+/).filter((word) => word.length >= MIN_SECRET_CHARS);
  const text = printed.reduce((left, word) => left.replaceAll(word, MASK), stderr.slice(-MAX_STDERR_CHARS)).trim();
  return text === '' ? '' : ` It wrote to stderr: ${redactedExcerpt(text, MAX_SHOWN_CHARS)}`;
}

function readHeaders(text: string, said: string): HeaderFields {
  const fields: { [name: string]: string } = {};
  for (const [name, value] of Object.entries(parse(text, said))) {
    if (typeof value !== 'string') throw notHeaders(said);
    fields[name] = value;
  }
  return fields;
}

function parse(text: string, said: string): object {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    // The parser's message quotes what was printed.
  }
  if (!isJsonObject(value)) throw notHeaders(said);
  return value;
}

function notHeaders(said: string): Error {
  return new Error(
    'the command that prints headers must print one JSON object whose values are texts, and nothing else, such as ' +
      `{"authorization":"Bearer …"}; a token alone is none.${said}`,
  );
}
