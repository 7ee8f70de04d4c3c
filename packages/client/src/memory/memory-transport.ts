import { type Notification, type Request, type Responder, type Response, stringifyJson } from '@switchyard/protocol';
import type { ClientError } from '../client-error.ts';
import type { Connection, OpenOptions, Reply, RequestOptions, Transport } from '../connection.ts';
import { untilAborted } from '../deadline.ts';
import { isAnswerTo, takeMessage, type TakenMessage } from '../exchange/take-message.ts';

/**
 * Creates the transport to a responder in this process: a server or a gateway. Messages cross as JSON text, so that both sides
 * run the code they run over any other transport. The responder is never closed; it belongs to whoever made it.
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
    kind: 'channel',
    request,
    send,
    closed: closed.promise,
    close() {
      closing.abort(context.fail('closed', 'the client was closed.'));
      closed.resolve(undefined);
      return Promise.resolve();
    },
  };

  async function request(message: Request, options: RequestOptions): Promise<Reply> {
    const signal = AbortSignal.any([options.signal, closing.signal]);
    const exchange = { context, handlers, request: message, onNotification: options.onNotification };
    const text = await untilAborted(
      signal,
      ask(message, signal, (notification) => {
        if (!signal.aborted) takeMessage(notification, exchange);
      }),
    );
    if (text === undefined) throw context.fail('invalid-response', `it gave no answer to ${message.method}.`);
    if (text.length > context.maxMessageBytes) {
      throw context.fail(
        'too-large',
        `its answer to ${message.method} is over the limit of ${context.maxMessageBytes} bytes.`,
      );
    }
    const taken: TakenMessage = takeMessage(text, exchange);
    if (taken.answer !== undefined && isAnswerTo(message, taken.answer)) return { response: taken.answer };
    const problem = taken.problem ?? 'it is not the response to this request';
    throw context.fail('invalid-response', `its answer to ${message.method} breaks the protocol: ${problem}.`);
  }

  async function send(message: Notification | Response): Promise<void> {
    closing.signal.throwIfAborted();
    await ask(message, closing.signal, () => undefined);
  }

  async function ask(
    message: Request | Notification | Response,
    signal: AbortSignal,
    onText: (text: string) => void,
  ): Promise<string | undefined> {
    let text: string;
    try {
      text = stringifyJson(message);
    } catch (error) {
      throw context.fail('invalid-argument', `the params cannot be written as JSON: ${String(error)}`, {
        cause: error,
      });
    }
    try {
      return await responder.respond(text, { signal, send: onText });
    } catch (error) {
      throw context.fail('closed', 'it failed instead of answering, which a responder must not do.', { cause: error });
    }
  }
}
