import { type Notification, type Request, type Responder, type Response, stringifyJson } from '@switchyard/protocol';
import type { ClientError } from '../client-error.ts';
import type { Connection, OpenOptions, Reply, RequestOptions, Transport } from '../connection.ts';
import { untilAborted, withAnySignal } from '../deadline.ts';
import { type ExchangeOptions, takeMessage } from '../exchange/take-message.ts';

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

  function request(message: Request, options: RequestOptions): Promise<Reply> {
    return withAnySignal([options.signal, closing.signal], async (signal) => {
      const exchange = { context, handlers, request: message, onNotification: options.onNotification };
      let isOver = false;
      const onText = (text: string): void => {
        if (!isOver) takeMessage(text, exchange);
      };
      try {
        const text = await untilAborted(signal, ask(message, signal, onText));
        return readAnswer(text, exchange);
      } finally {
        isOver = true;
      }
    });
  }

  function readAnswer(text: string | undefined, exchange: ExchangeOptions): Reply {
    const { method } = exchange.request;
    if (text === undefined) throw context.fail('invalid-response', `it gave no answer to ${method}.`);
    if (text.length > context.maxMessageBytes) {
      throw context.fail('too-large', `its answer to ${method} is over the limit of ${context.maxMessageBytes} bytes.`);
    }
    const { answer, problem = 'it is not the response to this request' } = takeMessage(text, exchange);
    if (answer !== undefined) return { response: answer };
    throw context.fail('invalid-response', `its answer to ${method} breaks the protocol: ${problem}.`);
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
