import { isAtLeast } from '@switchyard/protocol';

import type { HttpExchange, HttpHeaders } from '../../exchange/http-exchange.ts';
import { jsonHeaders } from '../../http/json-headers.ts';
import { openSse, type SseConnection, type SseOptions, takesStreams } from '../../http/sse-connection.ts';
import { MAX_UNANSWERED_BYTES } from '../../limits/unread-limit.ts';
import type { Outlet } from '../outlet.ts';
import type { EventStream } from './event-stream.ts';
import type { HttpSession } from './http-session.ts';

/** When responses become streams, and streams are closed for a while. */
export interface StreamTiming {
  readonly keepAliveMs: number;
  /** A response that is not there after this time becomes a stream, which is kept alive and can be resumed. */
  readonly streamAfterMs: number;
  /** A connection of a stream that lasted this long is closed; clients of 2025-11-25 come back for the rest. */
  readonly pollAfterMs: number;
}

/** The response to a POST with requests: one JSON text, or a stream once something precedes it. */
export interface ReplyOutlet extends Outlet {
  /** Sends one response ahead of the end; only where there is a stream, which the answer tells. */
  sendEarly(text: string): boolean;
  /** Ends the response with a last message. */
  finish(status: number, headers: HttpHeaders, text: string): void;
  /**
   * Ends the response where nothing is to be said any more: a stream without a message. Where there is none, what the
   * client awaits is one JSON text all the same, which is then `text`.
   */
  finishUnanswered(text: string): void;
}

/**
 * Makes the outlet of one POST. A client that goes away before there is a stream cannot come back for anything; one
 * that goes away later gets the rest when it resumes, and its requests run on either way.
 *
 * Spec: 2025-11-25/basic/transports#sending-messages-to-the-server.
 */
export function createReplyOutlet(
  exchange: HttpExchange,
  session: HttpSession,
  timing: StreamTiming,
  headers: HttpHeaders,
): ReplyOutlet {
  const mayStream = takesStreams(exchange.head.header('accept'));
  let stream: EventStream | undefined;
  let isGone = false;
  let isDone = false;
  const slow = mayStream ? setTimeout(() => void streamNow(), timing.streamAfterMs) : undefined;
  exchange.onAbandoned(() => {
    isGone = true;
    clearTimeout(slow);
  });

  function streamNow(): EventStream | undefined {
    if (stream !== undefined || !mayStream || isGone || isDone) return stream;
    clearTimeout(slow);
    stream = session.openStream();
    stream.connect(openPolled(exchange, session, timing, headers));
    return stream;
  }

  function end(status: number, more: HttpHeaders, json: string, last: string | undefined): void {
    isDone = true;
    clearTimeout(slow);
    if (stream !== undefined) stream.end(last);
    else if (!isGone) exchange.reply(status, { ...more, ...jsonHeaders, ...headers }, json);
  }

  return {
    notify(text) {
      const open = streamNow();
      if (open === undefined || open.isBehind) return false;
      open.push(text);
      return true;
    },
    ask(text) {
      const open = streamNow();
      if (open === undefined) return session.standalone.ask(text);
      // Who answers without reading may be asked again and again.
      if (open.unreadBytes > MAX_UNANSWERED_BYTES) return false;
      open.push(text);
      return true;
    },
    sendEarly(text) {
      stream?.push(text);
      return stream !== undefined;
    },
    finish(status, more, text) {
      end(status, more, text, text);
    },
    finishUnanswered(text) {
      end(200, {}, text, undefined);
    },
  };
}

/**
 * Opens a connection for a stream, and closes it when it has lasted long enough and its client knows how to come back,
 * or when `watch` ends it.
 */
export function openPolled(
  exchange: HttpExchange,
  session: HttpSession,
  { keepAliveMs, pollAfterMs }: StreamTiming,
  headers: HttpHeaders,
  watch?: SseOptions['watch'],
): SseConnection {
  const lastsMs = isAtLeast(session.conversation.facts.revision, '2025-11-25') ? pollAfterMs : Infinity;
  return openSse(exchange, { headers, keepAliveMs, lastsMs, ...(watch === undefined ? {} : { watch }) });
}
