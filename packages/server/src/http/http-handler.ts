import { createSafeLogger, type Principal, ProtocolError } from '@switchyard/protocol';

import { Cancellation } from '../cancellation.ts';
import { createDispatch, type Dispatch } from '../dispatch.ts';
import type { Endpoint } from '../endpoint.ts';
import { createToErrorReply, errorText } from '../error-reply.ts';
import { DEFAULT_MAX_MESSAGE_BYTES, parseIncoming } from '../incoming.ts';
import { toMilliseconds } from '../milliseconds.ts';
import { refusalText } from '../responder.ts';
import { createRefuseOneTooMany, toMaxRunning } from '../running-limit.ts';
import type { HttpExchange, HttpHead, HttpHeaders } from './http-exchange.ts';
import { createOriginPolicy, type OriginOptions } from './origin-policy.ts';
import { createReplyStream } from './reply-stream.ts';

/** How an endpoint is served over HTTP. */
export interface HttpOptions extends OriginOptions {
  /** Largest request body in bytes: default 4 MiB; `Infinity` for any. A larger one gets 413 and is not read further. */
  readonly maxBodyBytes?: number;
  /**
   * Answers who calls; `'anonymous'` lets a caller in whose `ctx.principal` is `undefined`. `undefined` refuses with 401, and a
   * thrown `ProtocolError` with its own status and message. Default: every caller is anonymous.
   */
  readonly authenticate?: Authenticate;
  /** Interval of keep-alive comments on a streamed response, in milliseconds of at least 1: default 15,000; `Infinity` for none. */
  readonly keepAliveMs?: number;
  /**
   * How many requests are read and run at a time: default 1,000; `Infinity` for any. One more gets 503 with `Retry-After` and
   * -32603, and does not run.
   */
  readonly maxRunningRequests?: number;
}

/** Establishes who sends a request from its head alone. */
export type Authenticate = (head: HttpHead) => Authenticated | Promise<Authenticated>;

type Authenticated = Principal | 'anonymous' | undefined;

const json: HttpHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };
const CORS_MAX_AGE_SECONDS = '600';
/** Spec: RFC 9110 section 15.5.2 demands a challenge with every 401. */
const challenge: HttpHeaders = { 'www-authenticate': 'Bearer' };
const retryLater: HttpHeaders = { 'retry-after': '1' };

/** Serves one HTTP exchange; it never rejects. */
export type HttpHandler = (exchange: HttpExchange) => Promise<void>;

/**
 * Serves an endpoint over Streamable HTTP. The checks run in this order: `Host` and `Origin` (403), method (405), media type
 * (415), who calls (the status of its error), how much runs (503), body (413), JSON (400 -32700), message (400 -32600), and
 * then those of the dispatcher.
 *
 * Spec: basic/transports/streamable-http (2026-07-28).
 *
 * @throws TypeError when an option is out of range, or an allowed host or origin is none.
 */
export function createHttpHandler(endpoint: Endpoint, options: HttpOptions = {}): HttpHandler {
  const refusesOrigin = createOriginPolicy(options);
  const logger = createSafeLogger(endpoint.logger);
  const dispatch = createDispatch(endpoint, logger);
  const toErrorReply = createToErrorReply(endpoint, logger);
  const maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
  if (typeof maxBodyBytes !== 'number' || !(maxBodyBytes >= 1))
    throw new TypeError(`maxBodyBytes must be a number of at least 1, not ${String(maxBodyBytes)}`);
  const keepAliveMs = toMilliseconds('keepAliveMs', options.keepAliveMs ?? 15_000, 1);
  const maxRunning = toMaxRunning(options.maxRunningRequests);
  const oneTooMany = createRefuseOneTooMany(endpoint, logger, maxRunning);
  let running = 0;
  const parsing = { exactIntegers: endpoint.exactIntegers === true };

  return async (exchange) => {
    const { head } = exchange;
    const forbidden = refusesOrigin(head);
    if (forbidden !== undefined) return refuse(exchange, 403, forbidden);
    const cors = corsHeaders(head);
    if (head.method === 'OPTIONS' && cors !== undefined)
      return exchange.reply(204, { ...cors, ...preflight(head) }, '');
    if (head.method !== 'POST') {
      return refuse(
        exchange,
        405,
        `The endpoint takes POST only; it keeps no session and no stream to ${head.method}`,
        { allow: 'POST' },
      );
    }
    const unsupported = mediaTypeProblem(head);
    if (unsupported !== undefined) return refuse(exchange, 415, unsupported, cors);
    let principal: Principal | undefined;
    if (options.authenticate !== undefined) {
      try {
        principal = toPrincipal(await options.authenticate(head));
      } catch (thrown) {
        const { status, text } = toErrorReply(undefined, thrown, 'authentication failed');
        return exchange.reply(status, { ...json, ...cors, ...(status === 401 ? challenge : {}) }, text);
      }
    }
    if (running >= maxRunning) {
      const error = oneTooMany();
      return exchange.reply(error.status, { ...json, ...cors, ...retryLater }, errorText(undefined, error));
    }
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
      return refuse(exchange, 413, `The body is larger than ${maxBodyBytes} bytes`, cors);
    }
    const incoming = body === 'not-utf8' ? ({ kind: 'unparsable' } as const) : parseIncoming(body.text, parsing);
    if (incoming.kind === 'notification') return exchange.reply(202, cors ?? {}, '');
    if (incoming.kind === 'response')
      return refuse(exchange, 400, 'The endpoint takes requests and notifications, not responses', cors);
    if (incoming.kind !== 'request') return exchange.reply(400, { ...json, ...cors }, refusalText(incoming) ?? '');
    return answer(exchange, dispatch, incoming.message, principal, { cors, keepAliveMs });
  }
}

async function answer(
  exchange: HttpExchange,
  dispatch: Dispatch,
  request: Parameters<Dispatch>[0],
  principal: Principal | undefined,
  options: { readonly cors: HttpHeaders | undefined; readonly keepAliveMs: number },
): Promise<void> {
  const { head } = exchange;
  const cancellation = new Cancellation();
  exchange.onAbandoned(() => cancellation.cancel(new Error('the caller closed the connection')));
  const stream = createReplyStream(exchange, options);
  const reply = await dispatch(request, {
    cancellation,
    principal,
    send: (text) => stream.notify(text),
    header: (key) => head.header(key),
  });
  if (cancellation.cancelled) return stream.abandon();
  if (stream.isOpen()) return stream.finish(reply.text);
  exchange.reply(reply.status, options.cors === undefined ? json : { ...json, ...options.cors }, reply.text);
}

/**
 * Whoever was established as nobody is refused: forgetting to throw must not open the endpoint, nor may what JavaScript gives instead
 * of `undefined`, such as `null` or `false`.
 */
function toPrincipal(authenticated: Authenticated): Principal | undefined {
  if (authenticated === 'anonymous') return undefined;
  if (typeof authenticated === 'object' && (authenticated as Principal | null) !== null) return authenticated;
  throw new ProtocolError('invalidRequest', 'The request carries no valid credentials', { status: 401 });
}

function refuse(exchange: HttpExchange, status: number, problem: string, headers: HttpHeaders = {}): void {
  exchange.reply(status, { ...json, ...headers }, errorText(undefined, new ProtocolError('invalidRequest', problem)));
}

function mediaTypeProblem(head: HttpHead): string | undefined {
  const type = head.header('content-type');
  if (type === 'application/json') return encodingProblem(head);
  const [essence = '', ...parameters] = (type ?? '').toLowerCase().split(';');
  if (essence.trim() !== 'application/json') return 'The Content-Type must be application/json';
  if (!parameters.every(allowsUtf8)) return 'The body must be encoded as UTF-8';
  return encodingProblem(head);
}

const utf8 = new Set(['utf-8', '"utf-8"', 'utf8', '"utf8"']);

/** Whether a parameter of the media type is another one than `charset`, or names UTF-8. */
function allowsUtf8(parameter: string): boolean {
  const [name = '', ...value] = parameter.split('=');
  return name.trim() !== 'charset' || utf8.has(value.join('=').trim());
}

function encodingProblem(head: HttpHead): string | undefined {
  const encoding = head.header('content-encoding');
  return encoding === undefined || encoding.toLowerCase() === 'identity'
    ? undefined
    : 'The body must not be compressed';
}

function corsHeaders(head: HttpHead): HttpHeaders | undefined {
  const origin = head.header('origin');
  return origin === undefined ? undefined : { 'access-control-allow-origin': origin, vary: 'origin' };
}

function preflight(head: HttpHead): HttpHeaders {
  return {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': head.header('access-control-request-headers') ?? 'content-type',
    'access-control-max-age': CORS_MAX_AGE_SECONDS,
  };
}
