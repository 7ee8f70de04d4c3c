import { createSafeLogger, ProtocolError } from '@switchyard/protocol';

import type { Endpoint } from '../dispatch/endpoint.ts';
import type { HttpExchange } from '../exchange/http-exchange.ts';
import type { HttpHandler } from './http-handler.ts';
import { namesLoopbackOnly, type OriginOptions } from './origin-policy.ts';
import { refuseWith } from './refuse.ts';

/** A handler for whoever mounts an endpoint somewhere, so that no address says who reaches it. */
export interface PreparedHandler {
  readonly handle: HttpHandler;
  /** Prepares the endpoint before the first request asks for that. Never rejects. */
  prepare(): Promise<void>;
}

/** How long a refusal stands before it is looked at again: keys may come from somewhere that did not answer. */
const RETRY_MS = 10_000;

/**
 * Makes the handler that serves nothing until the endpoint is prepared. Under which names it is reached, `allowedHosts`
 * says: any other than a loopback one is refused later on, so without a foreign name among them this machine alone is
 * served. While the endpoint refuses, each request gets 500 with -32603, and the log says, every 10 seconds at most,
 * what is missing.
 */
export function createPreparedHandler(
  endpoint: Endpoint,
  options: OriginOptions,
  handle: HttpHandler,
): PreparedHandler {
  const where = { isLoopback: namesLoopbackOnly(options) };
  const logger = createSafeLogger(endpoint.logger);
  let isReady = endpoint.prepare === undefined;
  let asking: Promise<void> | undefined;
  let refusedAt: number | undefined;

  async function ask(): Promise<void> {
    try {
      await endpoint.prepare?.(where);
      isReady = true;
    } catch (err) {
      refusedAt = endpoint.now();
      logger.error({ err }, 'every request is refused, since the server may not be served as it is: see the error');
    }
  }

  async function prepare(): Promise<void> {
    if (isReady || (refusedAt !== undefined && endpoint.now() - refusedAt < RETRY_MS)) return;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    await asking;
  }

  async function handleFirst(exchange: HttpExchange): Promise<void> {
    await prepare();
    return isReady
      ? handle(exchange)
      : refuseWith(exchange, new ProtocolError('internalError', REFUSED, { status: 500 }));
  }

  return { prepare, handle: (exchange) => (isReady ? handle(exchange) : handleFirst(exchange)) };
}

const REFUSED = 'The server is not set up to be served here: its log says what is missing';
