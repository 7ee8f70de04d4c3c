import { createSafeLogger, type Principal, type Responder } from '@switchyard/protocol';

import type { Endpoint } from '../dispatch/endpoint.ts';
import { parseIncoming, toParsing } from '../dispatch/incoming.ts';
import { createResponder, refusalText } from '../dispatch/responder.ts';
import { type LegacyAdapter, partsOf } from './adapter.ts';

/** How much waits for an exchange of the client, in messages: what says that something changed may be left out. */
const MAX_WAITING = 100;

/**
 * Makes a responder that serves one old client in memory, for tests: it keeps the session. A response and what precedes it come through
 * `send` of their exchange; what belongs to no request waits for the next exchange. A modern request is answered as ever.
 */
export function createLegacyResponder(
  endpoint: Endpoint,
  adapter: LegacyAdapter,
  principal?: Principal,
): Responder & { /** Ends the session. */ end(): void } {
  const modern = createResponder(endpoint);
  const parsing = toParsing(endpoint);
  const waiting: string[] = [];
  const connection = partsOf(adapter).connection({
    endpoint,
    logger: createSafeLogger(endpoint.logger),
    counts: undefined,
    parsing,
    principal,
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
        send(sent) {
          if (!exchange.signal.aborted) exchange.send(sent);
        },
      });
      if (served === undefined) return refusalText(incoming) ?? modern.respond(text, exchange);
      await served;
      return undefined;
    },
    end: () => connection.end('the test is over'),
  };
}
