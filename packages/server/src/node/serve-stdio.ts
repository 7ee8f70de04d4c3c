import process from 'node:process';

import { assertKnownOptions, createLineDecoder, createSafeLogger, toLimit, toMilliseconds } from '@switchyard/protocol';

import type { Endpoint } from '../dispatch/endpoint.ts';
import { DEFAULT_MAX_MESSAGE_BYTES } from '../dispatch/incoming.ts';
import { chosenLegacy } from '../legacy/legacy-choice.ts';
import { MAX_UNANSWERED_BYTES } from '../limits/unread-limit.ts';
import type { Server } from '../server.ts';
import { optionOwners } from '../option-owners.ts';
import { endStreams } from '../dispatch/end-streams.ts';
import { createLineWriter } from './line-writer.ts';
import { nodeDefaults } from './node-defaults.ts';
import { guardStandardOutput } from './standard-output.ts';
import { createStdioMessages } from './stdio-messages.ts';
import { type EndpointStdioOptions, type ServeStdioOptions, stdioOptions } from './stdio-options.ts';
import { waitAtMost } from '../timing/wait-at-most.ts';

/** A server on a pair of streams. */
export interface StdioServer extends AsyncDisposable {
  /** Settles when the input has ended and everything is answered or aborted. */
  readonly closed: Promise<void>;
  /** Stops reading, as if the input had ended. */
  close(): Promise<void>;
}

/**
 * Serves a server over stdio: one message a line, in UTF-8. Standard output belongs to the protocol from here on: what
 * anything else in the process prints there goes to standard error.
 *
 * Spec: basic/transports/stdio (2026-07-28).
 *
 * @throws (as a rejection) TypeError when an option is unknown or out of range, or the keys for request state are none.
 */
export async function serveStdio(server: Server, options: ServeStdioOptions = {}): Promise<StdioServer> {
  assertKnownOptions('serveStdio', options, stdioOptions, optionOwners);
  const { legacy, ...rest } = options;
  return serveEndpointStdio(server.endpoint(nodeDefaults()), { ...rest, ...chosenLegacy(legacy) });
}

/** Serves an endpoint over stdio; to an old client, too, where `legacy` is given. */
export async function serveEndpointStdio(endpoint: Endpoint, options: EndpointStdioOptions = {}): Promise<StdioServer> {
  assertKnownOptions('serveEndpointStdio', options, stdioOptions);
  const { input = process.stdin } = options;
  const graceMs = toMilliseconds('graceMs', options.graceMs ?? 1_000, 0);
  const { maxLineBytes = DEFAULT_MAX_MESSAGE_BYTES } = options;
  toLimit('maxLineBytes', maxLineBytes, 1);
  const logger = createSafeLogger(endpoint.logger);
  const ended = Promise.withResolvers<void>();
  let hasEnded = false;
  let isReaderGone = false;
  function end(): void {
    hasEnded = true;
    ended.resolve();
  }
  const output = createLineWriter(options.output ?? guardStandardOutput(), () => {
    isReaderGone = true;
    end();
  });
  const messages = createStdioMessages(endpoint, output, logger, options);
  const decoder = createLineDecoder({
    maxLineBytes,
    onLine: messages.receive,
    onOverflow: () => messages.refuse('invalidRequest', `The line is longer than ${maxLineBytes} bytes`),
    onInvalid: () => messages.refuse('parseError', 'The line is not UTF-8'),
  });
  input.once('close', end);
  input.once('error', end);
  // Whoever holds both ends of the pipe is on this machine.
  await endpoint.prepare?.({ isLoopback: true });
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

  async function finish(): Promise<void> {
    await ended.promise;
    input.pause();
    const waitMs = isReaderGone ? 0 : graceMs;
    const streams = endStreams(endpoint, logger);
    const timer = setTimeout(messages.abort, waitMs);
    await waitAtMost(Promise.all([messages.answered(), streams]), waitMs + ABORTED_MS);
    clearTimeout(timer);
    messages.abort();
    await waitAtMost(output.close(), UNREAD_MS);
    if (options.input === undefined) leaveProcess();
  }
  const closed = finish();
  const close = (): Promise<void> => {
    end();
    return closed;
  };
  return { closed, close, [Symbol.asyncDispose]: close };
}

/** How long the cleanup of aborted requests may take. */
const ABORTED_MS = 250;
/** How long a reader who reads no more may hold the end up. */
const UNREAD_MS = 2_000;

/**
 * A client that closed the input expects the process to go, whatever timers or handles the author's code still holds.
 */
function leaveProcess(): void {
  process.exitCode ??= 0;
  setTimeout(() => process.exit(), ABORTED_MS).unref();
}
