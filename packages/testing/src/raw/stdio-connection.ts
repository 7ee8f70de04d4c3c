import { SpawnError, spawnServer } from '@switchyard/guards/node';
import { createLineDecoder } from '@switchyard/protocol';

import { type AnswerBuilder, createAnswerBuilder } from './answer-builder.ts';
import { defaultLimits, type RawConnection, RawConnectionError, type RawConnectionLimits } from './raw-connection.ts';

interface Waiting {
  readonly builder: AnswerBuilder;
  settle(error?: RawConnectionError): void;
}

const GRACE_MS = 1_000;
/** Most lines between two messages that are shown with the later one. */
const MAX_EARLY = 1_000;

/**
 * Starts a program and answers the connection to it. Whatever arrives between two messages is shown with the later one.
 * Rejects with `unreachable` when the program does not start.
 *
 * Spec: basic/transports/stdio (2026-07-28).
 */
export async function openStdioConnection(
  target: {
    readonly command: string;
    readonly args?: readonly string[];
    readonly env?: { readonly [name: string]: string };
    readonly cwd?: string;
  },
  limits: RawConnectionLimits = {},
): Promise<RawConnection> {
  const { timeoutMs, maxBytes } = { ...defaultLimits, ...limits };
  const process = await start();
  const early: string[] = [];
  let earlyChars = 0;
  let waiting: Waiting | undefined;
  let hasEnded = false;
  const decoder = createLineDecoder({
    maxLineBytes: maxBytes,
    onLine(text) {
      if (waiting === undefined) {
        earlyChars += text.length;
        if (earlyChars <= maxBytes && early.length < MAX_EARLY) early.push(text);
      } else if (waiting.builder.push(text)) waiting.settle();
      else if (waiting.builder.isFull)
        waiting.settle(
          new RawConnectionError(
            'too-large',
            `${target.command} sends too many messages, or more than ${maxBytes} bytes for one`,
          ),
        );
    },
    onInvalid: () => waiting?.builder.push('(a line that is not UTF-8)'),
    onOverflow: () =>
      waiting?.settle(
        new RawConnectionError('too-large', `${target.command} wrote a line of more than ${maxBytes} bytes`),
      ),
  });
  process.stdout.on('data', (chunk: Uint8Array) => decoder.push(chunk));
  process.stdout.once('close', end);
  void process.exited.then(end);
  const close = (): Promise<void> => process.close({ graceMs: GRACE_MS });

  return {
    transport: 'stdio',
    async send(message, { signal } = {}) {
      const what = typeof message['method'] === 'string' ? message['method'] : 'a message';
      const gaveUp = (): RawConnectionError => new RawConnectionError('closed', `${what} was given up`);
      if (hasEnded) throw ended();
      if (signal?.aborted === true) throw gaveUp();
      const builder = createAnswerBuilder(message, maxBytes);
      for (const text of early.splice(0)) builder.push(text);
      earlyChars = 0;
      const answered = new Promise<void>((resolve, reject) => {
        waiting = { builder, settle: (error) => (error === undefined ? resolve() : reject(error)) };
      });
      const timer = setTimeout(() => {
        waiting?.settle(
          new RawConnectionError('timeout', `${target.command} did not answer ${what} within ${timeoutMs} ms`),
        );
      }, timeoutMs);
      const giveUp = (): void => waiting?.settle(gaveUp());
      signal?.addEventListener('abort', giveUp, { once: true });
      try {
        process.stdin.write(`${JSON.stringify(message)}\n`);
        await answered;
        return builder.build();
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        waiting = undefined;
      }
    },
    lastWords: () =>
      process
        .stderrTail()
        .split('\n')
        .filter((line) => line !== ''),
    close,
    [Symbol.asyncDispose]: close,
  };

  function end(): void {
    hasEnded = true;
    waiting?.settle(ended());
  }

  function ended(): RawConnectionError {
    return new RawConnectionError('closed', `${target.command} ended before it answered`);
  }

  async function start(): ReturnType<typeof spawnServer> {
    try {
      return await spawnServer(target);
    } catch (error) {
      if (!(error instanceof SpawnError)) throw error;
      throw new RawConnectionError('unreachable', error.message, { cause: error });
    }
  }
}
