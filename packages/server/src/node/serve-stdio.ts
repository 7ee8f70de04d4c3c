import process from 'node:process';
import type { Readable, Writable } from 'node:stream';

import {
  createLineDecoder,
  createSafeLogger,
  isMessageId,
  type MessageId,
  metaKeys,
  methodOf,
  type Notification,
  notifications,
  type Principal,
  ProtocolError,
} from '@switchyard/protocol';

import { assertKnownOptions, type KnownOptions } from '../assert-known-options.ts';
import { Cancellation } from '../dispatch/cancellation.ts';
import { cancelledByClient } from '../dispatch/cancelled-by-client.ts';
import type { ClientCounts } from '../dispatch/client-counts.ts';
import { toLimit } from '../limits/to-limit.ts';
import { createDispatch } from '../dispatch/dispatch.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { errorText } from '../dispatch/error-reply.ts';
import { DEFAULT_MAX_MESSAGE_BYTES, parseIncoming, type ParsingOptions, toParsing } from '../dispatch/incoming.ts';
import type { LegacyAdapter } from '../legacy/adapter.ts';
import { legacyClients } from '../legacy/legacy-clients.ts';
import { createRefuseOneTooMany, toMaxRunning } from '../limits/running-limit.ts';
import { MAX_UNANSWERED_BYTES, MAX_UNREAD_BYTES } from '../limits/unread-limit.ts';
import { toMilliseconds } from '../limits/milliseconds.ts';
import { notificationText } from '../dispatch/notification-text.ts';
import { refusalText } from '../dispatch/responder.ts';
import type { Server } from '../server.ts';
import { createLineWriter } from './line-writer.ts';
import { nodeDefaults } from './node-defaults.ts';
import { guardStandardOutput } from './standard-output.ts';
import { waitAtMost } from './wait-at-most.ts';

/** How a server is served over stdio. */
export interface ServeStdioOptions extends ParsingOptions {
  /** Who calls, from configuration that the caller cannot change. Default: nobody. */
  readonly principal?: Principal;
  /** Longest line in bytes: default 4 MiB. A longer one is answered with -32600 and skipped. */
  readonly maxLineBytes?: number;
  /** How many requests run at a time: default 1,000; `Infinity` for any. One more gets -32603 and does not run. */
  readonly maxRunningRequests?: number;
  /** How long running requests may go on after the input ended, in milliseconds: default 1,000. Then they are aborted. */
  readonly graceMs?: number;
  /** Default the process's own standard input and output. With its own, the process exits when the input ends. */
  readonly input?: Readable;
  readonly output?: Writable;
  /**
   * Lets a client of the revisions before 2026-07-28 in, see `legacyClients`. `serveStdio` does so by default; `false` leaves it out: to
   * `initialize` it gets an error that names the versions.
   */
  readonly legacy?: LegacyAdapter | false;
  /** Counts requests by revision and client. Default: nobody does. */
  readonly counts?: ClientCounts;
}

const stdioOptions: KnownOptions<ServeStdioOptions> = {
  principal: true,
  maxLineBytes: true,
  maxRunningRequests: true,
  maxDepth: true,
  graceMs: true,
  input: true,
  output: true,
  legacy: true,
  counts: true,
};

/** A server on a pair of streams. */
export interface StdioServer extends AsyncDisposable {
  /** Settles when the input has ended and everything is answered or aborted. */
  readonly closed: Promise<void>;
  /** Stops reading, as if the input had ended. */
  close(): Promise<void>;
}

/**
 * Serves a server over stdio: one message a line, in UTF-8. Standard output belongs to the protocol from here on: what anything
 * else in the process prints there goes to standard error.
 *
 * Spec: basic/transports/stdio (2026-07-28).
 *
 * @throws TypeError, at once, when an option is unknown or out of range.
 */
export function serveStdio(server: Server, options: ServeStdioOptions = {}): Promise<StdioServer> {
  assertKnownOptions('serveStdio', options, stdioOptions);
  return serveEndpointStdio(server.endpoint(nodeDefaults()), { ...options, legacy: options.legacy ?? legacyClients() });
}

/** Serves an endpoint over stdio; to an old client, too, where `legacy` is given. */
export function serveEndpointStdio(endpoint: Endpoint, options: ServeStdioOptions = {}): Promise<StdioServer> {
  const { principal, input = process.stdin } = options;
  const graceMs = toMilliseconds('graceMs', options.graceMs ?? 1_000, 0);
  const maxLineBytes = toLimit(
    'maxLineBytes',
    options.maxLineBytes ?? DEFAULT_MAX_MESSAGE_BYTES,
    1,
    Number.MAX_SAFE_INTEGER,
  );
  const maxRunning = toMaxRunning(options.maxRunningRequests);
  const logger = createSafeLogger(endpoint.logger);
  const oneTooMany = createRefuseOneTooMany(endpoint, logger, maxRunning);
  const { counts } = options;
  const dispatch = createDispatch(endpoint, logger, { counts });
  const parsing = toParsing(endpoint, options);
  const running = new Map<MessageId, Cancellation>();
  const answers = new Set<Promise<void>>();
  /** Requests that came in one message with another one. */
  let further = 0;
  const isFull = (): boolean => answers.size + further >= maxRunning;
  let isReaderGone = false;
  const output = createLineWriter(options.output ?? guardStandardOutput(), () => {
    isReaderGone = true;
    end();
  });
  const adapter = options.legacy === false ? undefined : options.legacy;
  const legacy = adapter?.connection({
    endpoint,
    logger,
    counts,
    parsing,
    principal,
    send: (text) => output.write(text),
    isBehind: () => output.unreadBytes() > MAX_UNREAD_BYTES,
    oneTooMany: () => (isFull() ? oneTooMany() : undefined),
    async enter() {
      // By then the message itself is counted.
      await Promise.resolve();
      if (isFull()) return oneTooMany();
      further += 1;
      return () => {
        further -= 1;
      };
    },
  });

  const decoder = createLineDecoder({
    maxLineBytes,
    onLine: receive,
    onOverflow: () => refuse('invalidRequest', `The line is longer than ${maxLineBytes} bytes`),
    onInvalid: () => refuse('parseError', 'The line is not UTF-8'),
  });

  function refuse(code: 'invalidRequest' | 'parseError', problem: string): void {
    output.write(errorText(undefined, new ProtocolError(code, problem)));
  }

  function receive(line: string): void {
    const incoming = parseIncoming(line, parsing);
    const served = legacy?.receive(incoming, line);
    if (served !== undefined) return keep(served);
    if (incoming.kind === 'notification') return cancelRequest(incoming.message);
    if (incoming.kind !== 'request') {
      const refusal = refusalText(incoming);
      if (refusal !== undefined) output.write(refusal);
      return undefined;
    }
    const { id } = incoming.message;
    if (running.has(id)) {
      output.write(errorText(id, new ProtocolError('invalidRequest', 'A request with this id is still running')));
      return undefined;
    }
    if (isFull()) {
      output.write(errorText(id, oneTooMany()));
      return undefined;
    }
    const cancellation = new Cancellation();
    let isStream = false;
    running.set(id, cancellation);
    const answer = dispatch(incoming.message, {
      cancellation,
      principal,
      chars: line.length,
      send(text) {
        if (cancellation.cancelled || output.unreadBytes() > MAX_UNREAD_BYTES) return false;
        output.write(text);
        isStream = methodOf(incoming.message.method)?.staysOpen === true;
        return true;
      },
    }).then(({ text }) => {
      // After a cancellation the id may be another request's already.
      if (running.get(id) === cancellation) running.delete(id);
      answers.delete(answer);
      if (cancellation.cancelled) return;
      output.write(text);
      if (isStream) output.write(tornDownText(id));
    });
    answers.add(answer);
    return undefined;
  }

  function keep(served: Promise<void>): void {
    const answer = served.then(() => {
      answers.delete(answer);
    });
    answers.add(answer);
  }

  function cancelRequest({ method, params }: Notification): void {
    const id = params?.['requestId'];
    if (method !== notifications.cancelled.method || !isMessageId(id)) return;
    running.get(id)?.cancel(cancelledByClient(params?.['reason']));
    running.delete(id);
  }

  const ended = Promise.withResolvers<void>();
  let hasEnded = false;
  function end(): void {
    hasEnded = true;
    ended.resolve();
  }
  input.on('data', (chunk: Uint8Array) => {
    decoder.push(chunk);
    if (output.unreadBytes() <= MAX_UNANSWERED_BYTES) return;
    // A client that reads no answers gets no further requests served, else the answers would fill the memory.
    input.pause();
    output.onceRead(() => {
      if (!hasEnded) input.resume();
    });
  });
  input.once('end', () => {
    decoder.end();
    end();
  });
  input.once('close', end);
  input.once('error', end);

  async function finish(): Promise<void> {
    await ended.promise;
    input.pause();
    const waitMs = isReaderGone ? 0 : graceMs;
    const streams = Promise.resolve(endpoint.endStreams?.());
    const timer = setTimeout(() => {
      for (const cancellation of running.values()) cancellation.cancel(new Error('the input ended'));
      legacy?.end('the input ended');
    }, waitMs);
    await waitAtMost(Promise.all([...answers, streams]), waitMs + ABORTED_MS);
    clearTimeout(timer);
    legacy?.end('the input ended');
    await waitAtMost(output.close(), UNREAD_MS);
    if (options.input === undefined) leaveProcess();
  }
  const closed = finish();

  return Promise.resolve({
    closed,
    close() {
      end();
      return closed;
    },
    [Symbol.asyncDispose]() {
      end();
      return closed;
    },
  });
}

/** How long the cleanup of aborted requests may take. */
const ABORTED_MS = 250;
/** How long a reader who reads no more may hold the end up. */
const UNREAD_MS = 2_000;

/**
 * Tells that a subscription was torn down, after its result: for a client that knows the result it is a cancellation of what has ended,
 * which it ignores. Spec: basic/patterns/cancellation (2026-07-28).
 */
function tornDownText(id: MessageId): string {
  return notificationText(notifications.cancelled.method, {
    requestId: id,
    reason: 'the server ended the subscription',
    _meta: { [metaKeys.subscriptionId]: id },
  });
}

/** A client that closed the input expects the process to go, whatever timers or handles the author's code still holds. */
function leaveProcess(): void {
  process.exitCode ??= 0;
  setTimeout(() => process.exit(), ABORTED_MS).unref();
}
