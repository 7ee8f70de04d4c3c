import { acceptsBatches, httpHeaders, ProtocolError, type Request } from '@switchyard/protocol';

import type { Incoming } from '../../dispatch/incoming.ts';
import { refusalText } from '../../dispatch/refusal-text.ts';
import type { HttpHeaders } from '../../exchange/http-exchange.ts';
import { refuse, refuseWith } from '../../http/refuse.ts';
import { jsonHeaders } from '../../http/json-headers.ts';
import type { LegacyExchange, LegacyHttpSite } from '../../dispatch/legacy-adapter.ts';
import { parseBatch } from '../batch.ts';
import { isInitialize } from '../era.ts';
import { answerInitialize } from '../initialize.ts';
import type { LegacyShared } from '../legacy-shared.ts';
import { createAnswerMessages, takeMessage } from './answer-messages.ts';
import { type FindSession, versionProblem } from './find-session.ts';
import { HttpSession, type StreamOptions } from './http-session.ts';
import type { StreamTiming } from './reply-outlet.ts';
import type { SessionStore } from './session-store.ts';

/** Serves what one POST brings: `initialize`, or a message or a batch in a session. */
export type PostMessage = (given: LegacyExchange, incoming: Incoming, text: string) => Promise<void>;

/** Spec: 2025-11-25/basic/transports#sending-messages-to-the-server. */
export function createPostMessage(
  shared: LegacyShared,
  site: LegacyHttpSite,
  sessions: { readonly store: SessionStore; readonly find: FindSession },
  { timing, streams }: { readonly timing: StreamTiming; readonly streams: StreamOptions },
): PostMessage {
  const { limits, createId } = shared;
  const { store, find } = sessions;
  const answers = createAnswerMessages(site, timing);

  /** Answers `initialize`, which no session is named with. */
  function initialize({ exchange, principal, cors = {} }: LegacyExchange, request: Request): void {
    const problem = versionProblem(exchange.head, shared.offered);
    if (problem !== undefined) return refuse(exchange, 400, problem, cors);
    let opened: HttpSession | undefined;
    try {
      const { text } = answerInitialize(shared, request, (facts) => {
        const session = new HttpSession(shared, streams, { id: createId(), facts, principal });
        store.add(session);
        opened = session;
      });
      const named: HttpHeaders = opened === undefined ? {} : { [httpHeaders.sessionId.key]: opened.id };
      exchange.reply(200, { ...jsonHeaders, ...cors, ...named }, text);
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      refuseWith(exchange, error, cors, request.id);
    }
  }

  return async (given, incoming, text) => {
    const { exchange, cors = {} } = given;
    if (isInitialize(incoming) && exchange.head.header(httpHeaders.sessionId.key) === undefined)
      return initialize(given, incoming.message);
    const session = find(given);
    if (session === undefined) return undefined;
    switch (incoming.kind) {
      case 'request':
        return answers.one(given, session, incoming.message, text.length);
      case 'notification':
      case 'response':
        takeMessage(session, incoming);
        return exchange.reply(202, cors, '');
      case 'invalid-response':
        takeMessage(session, incoming);
        return refuse(exchange, 400, `Invalid message: ${incoming.problem}`, cors);
      default: {
        takeMessage(session, incoming);
        const isBatch = acceptsBatches(session.conversation.facts.revision);
        const batch = isBatch ? parseBatch(text, site.parsing, limits.maxBatchMessages) : undefined;
        if (typeof batch === 'string') return refuse(exchange, 400, `Invalid message: ${batch}`, cors);
        if (batch !== undefined) return answers.batch(given, session, batch, text.length);
        return exchange.reply(400, { ...jsonHeaders, ...cors }, refusalText(incoming) ?? '');
      }
    }
  };
}
