import { MAX_UNREAD_BYTES } from '../limits/unread-limit.ts';
import { callAfter } from '../timing/call-after.ts';
import type { HttpExchange, HttpHeaders, HttpStream } from '../exchange/http-exchange.ts';

/** One open response that carries events. */
export interface SseConnection {
  /** Whether what is written may still arrive. */
  isOpen(): boolean;
  /** Whether the client has not read so much ({@link MAX_UNREAD_BYTES}) that what may be left out is. */
  isBehind(): boolean;
  /** How many bytes that were written wait in memory for the client to read. */
  unreadBytes(): number;
  write(event: string): void;
  /** Ends the response. The client was not told of an end of what it carries. */
  end(): void;
}

/** How a stream of events is opened. */
export interface SseOptions {
  readonly headers: HttpHeaders | undefined;
  readonly keepAliveMs: number;
  /** When it ends by itself, in milliseconds from now on. Default: never. */
  readonly lastsMs?: number;
  /** Begins to watch what ends it for another reason, and answers the function that ends the watch. */
  readonly watch?: (end: () => void) => () => void;
  /** Called once when it is over, whoever ended it; at once when the client has gone already. */
  readonly onClosed?: () => void;
}

const streamHeaders: HttpHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** Opens a stream of events, kept alive with comments. */
export function openSse(exchange: HttpExchange, options: SseOptions): SseConnection {
  const { lastsMs = Infinity, onClosed } = options;
  const stream: HttpStream = exchange.openStream({ ...streamHeaders, ...options.headers });
  let isOpen = true;
  const isBehind = (): boolean => stream.unreadBytes() > MAX_UNREAD_BYTES;
  const lapse = callAfter(lastsMs, end);
  const stopWatch = options.watch?.(end);
  const keepAlive = setInterval(() => {
    if (!isBehind()) stream.write(': keep-alive\n\n');
  }, options.keepAliveMs);

  function end(): void {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(keepAlive);
    clearTimeout(lapse);
    stopWatch?.();
    stream.end();
    onClosed?.();
  }

  exchange.onAbandoned(end);
  return {
    isOpen: () => isOpen,
    isBehind,
    unreadBytes: () => stream.unreadBytes(),
    write(event) {
      if (isOpen) stream.write(event);
    },
    end,
  };
}

/** Answers the event that carries one message, which is JSON on one line. */
export function messageEvent(text: string, id?: string): string {
  return id === undefined ? `event: message\ndata: ${text}\n\n` : `event: message\nid: ${id}\ndata: ${text}\n\n`;
}

/** Answers whether a caller with this `Accept` header takes a stream of events. */
export function takesStreams(accept: string | undefined): boolean {
  return accept === undefined || /text\/event-stream|text\/\*|\*\/\*/i.test(accept);
}
