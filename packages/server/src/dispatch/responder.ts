import {
  assertKnownOptions,
  createSafeLogger,
  type Exchange,
  type KnownOptions,
  type Responder,
} from '@switchyard/protocol';

import { Cancellation } from './cancellation.ts';
import { createDispatch } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import { parseIncoming, toParsing } from './incoming.ts';
import { type LegacyAdapter, partsOf } from './legacy-adapter.ts';
import { refusalText } from './refusal-text.ts';

/** Options of {@link createResponder}. */
export interface ResponderOptions {
  /**
   * Lets one client of the revisions before 2026-07-28 in, whose session it keeps. What belongs to no request waits for
   * the client's next exchange. Default: there are no sessions.
   */
  readonly legacy?: LegacyAdapter;
}

const responderOptions: KnownOptions<ResponderOptions> = { legacy: true };

/**
 * Answers messages of one endpoint as JSON text, for connections in memory. A request is answered with its response,
 * broken input with an error (-32700, -32600), and a notification or a response with nothing. Disposing it ends the
 * session of an old client; the endpoint goes on.
 */
export function createResponder(endpoint: Endpoint, options: ResponderOptions = {}): Responder & Disposable {
  assertKnownOptions('createResponder', options, responderOptions);
  const modern = createModernResponder(endpoint);
  return options.legacy === undefined
    ? { ...modern, [Symbol.dispose]: () => undefined }
    : withSession(endpoint, modern, options.legacy);
}

function createModernResponder(endpoint: Endpoint): Responder {
  const dispatch = createDispatch(endpoint, createSafeLogger(endpoint.logger));
  const parsing = toParsing(endpoint);
  return {
    async respond(text: string, exchange: Exchange): Promise<string | undefined> {
      const incoming = parseIncoming(text, parsing);
      if (incoming.kind !== 'request') return refusalText(incoming);
      const cancellation = Cancellation.following(exchange.signal);
      const reply = await dispatch(incoming.message, {
        cancellation,
        principal: exchange.principal,
        chars: text.length,
        send(notification) {
          exchange.send(notification);
          return true;
        },
      });
      cancellation.settle();
      return reply.text;
    },
  };
}

/** How much waits for an exchange of an old client, in messages: what says that something changed may be left out. */
const MAX_WAITING = 100;

function withSession(endpoint: Endpoint, modern: Responder, adapter: LegacyAdapter): Responder & Disposable {
  const parsing = toParsing(endpoint);
  const waiting: string[] = [];
  const connection = partsOf(adapter).connection({
    endpoint,
    logger: createSafeLogger(endpoint.logger),
    counts: undefined,
    parsing,
    principal: undefined,
    send(text) {
      if (waiting.length < MAX_WAITING) waiting.push(text);
    },
    unreadBytes: () => 0,
    oneTooMany: () => undefined,
    enter: () => Promise.resolve(() => undefined),
  });
  return {
    async respond(text, exchange) {
      const incoming = parseIncoming(text, parsing);
      for (const late of waiting.splice(0)) exchange.send(late);
      const served = connection.receive(incoming, text, {
        principal: exchange.principal,
        send(sent) {
          if (!exchange.signal.aborted) exchange.send(sent);
        },
      });
      if (served === undefined) return refusalText(incoming) ?? modern.respond(text, exchange);
      await served;
      return undefined;
    },
    [Symbol.dispose]: () => connection.end('the connection was closed'),
  };
}
