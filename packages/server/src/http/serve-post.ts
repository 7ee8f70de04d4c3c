import { methodOf, type Principal } from '@switchyard/protocol';

import type { Dispatch } from '../dispatch/dispatch.ts';
import { parseIncoming, type Parsing } from '../dispatch/incoming.ts';
import { refusalText } from '../dispatch/refusal-text.ts';
import type { HttpExchange, HttpHeaders } from '../exchange/http-exchange.ts';
import type { LegacyHttp } from '../dispatch/legacy-adapter.ts';
import { createDeadlines, Watched } from '../timing/deadlines.ts';
import type { OpenStreams } from '../limits/open-streams.ts';
import { answerRequest, type AnswerSite } from './answer-request.ts';
import type { LogRefusal } from './refusal-log.ts';
import { refuseWith } from './refuse.ts';
import { jsonHeaders as json } from './json-headers.ts';
import type { RunningRequests } from './running-requests.ts';
import type { TurnAway } from './turn-away.ts';

/** Serves a POST whose caller is known and which has a place among those that run. */
export type ServePost = (
  exchange: HttpExchange,
  principal: Principal | undefined,
  cors: HttpHeaders | undefined,
) => Promise<void>;

/** What all POSTs to one endpoint share. */
export interface PostSite extends AnswerSite {
  readonly dispatch: Dispatch;
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
  readonly parsing: Parsing;
  readonly legacy: LegacyHttp | undefined;
  readonly openStreams: OpenStreams;
  readonly running: RunningRequests;
  readonly logRefusal: LogRefusal;
  readonly turnAway: TurnAway;
}

/** How long a body may take to come unless an option says otherwise. */
export const DEFAULT_BODY_TIMEOUT_MS = 30_000;

/**
 * Makes what reads the message of a POST and has it answered: body (408, 413), JSON (400 -32700), message (400 -32600),
 * open streams (503), and then the checks of the dispatcher.
 */
export function createServePost(site: PostSite): ServePost {
  const { dispatch, maxBodyBytes, bodyTimeoutMs, parsing, legacy, openStreams, running, logRefusal, turnAway } = site;
  const deadlines = createDeadlines(bodyTimeoutMs);

  return async (exchange, principal, cors) => {
    const reading = new Reading(exchange);
    let body: Awaited<ReturnType<HttpExchange['readBody']>>;
    deadlines.watch(reading);
    try {
      body = await exchange.readBody(maxBodyBytes);
    } finally {
      deadlines.forget(reading);
    }
    if (body === 'broken-off') return undefined;
    if (body === 'too-slow')
      return void turnAway(exchange, 408, `The body did not come within ${bodyTimeoutMs / 1000} s`, cors);
    if (body === 'too-large')
      return void turnAway(exchange, 413, `The body is larger than ${maxBodyBytes} bytes`, cors);
    const incoming = body === 'not-utf8' ? ({ kind: 'unparsable' } as const) : parseIncoming(body.text, parsing);
    if (legacy !== undefined && body !== 'not-utf8' && legacy.claims(exchange.head, incoming))
      return legacy.post({ exchange, principal, cors }, incoming, body.text);
    if (incoming.kind === 'notification') return exchange.reply(202, cors ?? {}, '');
    if (incoming.kind === 'response' || incoming.kind === 'invalid-response')
      return void turnAway(exchange, 400, 'The endpoint takes requests and notifications, not responses', cors);
    if (incoming.kind !== 'request') {
      logRefusal(exchange.head, 400, incoming.kind === 'invalid' ? 'the body is no message' : 'the body is no JSON');
      return exchange.reply(400, { ...json, ...cors }, refusalText(incoming) ?? '');
    }
    const { message } = incoming;
    const caller = { principal, cors, chars: body === 'not-utf8' ? 0 : body.text.length };
    if (methodOf(message.method)?.staysOpen !== true)
      return await answerRequest(exchange, dispatch, message, caller, site);
    const close = openStreams.open(principal);
    if (typeof close !== 'function') return refuseWith(exchange, close, cors, message.id);
    // It waits more than it runs, so it takes no place of a request that runs.
    running.leave();
    try {
      await answerRequest(exchange, dispatch, message, caller, site);
    } finally {
      running.enter();
      close();
    }
  };
}

/** A body that is being read. */
class Reading extends Watched {
  readonly #exchange: HttpExchange;

  constructor(exchange: HttpExchange) {
    super();
    this.#exchange = exchange;
  }

  expire(): boolean {
    this.#exchange.stopReading();
    return true;
  }
}
