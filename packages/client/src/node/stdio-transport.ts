import { basename } from 'node:path';
import { cleanText, createLineRedactor } from '@switchyard/guards';
import { type ServerExit, type ServerProcess, spawnServer } from '@switchyard/guards/node';
import { present } from '@switchyard/protocol';
import type { Connection, OpenOptions, Transport } from '../message/connection.ts';
import { within } from '../timing/within.ts';
import { MAX_UNREAD_CHARS, unreadError } from '../duplex/bounded-write.ts';
import { createDuplexConnection } from '../duplex/duplex-connection.ts';
import { createLineIntake } from '../duplex/line-intake.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Command } from './command.ts';
import { assertCommand } from './assert-command.ts';
import { commandIdentity } from './command-identity.ts';
import { commandSecrets } from './command-secrets.ts';
import { createLineBatches } from './line-batches.ts';
import { stderrExcerpt } from './stderr-excerpt.ts';

/** How long the other sign of an end is waited for: the exit after the end of stdout, and the other way round. */
const END_MS = 250;
const MAX_STDERR_LINE_CHARS = 2_000;
/** A line is masked before it is cut, so that no secret loses the end that tells it. */
const LOOKED_AT_CHARS = 8 * MAX_STDERR_LINE_CHARS;

/**
 * Creates the transport to a server that runs as a child process: one message a line on stdin and stdout, in its own
 * process group, which ends with the connection: its stdin first, then SIGTERM after 2 s, then SIGKILL after one more.
 * A process that leaves the group, as a daemon does with setsid, is out of reach and goes on.
 *
 * Lines that are no messages are reported and skipped; one over the limit rejects the request that it answers. When the
 * process ends, what is pending rejects with how it ended and its last lines on stderr: `start-failed` if it had never
 * sent a message, else `closed`. One that closes its stdin and goes on is ended, too. A system that is short of
 * processes or descriptors is asked again for up to 1.5 s. A command that holds anything but texts is refused with code
 * `invalid-argument` when it is opened.
 *
 * Spec: basic/transports/stdio (2026-07-28).
 */
export function createStdioTransport(command: Command): Transport {
  return {
    name: basename(command.command),
    identity: commandIdentity(command),
    secrets: commandSecrets(command),
    async open(options) {
      const server = await start(command, options);
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

async function start(given: Command, { context, signal }: OpenOptions): Promise<ServerProcess> {
  assertCommand(context, given);
  const { command, args, env, cwd, baseEnv, onStderr } = given;
  try {
    return await spawnServer({
      command,
      signal,
      ...present({ args, env, cwd, baseEnv, onStderr: onStderr && showLines(onStderr, context) }),
    });
  } catch (error) {
    signal.throwIfAborted();
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
  const stdin = createLineBatches(server.stdin, endOfStdin);
  const duplex = createDuplexConnection({
    context,
    handlers,
    write,
    close,
    lastWords: () => stderrExcerpt(server, context.mask),
  });
  const lines = createLineIntake({ context, duplex, onMessage: () => (hasSpoken = true) });
  const stdoutEnd = new Promise<void>((resolve) => {
    server.stdout.on('data', (chunk: Buffer) => lines.push(chunk));
    server.stdout.once('close', () => {
      lines.end();
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
    await endWith(
      hasSpoken ? 'closed' : 'start-failed',
      `${describeEnd(exit, hasSpoken)} Look at its own messages, or start it by hand.`,
    );
  }

  async function endWith(code: 'closed' | 'start-failed', message: string): Promise<void> {
    duplex.end(context.fail(code, message, { stderr: stderrExcerpt(server, context.mask) }));
    ended.resolve();
    await duplex.connection.close().catch((error: unknown) => {
      context.warn('left-behind', `what its process started did not end: ${describe(error)}`);
    });
  }

  function write(text: string): Promise<void> {
    const unread = stdin.unread();
    return unread > MAX_UNREAD_CHARS
      ? Promise.reject(unreadError(context, 'its stdin', unread))
      : stdin.write(`${text}\n`);
  }

  async function endOfStdin(error: Error): Promise<never> {
    // A child that does not read any more is usually about to end, and how it ended says more than a broken pipe.
    await within(context.clock, END_MS * 2, ended.promise);
    // One that goes on without reading is of no use to any call: the next one gets a new process.
    void endWith(
      hasSpoken ? 'closed' : 'start-failed',
      'it closed its stdin and goes on, so nothing can be sent to it.',
    );
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
