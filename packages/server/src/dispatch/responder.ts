import { createSafeLogger, type Exchange, ProtocolError, type Responder } from '@switchyard/protocol';

import { Cancellation } from './cancellation.ts';
import { createDispatch } from './dispatch.ts';
import type { Endpoint } from './endpoint.ts';
import { errorText } from './error-reply.ts';
import { type Incoming, parseIncoming, toParsing } from './incoming.ts';

/**
 * Answers messages of one endpoint as JSON text, for connections in memory. A request is answered with its response, broken
 * input with an error (-32700, -32600), and a notification or a response with nothing.
 */
export function createResponder(endpoint: Endpoint): Responder {
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

/** Answers the error response to input that is no message, or `undefined` for a message that gets no response. */
export function refusalText(incoming: Incoming): string | undefined {
  if (incoming.kind === 'unparsable')
    return errorText(undefined, new ProtocolError('parseError', 'The message is not JSON'));
  if (incoming.kind === 'invalid')
    return errorText(incoming.id, new ProtocolError('invalidRequest', `Invalid message: ${incoming.problem}`));
  return undefined;
}
