import type { HttpExchange, HttpHeaders } from '../exchange/http-exchange.ts';
import { messageEvent, openSse, type SseConnection, takesStreams } from './sse-connection.ts';

/** A response that becomes a stream with the first notification, and stays a plain JSON response without one. */
export interface ReplyStream {
  /**
   * Whether the response has become a stream. A method, since an accessor would give each request's object a shape of
   * its own.
   */
  isOpen(): boolean;
  /**
   * Sends a notification, opening the stream if need be, and answers whether it went out: not when the caller does not
   * take streams, or is behind with reading what was sent before.
   */
  notify(text: string): boolean;
  /** Sends the response as the last event and ends the stream. */
  finish(text: string): void;
  /** Ends without a response, after the caller went away. */
  abandon(): void;
}

/** Spec: basic/transports/streamable-http#receiving-messages (2026-07-28). */
export function createReplyStream(
  exchange: HttpExchange,
  options: { readonly cors: HttpHeaders | undefined; readonly keepAliveMs: number },
): ReplyStream {
  let stream: SseConnection | undefined;
  return {
    isOpen: () => stream !== undefined,
    notify(text) {
      if (stream === undefined) {
        if (!takesStreams(exchange.head.header('accept'))) return false;
        stream = openSse(exchange, { headers: options.cors, keepAliveMs: options.keepAliveMs });
      }
      if (stream.isBehind()) return false;
      stream.write(messageEvent(text));
      return true;
    },
    finish(text) {
      stream?.write(messageEvent(text));
      stream?.end();
    },
    abandon: () => stream?.end(),
  };
}
