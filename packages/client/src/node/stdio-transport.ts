import { basename } from 'node:path';
import { cleanText, createLineRedactor, redactSecrets, secrecyOf } from '@switchyard/guards';
import { type ServerExit, type ServerProcess, spawnServer } from '@switchyard/guards/node';
import { present } from '@switchyard/protocol';
import type { Connection, OpenOptions, Transport } from '../connection.ts';
import { within } from '../deadline.ts';
import { createDuplexConnection, type DuplexConnection } from '../duplex/duplex-connection.ts';
import type { MessageEdges } from '../message/message-edges.ts';
import type { PeerContext } from '../peer-context.ts';
import { createLineReader } from './line-reader.ts';
import { stderrExcerpt } from './stderr-excerpt.ts';

/** A server to start as a child process. */
export interface Command {
  /** A program in the child's PATH, or a path. No shell reads it. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Variables on top of the minimal environment, which is all that the child inherits. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** The environment from which the minimal one is taken. Default: that of this process. */
  readonly baseEnv?: Readonly<Record<string, string | undefined>>;
  /**
   * Gets each line that the child writes to stderr, as it comes: without its end, control characters and secrets, at
   * most 2,000 characters. Nothing limits how many there are.
   */
  readonly onStderr?: (line: string) => void;
}

/** How long the other sign of an end is waited for: the exit after the end of stdout, and the other way round. */
const END_MS = 250;
/** What a child may leave unread on its stdin before it gets no more; one message may be larger. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
const MAX_STDERR_LINE_CHARS = 2_000;
/** A line is masked before it is cut, so that no secret loses the end that tells it. */
const LOOKED_AT_CHARS = 8 * MAX_STDERR_LINE_CHARS;

/**
 * Creates the transport to a server that runs as a child process: one message a line on stdin and stdout, in its own
 * process group, which ends with the connection. Lines that are no messages are reported and skipped; one over the
 * limit rejects the request that it answers. When the process ends, what is pending rejects with how it ended and its
 * last lines on stderr: `start-failed` if it had never sent a message, else `closed`.
 *
 * Spec: basic/transports/stdio (2026-07-28).
 */
export function createStdioTransport(command: Command): Transport {
  return {
    name: basename(command.command),
    secrets: secretVariables(command.env ?? {}),
    async open(options) {
      const server = await start(command, options.context);
      try {
        options.signal.throwIfAborted();
      } catch (error) {
        await server.close();
        throw error;
      }
      return openStdioConnection(server, options);
    },
  };
}

/** Answers the values of variables that look like a credential by their name or form. */
function secretVariables(env: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const assignment = `${name}=${value}`;
    return secrecyOf(name) === 'all' || redactSecrets(assignment) !== assignment ? [value] : [];
  });
}

async function start(
  { command, args, env, cwd, baseEnv, onStderr }: Command,
  context: PeerContext,
): Promise<ServerProcess> {
  try {
    return await spawnServer({
      command,
      ...present({ args, env, cwd, baseEnv, onStderr: onStderr && showLines(onStderr, context) }),
    });
  } catch (error) {
    throw context.fail('start-failed', `it could not be started: ${describe(error)}.`, { cause: error });
  }
}

function showLines(show: (line: string) => void, context: PeerContext): (line: string) => void {
  const redactLine = createLineRedactor();
  return (line) => {
    // What is known to be secret goes first: a redactor guesses where a secret ends, and would leave the rest of it.
    const masked = redactLine(context.mask(cleanText(line, { maxChars: LOOKED_AT_CHARS })));
    context.callBack('onStderr', () => show(cleanText(masked, { maxChars: MAX_STDERR_LINE_CHARS })));
  };
}

function openStdioConnection(server: ServerProcess, { context, handlers }: OpenOptions): Connection {
  let hasSpoken = false;
  let exit: ServerExit | undefined;
  const ended = Promise.withResolvers<void>();
  const duplex = createDuplexConnection({
    context,
    handlers,
    write,
    close,
    lastWords: () => stderrExcerpt(server, context.mask),
  });
  const reader = createLineReader({
    maxLineBytes: context.maxMessageBytes,
    onLine(text) {
      if (duplex.receive(text)) hasSpoken = true;
    },
    onTooLarge: (line) => rejectTooLarge(duplex, context, line),
    onInvalid: () => context.warn('junk-output', 'wrote a line that is not UTF-8.'),
  });
  const stdoutEnd = new Promise<void>((resolve) => {
    server.stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    server.stdout.once('close', () => {
      reader.end();
      resolve();
    });
  });
  const exited = server.exited.then((how) => {
    exit = how;
  });
  void watchEnd();
  return duplex.connection;

  async function watchEnd(): Promise<void> {
    await Promise.race([stdoutEnd, exited]);
    await within(context.clock, END_MS, Promise.all([stdoutEnd, exited]));
    const stderr = stderrExcerpt(server, context.mask);
    const code = hasSpoken ? 'closed' : 'start-failed';
    duplex.end(
      context.fail(code, `${describeEnd(exit, hasSpoken)} Look at its own messages, or start it by hand.`, { stderr }),
    );
    ended.resolve();
    await duplex.connection.close().catch((error: unknown) => {
      context.warn('left-behind', `what its process started did not end: ${describe(error)}`);
    });
  }

  async function write(text: string): Promise<void> {
    // Requests that are given up stay in the buffer of a child that does not read, and so would everything after them.
    if (server.stdin.writableLength > MAX_UNREAD_BYTES) {
      throw context.fail(
        'closed',
        `it does not read its stdin: ${server.stdin.writableLength} bytes wait there, so it gets no more. ` +
          'Look whether it is stuck.',
      );
    }
    const error = await new Promise<Error | null | undefined>((resolve) => {
      server.stdin.write(`${text}\n`, resolve);
    });
    if (error === null || error === undefined) return;
    // A child that does not read any more is usually about to end, and how it ended says more than a broken pipe.
    await within(context.clock, END_MS * 2, ended.promise);
    throw error;
  }

  async function close(): Promise<void> {
    try {
      await server.close();
    } catch (error) {
      throw context.fail('closed', `it did not end: ${describe(error)}.`, { cause: error });
    }
  }
}

function rejectTooLarge(duplex: DuplexConnection, context: PeerContext, { id, isAnswer }: MessageEdges): void {
  const error = context.fail(
    'too-large',
    `its answer is over the limit of ${context.maxMessageBytes} bytes and was not read. ` +
      'Ask for less, or raise maxMessageBytes.',
  );
  const [only, ...others] = duplex.pendingIds();
  const answered = id ?? (others.length === 0 ? only : undefined);
  if (isAnswer && answered !== undefined && duplex.reject(answered, error)) return;
  context.warn(
    'message-too-large',
    `wrote a message over the limit of ${context.maxMessageBytes} bytes; it was not read.`,
  );
}

function describeEnd(exit: ServerExit | undefined, hasSpoken: boolean): string {
  const when = hasSpoken ? '' : ' before it had sent a message';
  if (exit === undefined) return `it closed its stdout${when}.`;
  return exit.signal === null
    ? `its process ended with exit code ${exit.code}${when}.`
    : `its process was ended by ${exit.signal}${when}.`;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
