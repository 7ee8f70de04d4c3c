import type { HttpExchange, HttpHeaders, HttpStream } from '../../http/http-exchange.ts';
import { streamHeaders } from '../../http/reply-stream.ts';
import { toMilliseconds } from '../../milliseconds.ts';
import { MAX_UNREAD_BYTES } from '../../unread-limit.ts';

/** One open response that carries events to an old client. */
export interface SseConnection {
  /** Whether what is written may still arrive. */
  isOpen(): boolean;
  /** Whether the client has not read so much that what may be left out is. */
  isBehind(): boolean;
  /** How many bytes that were written wait in memory for the client to read. */
  unreadBytes(): number;
  write(event: string): void;
  /** Ends the response. The client was not told of an end of what it carries. */
  end(): void;
}

/** How a stream of events is opened. */
export interface SseOptions {
  readonly headers: HttpHeaders;
  readonly keepAliveMs: number;
  /** When it ends by itself, in milliseconds from now on. Default: never. */
  readonly lastsMs?: number;
  /** Called once when it is over, whoever ended it; at once when the client has gone already. */
  readonly onClosed?: () => void;
}

/** Opens a stream of events, kept alive with comments. */
export function openSse(exchange: HttpExchange, options: SseOptions): SseConnection {
  const { lastsMs = Infinity, onClosed } = options;
  const stream: HttpStream = exchange.openStream({ ...streamHeaders, ...options.headers });
  let isOpen = true;
  const isBehind = (): boolean => stream.unreadBytes() > MAX_UNREAD_BYTES;
  const lapse =
    lastsMs === Infinity ? undefined : setTimeout(end, toMilliseconds('the time of a stream', Math.max(0, lastsMs), 0));
  const keepAlive = setInterval(() => {
    if (!isBehind()) stream.write(': keep-alive\n\n');
  }, options.keepAliveMs);

  function close(): boolean {
    const wasOpen = isOpen;
    isOpen = false;
    clearInterval(keepAlive);
    clearTimeout(lapse);
    return wasOpen;
  }

  function end(): void {
    if (!close()) return;
    stream.end();
    onClosed?.();
  }

  exchange.onAbandoned(() => {
    if (close()) onClosed?.();
  });
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
