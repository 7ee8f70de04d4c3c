import { createSafeLogger, methodOf, type Principal } from '@switchyard/protocol';

import type { KnownOptions } from '../assert-known-options.ts';
import { Cancellation } from '../dispatch/cancellation.ts';
import type { ClientCounts } from '../dispatch/client-counts.ts';
import { createDispatch, type Dispatch } from '../dispatch/dispatch.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { createToErrorReply } from '../dispatch/error-reply.ts';
import { DEFAULT_MAX_MESSAGE_BYTES, parseIncoming, type ParsingOptions, toParsing } from '../dispatch/incoming.ts';
import type { LegacyAdapter } from '../legacy/adapter.ts';
import { toBound } from '../limits/bound.ts';
import { createOpenStreams, type OpenStreamOptions } from '../limits/open-streams.ts';
import { createRateLimit, type RateLimiter } from '../limits/rate-limit.ts';
import { createRefuseOneTooMany, toMaxRunning } from '../limits/running-limit.ts';
import { toMilliseconds } from '../limits/milliseconds.ts';
import { refusalText } from '../dispatch/responder.ts';
import { type Admission, type AdmissionOptions, createAdmission } from './admission.ts';
import { corsHeaders, preflightHeaders } from './cors.ts';
import type { HttpExchange, HttpHeaders } from './http-exchange.ts';
import { mediaTypeProblem } from './media-type.ts';
import { createOriginPolicy, type OriginOptions } from './origin-policy.ts';
import { createRefusalLog } from './refusal-log.ts';
import { refuse, refuseWith } from './refuse.ts';
import { createReplyStream, jsonHeaders as json, type ReplyStream } from './reply-stream.ts';

/** How an endpoint is served over HTTP. */
export interface HttpOptions extends OriginOptions, AdmissionOptions, ParsingOptions, OpenStreamOptions {
  /** Largest request body in bytes: default 4 MiB; `Infinity` for any. A larger one gets 413 and is not read further. */
  readonly maxBodyBytes?: number;
  /** Interval of keep-alive comments on a streamed response, in milliseconds of at least 1: default 15,000; `Infinity` for none. */
  readonly keepAliveMs?: number;
  /**
   * How many requests are read and run at a time: default 1,000; `Infinity` for any. One more gets 503 with `Retry-After` and
   * -32603, and does not run.
   */
  readonly maxRunningRequests?: number;
  /**
   * Counts the requests of authenticated callers; one too many gets 429 with `Retry-After` and -32603, and does not run. Default: served by
   * Node, 6,000 in each minute for each caller (`createRateLimiter`); else, and with `false`, none.
   */
  readonly rateLimit?: RateLimiter | false;
  /**
   * Lets clients of the revisions before 2026-07-28 in, see `legacyClients`. `serveHttp`, `toNode` and `toFetch` do so by default; `false`
   * leaves them out: they get 405 for GET and DELETE, and to `initialize` an error that names the versions.
   */
  readonly legacy?: LegacyAdapter | false;
  /** Counts requests by revision and client. Default: nobody does but `serveHttp`, see `RunningServer.clients`. */
  readonly counts?: ClientCounts;
}

/** The members of {@link HttpOptions}. */
export const httpOptions: KnownOptions<HttpOptions> = {
  maxBodyBytes: true,
  keepAliveMs: true,
  maxRunningRequests: true,
  rateLimit: true,
  legacy: true,
  counts: true,
  allowedHosts: true,
  allowedOrigins: true,
  authenticate: true,
  protectedResource: true,
  onSecurityEvent: true,
  maxDepth: true,
  maxOpenStreams: true,
  maxOpenStreamsPerPrincipal: true,
};

/** Serves one HTTP exchange; it never rejects. */
export type HttpHandler = (exchange: HttpExchange) => Promise<void>;

/**
 * Serves an endpoint over Streamable HTTP. The checks run in this order: `Host` and `Origin` (403), method (405), media type
 * (415), who calls (the status of its error), how often that caller does (429), how much runs (503), body (413), JSON (400 -32700),
 * message (400 -32600), open streams (503), and then those of the dispatcher.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 *
 * @throws TypeError when an option is out of range, an allowed host or origin is none, or `protectedResource` stands alone.
 */
export function createHttpHandler(endpoint: Endpoint, options: HttpOptions = {}): HttpHandler {
  const refusesOrigin = createOriginPolicy(options);
  const logger = createSafeLogger(endpoint.logger);
  const { counts } = options;
  const dispatch = createDispatch(endpoint, logger, { counts });
  const logRefusal = createRefusalLog(endpoint, logger);
  const turnAway = (exchange: HttpExchange, status: number, problem: string, headers?: HttpHeaders): void => {
    logRefusal(exchange.head, status, problem);
    refuse(exchange, status, problem, headers);
  };
  const admission = createAdmission(options, createToErrorReply(endpoint, logger), logger);
  const maxBodyBytes = toBound('maxBodyBytes', options.maxBodyBytes ?? DEFAULT_MAX_MESSAGE_BYTES);
  const keepAliveMs = toMilliseconds('keepAliveMs', options.keepAliveMs ?? 15_000, 1);
  const maxRunning = toMaxRunning(options.maxRunningRequests);
  const oneTooMany = createRefuseOneTooMany(endpoint, logger, maxRunning);
  const openStreams = createOpenStreams(options);
  const { rateLimit: limiter = false } = options;
  const countRequest =
    limiter === false
      ? undefined
      : createRateLimit(limiter, (err) => logger.error({ err }, 'requests cannot be counted, so none is refused'));
  let running = 0;
  const parsing = toParsing(endpoint, options);
  const adapter = options.legacy === false ? undefined : options.legacy;
  const legacy = adapter?.http({
    endpoint,
    logger,
    counts,
    parsing,
    keepAliveMs,
    oneTooMany: () => (running > maxRunning ? oneTooMany() : undefined),
    pause() {
      running -= 1;
      return () => {
        running += 1;
      };
    },
    async enter(principal) {
      const tooMany = principal === undefined ? undefined : await countRequest?.(principal);
      if (tooMany !== undefined) return tooMany;
      if (running >= maxRunning) return oneTooMany();
      running += 1;
      return () => {
        running -= 1;
      };
    },
    refuse: (head, error, principal) => admission.refuse(head, error, principal),
  });

  return async (exchange) => {
    const { head } = exchange;
    const forbidden = refusesOrigin(head);
    if (forbidden !== undefined) {
      admission.reportForbidden(head, 'host-or-origin');
      return turnAway(exchange, 403, forbidden);
    }
    const cors = corsHeaders(head);
    if (head.method === 'OPTIONS' && cors !== undefined)
      return exchange.reply(204, { ...cors, ...preflightHeaders(head) }, '');
    const isPost = head.method === 'POST';
    if (!isPost && legacy?.takes(head) !== true) {
      const allow = legacy === undefined ? 'POST' : 'POST, GET, DELETE';
      return turnAway(
        exchange,
        405,
        legacy === undefined
          ? `The endpoint takes POST only; it keeps no session and no stream to ${head.method}`
          : `The endpoint takes POST, and of the sessions of older revisions GET and DELETE; not this ${head.method}`,
        { allow },
      );
    }
    const unsupported = isPost ? mediaTypeProblem(head) : undefined;
    if (unsupported !== undefined) return turnAway(exchange, 415, unsupported, cors);
    let principal: Principal | undefined;
    if (admission.admit !== undefined) {
      const admitted = await admission.admit(head);
      if ('status' in admitted)
        return exchange.reply(admitted.status, { ...admitted.headers, ...json, ...cors }, admitted.text);
      ({ principal } = admitted);
    }
    const tooMany = principal === undefined ? undefined : await countRequest?.(principal);
    if (tooMany !== undefined) return refuseWith(exchange, tooMany, cors);
    if (!isPost) return legacy?.open({ exchange, principal, cors });
    // What runs may wait for an answer, which must not wait for what runs; as many of these as may run are read beside it.
    if (running >= maxRunning && !(running < 2 * maxRunning && legacy?.awaitsAnswer(head) === true))
      return refuseWith(exchange, oneTooMany(), cors);
    running += 1;
    try {
      await serve(exchange, principal, cors);
    } finally {
      running -= 1;
    }
  };

  async function serve(
    exchange: HttpExchange,
    principal: Principal | undefined,
    cors: HttpHeaders | undefined,
  ): Promise<void> {
    const body = await exchange.readBody(maxBodyBytes);
    if (body === 'broken-off') return undefined;
    if (body === 'too-large') {
      return turnAway(exchange, 413, `The body is larger than ${maxBodyBytes} bytes`, cors);
    }
    const incoming = body === 'not-utf8' ? ({ kind: 'unparsable' } as const) : parseIncoming(body.text, parsing);
    if (legacy !== undefined && body !== 'not-utf8' && legacy.claims(exchange.head, incoming))
      return legacy.post({ exchange, principal, cors }, incoming, body.text);
    if (incoming.kind === 'notification') return exchange.reply(202, cors ?? {}, '');
    if (incoming.kind === 'response')
      return turnAway(exchange, 400, 'The endpoint takes requests and notifications, not responses', cors);
    if (incoming.kind !== 'request') {
      logRefusal(exchange.head, 400, incoming.kind === 'invalid' ? 'the body is no message' : 'the body is no JSON');
      return exchange.reply(400, { ...json, ...cors }, refusalText(incoming) ?? '');
    }
    const { message } = incoming;
    const answering = { cors, keepAliveMs, admission, chars: body === 'not-utf8' ? 0 : body.text.length };
    if (methodOf(message.method)?.staysOpen !== true) return answer(exchange, dispatch, message, principal, answering);
    const close = openStreams.open(principal);
    if (typeof close !== 'function') return refuseWith(exchange, close, cors, message.id);
    // It waits more than it runs, so it takes no place of a request that runs.
    running -= 1;
    try {
      await answer(exchange, dispatch, message, principal, answering);
    } finally {
      running += 1;
      close();
    }
  }
}

async function answer(
  exchange: HttpExchange,
  dispatch: Dispatch,
  request: Parameters<Dispatch>[0],
  principal: Principal | undefined,
  options: {
    readonly cors: HttpHeaders | undefined;
    readonly keepAliveMs: number;
    readonly admission: Admission;
    readonly chars: number;
  },
): Promise<void> {
  const { head } = exchange;
  const cancellation = new Cancellation();
  exchange.onAbandoned(() => cancellation.cancel(new Error('the caller closed the connection')));
  let stream: ReplyStream | undefined;
  const reply = await dispatch(request, {
    cancellation,
    principal,
    send: (text) => (stream ??= createReplyStream(exchange, options)).notify(text),
    header: (key) => head.header(key),
    chars: options.chars,
  });
  const refused = reply.error === undefined ? undefined : options.admission.refuse(head, reply.error, principal);
  if (cancellation.cancelled) return stream?.abandon();
  if (stream?.isOpen() === true) return stream.finish(reply.text);
  if (refused !== undefined) return exchange.reply(reply.status, { ...refused, ...json, ...options.cors }, reply.text);
  exchange.reply(reply.status, options.cors === undefined ? json : { ...json, ...options.cors }, reply.text);
}
