import { createParser } from 'eventsource-parser';
import type { FetchBody, FetchBodyReader } from './fetch.ts';

/** How a stream ended: `done` when the reader had what it wanted, else why it never got it. */
type EventStreamEnd = 'done' | 'ended' | 'too-large';

interface EventStreamOptions {
  /** The longest event, in UTF-16 code units of its data. */
  readonly maxEventLength: number;
  /** Takes the data of each message event and answers whether that was the one it waited for. */
  readonly onData: (data: string) => boolean;
  /** Takes over the reader after `done`, to give the connection back. */
  readonly onDone: (reader: FetchBodyReader) => void;
}

/**
 * Reads a `text/event-stream` body until `onData` has what it wants. Lines end in LF, CR or CRLF; comments, events of
 * other types and events with empty data are skipped; a last event without its blank line counts. Rejects as the body's
 * reader does.
 *
 * Spec: basic/transports/streamable-http#receiving-messages (2026-07-28); WHATWG HTML, server-sent events.
 */
export async function readEventStream(body: FetchBody, options: EventStreamOptions): Promise<EventStreamEnd> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let isDone = false;
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: options.maxEventLength,
    onEvent({ event, data }) {
      if (isDone || isTooLarge || data === '' || (event !== undefined && event !== 'message')) return;
      if (data.length > options.maxEventLength) isTooLarge = true;
      else isDone = options.onData(data);
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') isTooLarge = true;
    },
  });
  for (;;) {
    const { done, value } = await reader.read();
    parser.feed(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }));
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
