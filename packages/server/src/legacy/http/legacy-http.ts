import { httpHeaders, isModernRevision } from '@switchyard/protocol';

import { watchCredentials } from '../../authorization/watch-credentials.ts';
import { refuse } from '../../http/refuse.ts';
import { takesStreams } from '../../http/sse-connection.ts';
import type { LegacyExchange, LegacyHttp, LegacyHttpSite } from '../../dispatch/legacy-adapter.ts';
import { isLegacyExchange } from '../era.ts';
import type { LegacyShared } from '../legacy-shared.ts';
import { parseEventId } from './event-stream.ts';
import { createFindSession } from './find-session.ts';
import { createHttpSse } from './http-sse.ts';
import { createPostMessage } from './post-message.ts';
import { createReplayMemory } from './replay-memory.ts';
import { openPolled } from './reply-outlet.ts';
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
 * Serves old clients over Streamable HTTP: POST takes messages, GET opens the stream of what belongs to no request or
 * resumes one, DELETE ends the session.
 *
 * Spec: 2025-11-25/basic/transports#streamable-http.
 */
export function createLegacyHttp(shared: LegacyShared, site: LegacyHttpSite, options: LegacyHttpOptions): LegacyHttp {
  const { limits } = shared;
  const store = createSessionStore(limits, () => shared.endpoint.now());
  const streams = { memory: createReplayMemory(limits.maxReplayBytes), retryMs: options.retryMs };
  const timing = { ...options, keepAliveMs: site.keepAliveMs };
  const sessionOf = createFindSession(shared, store);
  const post = createPostMessage(shared, site, { store, find: sessionOf }, { timing, streams });
  const sse = options.httpSse ? createHttpSse(shared, site) : undefined;

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
    const watch = (end: () => void): (() => void) => watchCredentials(principal, shared.endpoint, end);
    stream.connect(openPolled(exchange, session, timing, cors, watch), event?.sequence);
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
        ? post(given, incoming, text)
        : sse.post(stream, given, incoming, text);
    },
    isBusy: () => store.isBusy() || sse?.isBusy() === true,
    end(reason) {
      store.endAll(reason);
      sse?.end();
    },
  };
}
