import type { Notification, Request, Responder, Response } from '@switchyard/protocol';
import type { ClientError } from '../peer/client-error.ts';
import type { Connection, OpenOptions, Reply, RequestOptions, Transport } from '../message/connection.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { encodeMessage } from '../message/encode-message.ts';
import { createExchangeIntake } from '../message/exchange-intake.ts';

/**
 * Creates the transport to a responder in this process: a server or a gateway. Messages cross as JSON text, so that
 * both sides run the code they run over any other transport. The responder is never closed; it belongs to whoever made
 * it.
 */
export function createMemoryTransport(responder: Responder): Transport {
  return {
    name: 'memory',
    open: (options) => Promise.resolve(openMemoryConnection(responder, options)),
  };
}

function openMemoryConnection(responder: Responder, { context, handlers }: OpenOptions): Connection {
  const closing = new AbortController();
  const closed = Promise.withResolvers<ClientError | undefined>();
  return {
    kind: 'duplex',
    request,
    send,
    closed: closed.promise,
    close() {
      closing.abort(context.fail('closed', 'the client was closed.'));
      closed.resolve(undefined);
      return Promise.resolve();
    },
  };

  function request(message: Request, { signal: given, onNotification }: RequestOptions): Promise<Reply> {
    return withAnySignal([given, closing.signal], async (signal) => {
      const intake = createExchangeIntake({ context, handlers, request: message, onNotification });
      let isOver = false;
      const onText = (text: string): void => {
        if (!isOver) intake.receive(text);
      };
      try {
        const text = await untilAborted(signal, ask(message, signal, onText));
        if (text !== undefined) take(text, message.method, intake.receive);
        return { response: intake.response(() => noAnswer(message.method)) };
      } finally {
        isOver = true;
      }
    });
  }

  function take(text: string, method: string, receive: (text: string) => void): void {
    if (text.length > context.maxMessageBytes) {
      throw context.fail('too-large', `its answer to ${method} is over the limit of ${context.maxMessageBytes} bytes.`);
    }
    receive(text);
  }

  function noAnswer(method: string): ClientError {
    return context.fail('invalid-response', `it gave no answer to ${method} that is a response to it.`);
  }

  async function send(
    message: Notification | Response,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    await withAnySignal([options.signal, closing.signal], async (signal) => {
      signal.throwIfAborted();
      await untilAborted(
        signal,
        ask(message, signal, () => undefined),
      );
    });
  }

  async function ask(
    message: Request | Notification | Response,
    signal: AbortSignal,
    onText: (text: string) => void,
  ): Promise<string | undefined> {
    const text = encodeMessage(context, message);
    try {
      return await responder.respond(text, { signal, send: onText });
    } catch (error) {
      throw context.fail('closed', 'it failed instead of answering, which a responder must not do.', { cause: error });
    }
  }
}
