import { MAX_UNREAD_BYTES } from '../unread-limit.ts';
import type { HttpExchange, HttpHeaders, HttpStream } from './http-exchange.ts';

/** A response that becomes a stream with the first notification, and stays a plain JSON response without one. */
export interface ReplyStream {
  /** Whether the response has become a stream. A method, since an accessor would give each request's object a shape of its own. */
  isOpen(): boolean;
  /**
   * Sends a notification, opening the stream if need be, and answers whether it went out: not when the caller does not take streams,
   * or has not read {@link MAX_UNREAD_BYTES} of what was sent before.
   */
  notify(text: string): boolean;
  /** Sends the response as the last event and ends the stream. */
  finish(text: string): void;
  /** Ends without a response, after the caller went away. */
  abandon(): void;
}

/** The headers of a response that is one JSON text. */
export const jsonHeaders: HttpHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** The headers of a streamed response. */
export const streamHeaders: HttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Spec: basic/transports/streamable-http#receiving-messages (2026-07-28). */
export function createReplyStream(
  exchange: HttpExchange,
  options: { readonly cors: HttpHeaders | undefined; readonly keepAliveMs: number },
): ReplyStream {
  let stream: HttpStream | undefined;
  let keepAlive: ReturnType<typeof setInterval> | undefined;

  function end(): void {
    clearInterval(keepAlive);
    stream?.end();
  }

  return {
    isOpen: () => stream !== undefined,
    notify(text) {
      if (stream === undefined) {
        if (!takesStreams(exchange.head.header('accept'))) return false;
        const opened = exchange.openStream({ ...streamHeaders, ...options.cors });
        stream = opened;
        keepAlive = setInterval(() => {
          if (opened.unreadBytes() <= MAX_UNREAD_BYTES) opened.write(': keep-alive\n\n');
        }, options.keepAliveMs);
        exchange.onAbandoned(() => clearInterval(keepAlive));
      }
      if (stream.unreadBytes() > MAX_UNREAD_BYTES) return false;
      stream.write(event(text));
      return true;
    },
    finish(text) {
      stream?.write(event(text));
      end();
    },
    abandon: end,
  };
}

function event(text: string): string {
  return `event: message\ndata: ${text}\n\n`;
}

/** Answers whether a caller with this `Accept` header takes a stream of events. */
export function takesStreams(accept: string | undefined): boolean {
  return accept === undefined || /text\/event-stream|text\/\*|\*\/\*/i.test(accept);
}
