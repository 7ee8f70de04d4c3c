import { createLineDecoder, isMessageId, type MessageId } from '@switchyard/protocol';

/** What a line reader needs. Callbacks run synchronously and must not throw. */
interface LineReaderOptions {
  readonly maxLineBytes: number;
  readonly onLine: (text: string) => void;
  /** Told once for each line over the limit, with the id of the message in it where that could be found. */
  readonly onTooLarge: (id: MessageId | undefined) => void;
  /** Told of a line that is not UTF-8. */
  readonly onInvalid: () => void;
}

interface LineReader {
  push(chunk: Uint8Array): void;
  end(): void;
}

const LF = 0x0a;
const EDGE_BYTES = 512;
const ID_MEMBER = String.raw`"id"\s*:\s*(-?\d{1,16}|"(?:[^"\\]|\\.){0,256}")`;
const VERSION_MEMBER = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
/**
 * Members that may stand before the id, and those that may stand after it, when a message has nothing large on that
 * side.
 */
const ID_AT_START = new RegExp(String.raw`^\s*\{\s*(?:${VERSION_MEMBER}\s*,\s*)?${ID_MEMBER}\s*,`);
const ID_AT_END = new RegExp(
  String.raw`,\s*(?:${VERSION_MEMBER}\s*,\s*)?${ID_MEMBER}\s*(?:,\s*${VERSION_MEMBER}\s*)?\}\s*$`,
);

/**
 * Creates a reader of newline-delimited messages that knows whose answer a line over the limit was: such a line is not
 * kept, but its first and last bytes are, and one of them holds the id in what serialisers write.
 *
 * Spec: basic/transports/stdio (2026-07-28).
 */
export function createLineReader(options: LineReaderOptions): LineReader {
  const { maxLineBytes, onTooLarge } = options;
  const decoder = createLineDecoder({
    maxLineBytes,
    onLine: options.onLine,
    onInvalid: () => options.onInvalid(),
    onOverflow: () => {
      isTooLarge = true;
    },
  });
  let head = new Uint8Array(0);
  let tail = new Uint8Array(0);
  let isTooLarge = false;
  let isReported = false;

  return {
    push(chunk) {
      let start = 0;
      while (start < chunk.length) {
        const lineFeed = chunk.indexOf(LF, start);
        const end = lineFeed === -1 ? chunk.length : lineFeed + 1;
        take(chunk.subarray(start, end), lineFeed !== -1);
        start = end;
      }
    },
    end() {
      decoder.end();
      endLine();
    },
  };

  function take(bytes: Uint8Array, isEnd: boolean): void {
    // A whole line within the limit, which is nearly every line, needs no edges.
    if (!isEnd || head.length > 0 || bytes.length > maxLineBytes) keepEdges(bytes);
    decoder.push(bytes);
    if (isTooLarge && !isReported) reportFrom(ID_AT_START, head);
    if (isEnd) endLine();
  }

  function keepEdges(bytes: Uint8Array): void {
    if (head.length < EDGE_BYTES) head = joined(head, bytes.subarray(0, EDGE_BYTES - head.length));
    tail = bytes.length >= EDGE_BYTES ? bytes.slice(-EDGE_BYTES) : joined(tail, bytes).slice(-EDGE_BYTES);
  }

  function endLine(): void {
    if (isTooLarge && !isReported && !reportFrom(ID_AT_END, tail)) onTooLarge(undefined);
    if (head.length > 0) {
      head = new Uint8Array(0);
      tail = new Uint8Array(0);
    }
    isTooLarge = false;
    isReported = false;
  }

  function reportFrom(pattern: RegExp, edge: Uint8Array): boolean {
    const found = pattern.exec(new TextDecoder().decode(edge))?.[1];
    if (found === undefined) return false;
    isReported = true;
    onTooLarge(readId(found));
    return true;
  }
}

function readId(text: string): MessageId | undefined {
  try {
    const id: unknown = JSON.parse(text);
    return isMessageId(id) ? id : undefined;
  } catch {
    // A string with an escape that JSON does not have; then nothing waits for it either.
    return undefined;
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
