import { createLineDecoder, type LineDecoder } from '@switchyard/protocol';
import { type MessageEdges, readEnd, readStart } from '../message/message-edges.ts';

/** As many as are kept of a line over the limit. */
const EDGE_BYTES = 512;

/** What a line reader needs. Callbacks run synchronously and must not throw. */
interface LineReaderOptions {
  readonly maxLineBytes: number;
  readonly onLine: (text: string) => void;
  /** Told once for each line over the limit, as soon as its edges tell what it is. */
  readonly onTooLarge: (line: MessageEdges) => void;
  /** Told of a line that is not UTF-8, and of its text with a mark for each byte that is none. */
  readonly onInvalid: (line: MessageEdges, text: string) => void;
}

/**
 * Creates a reader of newline-delimited messages that knows whose answer a line over the limit was: such a line is not
 * kept, but its first and last bytes are, and in what serialisers write they hold the id and say whether it is an
 * answer. The same is told of a line that is not UTF-8.
 *
 * Spec: basic/transports/stdio (2026-07-28).
 */
export function createLineReader(options: LineReaderOptions): LineDecoder {
  const { maxLineBytes, onLine, onTooLarge, onInvalid } = options;
  let isReported = false;
  return createLineDecoder({
    maxLineBytes,
    onLine,
    onInvalid(bytes) {
      const head = textOf(bytes.subarray(0, EDGE_BYTES));
      onInvalid(readStart(head) ?? readEnd(textOf(bytes.subarray(-EDGE_BYTES))), head);
    },
    onOverflow(head) {
      const line = readStart(textOf(head));
      isReported = line !== undefined;
      if (line !== undefined) onTooLarge(line);
    },
    onOverflowEnd(tail) {
      if (!isReported) onTooLarge(readEnd(textOf(tail)));
    },
  });
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
