import { createParser } from 'eventsource-parser';
import { createEventWeight } from './event-weight.ts';
import type { FetchBody, FetchBodyReader } from './fetch.ts';

/** How a stream ended: `done` when the reader had what it wanted, else why it never got it. */
type EventStreamEnd = 'done' | 'ended' | 'too-large';

/** Where a stream can be taken up again. It belongs to the reader, who carries it from one stream to the next. */
export interface StreamPlace {
  /** The id of the last whole event. */
  lastEventId?: string;
  /** How long the server asks to wait before its stream is taken up, in milliseconds. */
  retryMs?: number;
}

interface EventStreamOptions {
  /** The longest event, in UTF-16 code units of its data. One of very many lines is too long before that. */
  readonly maxEventLength: number;
  /** Takes the data of each event of type `message` and answers whether that was the one it waited for. */
  readonly onData: (data: string) => boolean;
  /** Takes the data of events of other types. Default: they are skipped. */
  readonly onOther?: (event: string, data: string) => void;
  /** Takes over the reader after `done`, to give the connection back. */
  readonly onDone: (reader: FetchBodyReader) => void;
  /** Is kept up to date while the stream is read. */
  readonly place?: StreamPlace;
}

/** An id that no header can carry cannot be said back, so the one before counts. */
const HEADER_SAFE = /^[\x20-\x7e\x80-\xff]{1,1024}$/;

/**
 * Reads a `text/event-stream` body until `onData` has what it wants. Lines end in LF, CR or CRLF; comments, events of
 * other types and events with empty data are skipped; a last event without its blank line counts. Rejects as the body's
 * reader does.
 *
 * Spec: basic/transports/streamable-http#receiving-messages (2026-07-28); WHATWG HTML, server-sent events.
 */
export async function readEventStream(body: FetchBody, options: EventStreamOptions): Promise<EventStreamEnd> {
  const { place = {}, onOther } = options;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const toLines = createLineEndings();
  const weight = createEventWeight(options.maxEventLength);
  let isDone = false;
  let isTooLarge = false;
  let isOver = false;
  const parser = createParser({
    maxBufferSize: options.maxEventLength,
    onEvent({ id, event, data }) {
      if (isDone || isTooLarge) return;
      // An event that the end of the stream completed may be half of one.
      if (id !== undefined && !isOver && HEADER_SAFE.test(id)) place.lastEventId = id;
      if (data === '') return;
      if (data.length > options.maxEventLength) isTooLarge = true;
      else if (event === undefined || event === 'message') isDone = options.onData(data);
      else onOther?.(event, data);
    },
    onRetry(retryMs) {
      place.retryMs = retryMs;
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') isTooLarge = true;
    },
  });
  for (;;) {
    const { done, value } = await reader.read();
    isOver = done;
    const text = done ? `${toLines(decoder.decode())}\n\n` : toLines(decoder.decode(value, { stream: true }));
    if (weight.add(text)) isTooLarge = true;
    else parser.feed(text);
    if (isDone) {
      if (!done) options.onDone(reader);
      return 'done';
    }
    if (isTooLarge) {
      await reader.cancel();
      return 'too-large';
    }
    if (done) return 'ended';
  }
}

/**
 * Answers a function that ends all lines in LF. A CR ends a line at once, without waiting for the LF that may follow: a
 * server that ends its lines in CR would otherwise be heard one event late.
 */
function createLineEndings(): (chunk: string) => string {
  let endedInCr = false;
  return (chunk) => {
    if (chunk === '') return chunk;
    const text = endedInCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endedInCr = chunk.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  };
}
