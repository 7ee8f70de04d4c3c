import {
  acceptsBatches,
  httpHeaders,
  isLegacyRevision,
  isModernRevision,
  ProtocolError,
  type Request,
} from '@switchyard/protocol';

import { timeOfCredentials } from '../../authorization/time-of-credentials.ts';
import { errorText, type Reply } from '../../dispatch/error-reply.ts';
import type { HttpHeaders } from '../../http/http-exchange.ts';
import { refuse, refuseWith } from '../../http/refuse.ts';
import { jsonHeaders } from '../../http/reply-stream.ts';
import { takesStreams } from '../../http/sse-connection.ts';
import type { Incoming } from '../../dispatch/incoming.ts';
import { refusalText } from '../../dispatch/responder.ts';
import type { LegacyExchange, LegacyHttp, LegacyHttpSite } from '../adapter.ts';
import { createBatchRuns, parseBatch } from '../batch.ts';
import { isInitialize, isLegacyExchange } from '../era.ts';
import { answerInitialize } from '../initialize.ts';
import type { LegacyShared } from '../legacy-shared.ts';
import type { LegacyCall } from '../legacy-session.ts';
import { parseEventId } from './event-stream.ts';
import { createHttpSse } from './http-sse.ts';
import { HttpSession } from './http-session.ts';
import { createReplayMemory } from './replay-memory.ts';
import { createReplyOutlet, openPolled } from './reply-outlet.ts';
import { createSessionStore } from './session-store.ts';

/** How streams behave. */
export interface LegacyHttpOptions {
  readonly streamAfterMs: number;
  readonly pollAfterMs: number;
  readonly retryMs: number;
  /** Whether the HTTP+SSE transport is served, too. */
  readonly httpSse: boolean;
}

const sessionHeader = httpHeaders.sessionId;
const versionHeader = httpHeaders.protocolVersion;

/**
 * Serves old clients over Streamable HTTP: POST takes messages, GET opens the stream of what belongs to no request or resumes one, DELETE
 * ends the session.
 *
 * Spec: 2025-11-25/basic/transports#streamable-http.
 */
export function createLegacyHttp(shared: LegacyShared, site: LegacyHttpSite, options: LegacyHttpOptions): LegacyHttp {
  const { limits, createId } = shared;
  const store = createSessionStore(limits, () => shared.endpoint.now());
  const streams = { memory: createReplayMemory(limits.maxReplayBytes), retryMs: options.retryMs };
  const timing = { ...options, keepAliveMs: site.keepAliveMs };
  const sse = options.httpSse ? createHttpSse(shared, site) : undefined;

  /** Answers the session that a request names, or the refusal that it got. */
  function sessionOf({ exchange, principal, cors }: LegacyExchange): HttpSession | undefined {
    const { head } = exchange;
    const id = head.header(sessionHeader.key);
    const version = head.header(versionHeader.key);
    if (id === undefined) {
      refuse(exchange, 400, `The request needs the header ${sessionHeader.name}: send initialize to get one`, cors);
    } else if (version !== undefined && !isLegacyRevision(version)) {
      const offered = shared.offered.join(', ');
      refuse(exchange, 400, `The header ${versionHeader.name} must name a revision of sessions: ${offered}`, cors);
    } else {
      const session = store.find(id, principal);
      if (session !== undefined) return session;
      refuse(exchange, 404, 'The session is unknown or has ended: send initialize for another one', cors);
    }
    return undefined;
  }

  /** Answers `initialize`, which no session is named with. */
  function initialize({ exchange, principal, cors = {} }: LegacyExchange, request: Request): void {
    let opened: HttpSession | undefined;
    try {
      const { text } = answerInitialize(shared, request, (facts) => {
        const session = new HttpSession(shared, streams, { id: createId(), facts, principal });
        store.add(session);
        opened = session;
      });
      const named: HttpHeaders = opened === undefined ? {} : { [sessionHeader.key]: opened.id };
      exchange.reply(200, { ...jsonHeaders, ...cors, ...named }, text);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      refuseWith(exchange, error, cors, request.id);
    }
  }

  /** Runs a request that is not refused for what runs already. */
  async function run(session: HttpSession, request: Request, call: LegacyCall): Promise<Reply | undefined> {
    const tooMany = request.method === 'ping' ? undefined : site.oneTooMany();
    if (tooMany !== undefined) return { text: errorText(request.id, tooMany), status: 200, error: tooMany };
    return session.conversation.serve(request, call);
  }

  async function answer(given: LegacyExchange, session: HttpSession, request: Request, chars: number): Promise<void> {
    const { exchange, principal, cors = {} } = given;
    const outlet = createReplyOutlet(exchange, session, timing, cors);
    const reply = await run(session, request, { principal, outlet, chars });
    const refused = reply?.error === undefined ? {} : site.refuse(exchange.head, reply.error, principal);
    outlet.finish(reply?.status ?? 200, refused, reply?.text);
  }

  async function answerBatch(
    given: LegacyExchange,
    session: HttpSession,
    batch: readonly Incoming[],
    chars: number,
  ): Promise<void> {
    const { exchange, principal, cors = {} } = given;
    if (!batch.some(({ kind }) => kind === 'request' || kind === 'invalid')) {
      for (const message of batch) take(session, message);
      return exchange.reply(202, cors, '');
    }
    const outlet = createReplyOutlet(exchange, session, timing, cors);
    const runs = createBatchRuns((_request, runFirst) => runFirst(), site.enter, principal);
    const answers = batch.map(async (message): Promise<string | undefined> => {
      if (message.kind !== 'request') return take(session, message) ?? refusalText(message);
      const text = await runs(message.message, async () => {
        const reply = await run(session, message.message, { principal, outlet, chars });
        if (reply?.error !== undefined) site.refuse(exchange.head, reply.error, principal);
        return reply?.text;
      });
      return text === undefined || outlet.sendEarly(text) ? undefined : text;
    });
    const texts = (await Promise.all(answers)).filter((text) => text !== undefined);
    return outlet.finish(200, {}, texts.length === 0 ? undefined : `[${texts.join(',')}]`);
  }

  function take(session: HttpSession, message: Incoming): undefined {
    if (message.kind === 'notification') session.conversation.notify(message.message);
    if (message.kind === 'response') session.conversation.settle(message.message);
    return undefined;
  }

  async function serve(given: LegacyExchange, incoming: Incoming, text: string): Promise<void> {
    const { exchange, cors = {} } = given;
    if (isInitialize(incoming) && exchange.head.header(sessionHeader.key) === undefined)
      return initialize(given, incoming.message);
    const session = sessionOf(given);
    if (session === undefined) return undefined;
    switch (incoming.kind) {
      case 'request':
        return answer(given, session, incoming.message, text.length);
      case 'notification':
      case 'response':
        take(session, incoming);
        return exchange.reply(202, cors, '');
      default: {
        const isBatch = acceptsBatches(session.conversation.facts.revision);
        const batch = isBatch ? parseBatch(text, site.parsing, limits.maxBatchMessages) : undefined;
        if (typeof batch === 'string') return refuse(exchange, 400, `Invalid message: ${batch}`, cors);
        if (batch !== undefined) return answerBatch(given, session, batch, text.length);
        return exchange.reply(400, { ...jsonHeaders, ...cors }, refusalText(incoming) ?? '');
      }
    }
  }

  function listen(given: LegacyExchange): void {
    const { exchange, principal, cors = {} } = given;
    const { head } = exchange;
    const session = sessionOf(given);
    if (session === undefined) return;
    if (!takesStreams(head.header('accept')))
      return refuse(exchange, 406, 'The stream needs a client that accepts text/event-stream', cors);
    const last = head.header(httpHeaders.lastEventId.key);
    const event = last === undefined ? undefined : parseEventId(last);
    const stream = last !== undefined && event === undefined ? undefined : session.streamOf(event);
    if (stream === undefined) {
      const problem = `The header ${httpHeaders.lastEventId.name} names no event of this session that is still known`;
      return refuse(exchange, 400, problem, cors);
    }
    const lastsMs = timeOfCredentials(principal, shared.endpoint);
    stream.connect(openPolled(exchange, session, timing, cors, lastsMs), event?.sequence);
  }

  return {
    takes(head) {
      if (isModernRevision(head.header(versionHeader.key))) return false;
      return head.method === 'GET' || head.method === 'DELETE';
    },
    open(given) {
      const { exchange, cors = {} } = given;
      const { head } = exchange;
      if (head.method === 'DELETE') {
        const session = sessionOf(given);
        if (session === undefined) return;
        store.end(session, 'the client ended the session');
        return exchange.reply(204, cors, '');
      }
      const isSse =
        sse !== undefined && head.header(sessionHeader.key) === undefined && takesStreams(head.header('accept'));
      return isSse ? sse.open(given) : listen(given);
    },
    awaitsAnswer(head) {
      const id = head.header(sessionHeader.key);
      if (id !== undefined) return store.peek(id)?.conversation.awaitsAnswer === true;
      const stream = sse?.idOf(head);
      return stream !== undefined && sse?.has(stream) === true;
    },
    claims(head, incoming) {
      if (isModernRevision(head.header(versionHeader.key))) return false;
      return sse?.idOf(head) !== undefined || isLegacyExchange(head, incoming);
    },
    post(given, incoming, text) {
      const stream = sse?.idOf(given.exchange.head);
      return sse === undefined || stream === undefined
        ? serve(given, incoming, text)
        : sse.post(stream, given, incoming, text);
    },
  };
}
