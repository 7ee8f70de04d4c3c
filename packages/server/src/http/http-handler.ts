import { createSafeLogger, type Logger, type Principal, toBound, toMilliseconds } from '@switchyard/protocol';

import { createDispatch } from '../dispatch/dispatch.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { createToErrorReply } from '../dispatch/error-reply.ts';
import { DEFAULT_MAX_MESSAGE_BYTES, toParsing } from '../dispatch/incoming.ts';
import type { HttpExchange } from '../exchange/http-exchange.ts';
import { type Enter, partsOf } from '../dispatch/legacy-adapter.ts';
import { idleWithin } from '../timing/idle-within.ts';
import { createLimitedLogger } from '../limits/limited-logger.ts';
import { createOpenStreams } from '../limits/open-streams.ts';
import { type CountRequest, createRateLimit, type RateLimiter } from '../limits/rate-limit.ts';
import { toMaxRunning } from '../limits/running-limit.ts';
import { createAdmission } from './admission.ts';
import { createCheckHead } from './check-head.ts';
import type { EndpointHttpOptions } from './http-options.ts';
import { createRefusalLog } from './refusal-log.ts';
import { refuseWith } from './refuse.ts';
import { jsonHeaders as json } from './json-headers.ts';
import { createRunningRequests, type RunningRequests } from './running-requests.ts';
import { createServePost, DEFAULT_BODY_TIMEOUT_MS } from './serve-post.ts';
import { createTurnAway } from './turn-away.ts';

/**
 * Serves one HTTP exchange. Rejects where the exchange itself fails, as when somebody in front has read the body: it is
 * not answered then, and whoever carries it does that.
 */
export type HttpHandler = (exchange: HttpExchange) => Promise<void>;

/** An endpoint that is served over HTTP. */
export interface HttpServing {
  readonly handle: HttpHandler;
  /**
   * Ends the sessions of old clients, which no connection ends: what runs in them goes on for `graceMs` at most, and is
   * cancelled then. It never rejects.
   */
  endSessions(graceMs: number): Promise<void>;
}

/**
 * Serves an endpoint over Streamable HTTP. The checks run in this order: `Host` and `Origin` (403), method (405), media
 * type (415), who calls (the status of its error), how often that caller does (429), how much runs (503), body (408,
 * 413), JSON (400 -32700), message (400 -32600), open streams (503), and then those of the dispatcher. Whoever takes it
 * calls `endpoint.prepare` before.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 *
 * @throws TypeError when an option is out of range, an allowed host or origin is none, or `protectedResource` stands
 *   alone.
 */
export function createHttpServing(endpoint: Endpoint, options: EndpointHttpOptions = {}): HttpServing {
  const logger = createSafeLogger(endpoint.logger);
  const { counts } = options;
  const logRefusal = createRefusalLog(endpoint, logger);
  const turnAway = createTurnAway(logRefusal);
  // Whoever is let in by nobody can make any number of these.
  const limited = createLimitedLogger(logger, endpoint);
  const admission = createAdmission(options, {
    toErrorReply: createToErrorReply(endpoint, limited),
    logger: limited,
    logRefusal,
    maxWaiting: toMaxRunning(options.maxRunningRequests),
  });
  const keepAliveMs = toMilliseconds('keepAliveMs', options.keepAliveMs ?? 15_000, 1);
  const running = createRunningRequests(endpoint, logger, options.maxRunningRequests);
  const countRequest = toCountRequest(options.rateLimit, createLimitedLogger(logger, endpoint));
  const parsing = toParsing(endpoint, options);
  const legacy =
    options.legacy === undefined
      ? undefined
      : partsOf(options.legacy).http({
          endpoint,
          logger,
          counts,
          parsing,
          keepAliveMs,
          oneTooMany: () => (running.isOverfull() ? running.refusal() : undefined),
          pause() {
            running.leave();
            return running.enter;
          },
          enter: createEnter(running, countRequest),
          refuse: (head, error, principal) => admission.refuse(head, error, principal),
        });
  const checkHead = createCheckHead(options, { admission, turnAway, legacy });
  const servePost = createServePost({
    dispatch: createDispatch(endpoint, logger, { counts }),
    maxBodyBytes: toBound('maxBodyBytes', options.maxBodyBytes ?? DEFAULT_MAX_MESSAGE_BYTES),
    bodyTimeoutMs: toMilliseconds('bodyTimeoutMs', options.bodyTimeoutMs ?? DEFAULT_BODY_TIMEOUT_MS, 1),
    openStreams: createOpenStreams(options),
    admission,
    keepAliveMs,
    legacy,
    logRefusal,
    parsing,
    running,
    turnAway,
  });

  const handle: HttpHandler = async (exchange) => {
    const { head } = exchange;
    const cors = checkHead(exchange);
    if (cors === 'answered') return undefined;
    let principal: Principal | undefined;
    if (admission.admit !== undefined) {
      const admitted = await admission.admit(exchange);
      if (admitted === 'abandoned') return undefined;
      if ('status' in admitted)
        return exchange.reply(admitted.status, { ...admitted.headers, ...json, ...cors }, admitted.text);
      ({ principal } = admitted);
    }
    const tooMany = principal === undefined ? undefined : await countRequest?.(principal);
    if (tooMany !== undefined) return refuseWith(exchange, tooMany, cors);
    if (head.method !== 'POST') return legacy?.open({ exchange, principal, cors });
    // What runs may wait for an answer, which must not wait for what runs; as many of these as may run are read beside
    // it.
    if (running.isFull() && !(running.hasRoomForAnswer() && legacy?.awaitsAnswer(head) === true))
      return refuseWith(exchange, running.refusal(), cors);
    running.enter();
    try {
      await servePost(exchange, principal, cors);
    } finally {
      running.leave();
    }
  };
  return {
    handle,
    async endSessions(graceMs) {
      if (legacy === undefined) return;
      await idleWithin(() => legacy.isBusy(), graceMs);
      legacy.end('the server was closed');
    },
  };
}

function toCountRequest(limiter: RateLimiter | undefined, logger: Logger): CountRequest | undefined {
  return limiter === undefined
    ? undefined
    : createRateLimit(limiter, (err) => logger.error({ err }, 'requests cannot be counted, so none is refused'));
}

function createEnter(running: RunningRequests, countRequest: CountRequest | undefined): Enter {
  return async (principal) => {
    const tooMany = principal === undefined ? undefined : await countRequest?.(principal);
    if (tooMany !== undefined) return tooMany;
    if (running.isFull()) return running.refusal();
    running.enter();
    return running.leave;
  };
}
