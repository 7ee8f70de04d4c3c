import {
  isMessageId,
  type MessageId,
  type Notification,
  parseMessage,
  type Request,
  type Response,
  stringifyJson,
} from '@switchyard/protocol';
import type { ClientError } from '../client-error.ts';
import type { Connection, PeerHandlers, Reply, RequestOptions } from '../connection.ts';
import { untilAborted } from '../deadline.ts';
import { excerpt } from '../excerpt.ts';
import type { PeerContext } from '../peer-context.ts';
import { parsePeerJson } from '../peer-json.ts';

/** What a channel needs of the stream below it. */
export interface ChannelOptions {
  readonly context: PeerContext;
  readonly handlers: PeerHandlers;
  /** Writes one message without a line break in it, and resolves when it is handed over. Calls may overlap; order is kept. */
  readonly write: (text: string) => Promise<void>;
  /** Ends the stream and whatever stands behind it. Called once at most; it does not reject. */
  readonly close: () => Promise<void>;
  /** As {@link Connection.lastWords}. */
  readonly lastWords?: () => string;
}

/** A connection over one shared stream, and what the stream tells it. */
export interface Channel {
  readonly connection: Connection;
  /** Takes the text of one message, and answers whether it was one. It never throws. */
  receive(text: string): boolean;
  /** Rejects one pending request; answers whether `id` was pending. */
  reject(id: MessageId, error: ClientError): boolean;
  /** The ids that wait for an answer, oldest first. */
  pendingIds(): MessageId[];
  /** Ends the connection because the stream ended: everything pending rejects with `error`, and so does everything later. */
  end(error: ClientError): void;
}

interface Pending {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
  readonly onNotification: (notification: Notification) => void;
}

const maxAbandonedIds = 1024;

/**
 * Creates the connection over a stream that carries messages in both directions: stdio, a socket, anything that delivers
 * whole message texts in order. It matches responses to requests by id (a string never equals a number), progress to the
 * request whose id is the token, and log messages to every pending request, since they name none. What matches nothing is
 * reported as a warning and ignored; nothing that a peer sends ends the connection.
 *
 * Spec: basic/transports/stdio#receiving-messages, basic/transports#custom-transports (2026-07-28).
 */
export function createChannel(options: ChannelOptions): Channel {
  const { context, handlers } = options;
  const pending = new Map<MessageId, Pending>();
  const abandoned = new Set<MessageId>();
  const closed = Promise.withResolvers<ClientError | undefined>();
  let ending: ClientError | undefined;
  let closing: Promise<void> | undefined;

  const { lastWords } = options;
  const connection: Connection = {
    kind: 'channel',
    request,
    send,
    closed: closed.promise,
    close,
    ...(lastWords === undefined ? {} : { lastWords }),
  };
  return { connection, receive, reject, pendingIds: () => [...pending.keys()], end };

  async function request(message: Request, { signal, onNotification }: RequestOptions): Promise<Reply> {
    signal.throwIfAborted();
    if (ending !== undefined) throw ending;
    const text = encode(message);
    const { promise, resolve, reject: rejectReply } = Promise.withResolvers<Reply>();
    const onAbort = (): void => {
      abandon(message.id);
      rejectReply(signal.reason);
    };
    pending.set(message.id, { resolve, reject: rejectReply, onNotification });
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      options.write(text).catch((error: unknown) => rejectReply(writeError(error, message.method)));
      return await promise;
    } finally {
      pending.delete(message.id);
      signal.removeEventListener('abort', onAbort);
    }
  }

  async function send(
    message: Notification | Response,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    if (ending !== undefined) throw ending;
    const text = encode(message);
    try {
      // A peer that does not read lets a write wait for ever.
      await (signal === undefined ? options.write(text) : untilAborted(signal, options.write(text)));
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw writeError(error, 'method' in message ? message.method : 'a response');
    }
  }

  function encode(message: Request | Notification | Response): string {
    try {
      return stringifyJson(message);
    } catch (error) {
      throw context.fail('invalid-argument', `the params cannot be written as JSON: ${String(error)}`, {
        cause: error,
      });
    }
  }

  function writeError(error: unknown, what: string): ClientError {
    if (ending !== undefined) return ending;
    return context.fail('closed', `it no longer takes messages, so ${what} could not be sent.`, { cause: error });
  }

  function receive(text: string): boolean {
    let value: unknown;
    try {
      value = parsePeerJson(context, text);
    } catch {
      // Not JSON: a banner or a log line. It is reported as it came.
      context.warn('junk-output', `wrote something that is no message: ${excerpt(text)}`);
      return false;
    }
    if (!Array.isArray(value) || value.length === 0 || !handlers.acceptsBatches()) return take(value, text);
    return value.map((message) => take(message, text)).includes(true);
  }

  function take(value: unknown, text: string): boolean {
    const parsed = parseMessage(value);
    if (parsed.kind === 'response') takeResponse(parsed.message);
    else if (parsed.kind === 'notification') takeNotification(parsed.message);
    else if (parsed.kind === 'request') handlers.onRequest(parsed.message);
    else return takeInvalid(value, parsed.id, parsed.problem, text);
    return true;
  }

  function takeResponse(response: Response): void {
    const { id } = response;
    if (!isMessageId(id)) {
      const said = 'error' in response ? `${response.error.code} ${excerpt(response.error.message)}` : '';
      context.warn('peer-error', `reports an error that belongs to no request: ${said}`);
      return;
    }
    const waiting = pending.get(id);
    if (waiting !== undefined) {
      pending.delete(id);
      waiting.resolve({ response });
    } else if (!abandoned.delete(id)) {
      const shown = excerpt(JSON.stringify(id), 80);
      context.warn(
        'unmatched-response',
        `answers id ${shown}, which waits for no answer (never asked, or answered before).`,
      );
    }
  }

  function takeNotification(notification: Notification): void {
    if (notification.method === 'notifications/progress') {
      // Progress for a request that is gone is an ordinary race.
      const token = notification.params?.['progressToken'];
      if (isMessageId(token)) pending.get(token)?.onNotification(notification);
    } else if (notification.method === 'notifications/message' && pending.size > 0) {
      for (const { onNotification } of pending.values()) onNotification(notification);
    } else {
      handlers.onNotification(notification);
    }
  }

  function takeInvalid(value: unknown, id: MessageId | undefined, problem: string, text: string): boolean {
    if (typeof value !== 'object' || value === null || !('jsonrpc' in value || 'id' in value)) {
      context.warn('junk-output', `wrote something that is no message: ${excerpt(text)}`);
      return false;
    }
    if (!('method' in value) && id !== undefined && pending.has(id)) {
      reject(id, context.fail('invalid-response', `its answer breaks the protocol: ${problem}.`));
    } else {
      context.warn('invalid-message', `sent a message that breaks the protocol: ${problem}: ${excerpt(text)}`);
    }
    return true;
  }

  function reject(id: MessageId, error: ClientError): boolean {
    const waiting = pending.get(id);
    if (waiting === undefined) return false;
    pending.delete(id);
    waiting.reject(error);
    return true;
  }

  function abandon(id: MessageId): void {
    abandoned.add(id);
    const [oldest] = abandoned;
    if (abandoned.size > maxAbandonedIds && oldest !== undefined) abandoned.delete(oldest);
  }

  function end(error: ClientError): void {
    if (ending !== undefined) return;
    ending = error;
    // First, so that whoever learns of it through a rejected request and asks again finds the connection ended.
    closed.resolve(error);
    for (const id of pending.keys()) reject(id, error);
  }

  function close(): Promise<void> {
    closing ??= (async () => {
      if (ending === undefined) {
        closed.resolve(undefined);
        end(context.fail('closed', 'the client was closed.'));
      }
      await options.close();
    })();
    return closing;
  }
}
