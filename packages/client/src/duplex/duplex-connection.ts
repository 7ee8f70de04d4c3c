import type { MessageId, Notification, Request, Response } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import type { Connection, PeerHandlers, Reply, RequestOptions } from '../message/connection.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { encodeMessage, nameOfMessage } from '../message/encode-message.ts';
import { createMessageIntake } from '../message/message-intake.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** What a duplex connection needs of the stream below it. */
export interface DuplexConnectionOptions {
  readonly context: PeerContext;
  readonly handlers: PeerHandlers;
  /**
   * Writes one message without a line break in it, and resolves when it is handed over. Calls may overlap; order is
   * kept. It rejects where the stream takes no more, with a {@link ClientError} where it has more to say than that.
   */
  readonly write: (text: string) => Promise<void>;
  /** Ends the stream and whatever stands behind it. Called once at most. */
  readonly close: () => Promise<void>;
  /** As {@link Connection.lastWords}. */
  readonly lastWords?: () => string;
}

/** A connection over one shared stream, and what the stream tells it. */
export interface DuplexConnection {
  readonly connection: Connection;
  /** Takes the text of one message, and answers whether it was one. After the end it takes nothing. It never throws. */
  receive(text: string): boolean;
  /** Rejects one pending request; answers whether `id` was pending. */
  reject(id: MessageId, error: ClientError): boolean;
  /** The ids that wait for an answer, oldest first. */
  pendingIds(): MessageId[];
  /**
   * Ends the connection because the stream ended: everything pending rejects with `error`, and so does everything
   * later.
   */
  end(error: ClientError): void;
}

/**
 * Creates the connection over a stream that carries messages in both directions: stdio, a socket, anything that
 * delivers whole message texts in order. Nothing that a peer sends ends it; only `end` and `close` do.
 *
 * Spec: basic/transports/stdio#receiving-messages, basic/transports#custom-transports (2026-07-28).
 */
export function createDuplexConnection(options: DuplexConnectionOptions): DuplexConnection {
  const { context, handlers, lastWords } = options;
  const intake = createMessageIntake({ context, handlers, servesOneRequest: false });
  const closed = Promise.withResolvers<ClientError | undefined>();
  let ending: ClientError | undefined;
  let closing: Promise<void> | undefined;

  const connection: Connection = {
    kind: 'duplex',
    request,
    send,
    closed: closed.promise,
    close,
    ...(lastWords === undefined ? {} : { lastWords }),
  };
  return {
    connection,
    receive: (text) => ending === undefined && intake.receive(text),
    reject: intake.reject,
    pendingIds: intake.awaitedIds,
    end,
  };

  function request(message: Request, { signal, onNotification }: RequestOptions): Promise<Reply> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (ending !== undefined) throw ending;
      const text = encodeMessage(context, message);
      const { id, method } = message;
      const onAbort = (): void => {
        intake.abandon(id);
        reject(signal.reason as Error);
      };
      intake.expect(id, {
        onNotification,
        settle: (outcome) => {
          signal.removeEventListener('abort', onAbort);
          if (outcome instanceof ClientError) reject(outcome);
          else resolve({ response: outcome });
        },
      });
      signal.addEventListener('abort', onAbort, { once: true });
      write(text).catch((error: unknown) => intake.reject(id, unwritten(error, method)));
    });
  }

  async function send(
    message: Notification | Response,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    if (ending !== undefined) throw ending;
    const writing = write(encodeMessage(context, message)).catch((error: unknown) => {
      throw unwritten(error, nameOfMessage(message));
    });
    // A peer that does not read lets a write wait for ever.
    await untilAborted(signal, writing);
  }

  /** A stream of the caller may throw before it answers a promise. */
  function write(text: string): Promise<void> {
    try {
      return Promise.resolve(options.write(text));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function unwritten(cause: unknown, what: string): ClientError {
    if (ending !== undefined) return ending;
    if (cause instanceof ClientError) return cause;
    return context.fail('closed', `it does not take messages any more, so ${what} could not be sent.`, { cause });
  }

  function end(error: ClientError): void {
    if (ending !== undefined) return;
    ending = error;
    // First, so that whoever learns of it through a rejected request and asks again finds the connection ended.
    closed.resolve(error);
    for (const id of intake.awaitedIds()) intake.reject(id, error);
  }

  function close(): Promise<void> {
    closing ??= (async () => {
      closed.resolve(undefined);
      end(context.fail('closed', 'the client was closed.'));
      await options.close();
    })();
    return closing;
  }
}
