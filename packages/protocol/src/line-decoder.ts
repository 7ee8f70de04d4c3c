const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const FIRST_CAPACITY_BYTES = 4096;
/**
 * A larger buffer is given back after its line, so that one long line does not hold memory for the connection's life.
 */
const KEPT_CAPACITY_BYTES = 65_536;
/** How much of the start and of the end of a line that is too long is kept. */
const EDGE_BYTES = 512;

/** What a line decoder needs. Callbacks run synchronously, in the order of the lines, and must not throw. */
export interface LineDecoderOptions {
  /** The longest line in bytes, without its line ending. */
  readonly maxLineBytes: number;
  /** Gets each line's text, without its line ending, never blank. */
  readonly onLine: (text: string) => void;
  /**
   * Told once for each line that is too long, as soon as that is certain, with its first bytes: 512, or `maxLineBytes`
   * where that is less. They are valid only during the call.
   */
  readonly onOverflow: (head: Uint8Array) => void;
  /** Told when a line that is too long ends, with its last bytes, 512 at most, valid only during the call. */
  readonly onOverflowEnd?: (tail: Uint8Array) => void;
  /** Gets the bytes of a line that is not UTF-8. They are valid only during the call. */
  readonly onInvalid: (bytes: Uint8Array) => void;
}

/** Cuts a byte stream into lines; see `createLineDecoder`. */
export interface LineDecoder {
  /**
   * Takes the next bytes, of any number, and reports the lines that end in them. The chunk may be reused afterwards.
   */
  push(chunk: Uint8Array): void;
  /** Reports an unterminated last line. The decoder is then as new. */
  end(): void;
}

/**
 * Creates a decoder for newline-delimited messages, as stdio and other byte-stream transports frame them.
 *
 * Lines are cut at LF before they are decoded, so the same bytes give the same lines however they are split, a
 * character that straddles two chunks included. One CR before the LF belongs to the line ending, a byte order mark at
 * the start of a line is dropped, and lines of nothing but spaces and tabs are skipped. A line over the limit is
 * dropped up to its LF while at most `2 * maxLineBytes` are held, and 512 bytes once it is dropped; the next line
 * works. Each byte is copied a constant number of times.
 *
 * Throws `RangeError` where `maxLineBytes` is no positive safe integer.
 *
 * Spec: basic/transports/stdio (2026-07-28)
 */
export function createLineDecoder(options: LineDecoderOptions): LineDecoder {
  const { maxLineBytes, onLine, onOverflow, onOverflowEnd, onInvalid } = options;
  if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1) {
    throw new RangeError(`maxLineBytes must be a positive integer, not ${maxLineBytes}.`);
  }
  const headBytes = Math.min(EDGE_BYTES, maxLineBytes);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let held = new Uint8Array(0);
  let heldLength = 0;
  let isDropping = false;

  return { push, end };

  function push(chunk: Uint8Array): void {
    let start = 0;
    while (start < chunk.length) {
      const lineFeed = chunk.indexOf(LF, start);
      if (lineFeed === -1) {
        hold(chunk.subarray(start));
        return;
      }
      endLine(chunk.subarray(start, lineFeed));
      start = lineFeed + 1;
    }
  }

  function end(): void {
    endLine(new Uint8Array(0));
  }

  function endLine(tail: Uint8Array): void {
    if (heldLength === 0 && !isDropping) {
      report(tail);
      return;
    }
    hold(tail);
    const line = held.subarray(0, heldLength);
    const isComplete = !isDropping;
    isDropping = false;
    heldLength = 0;
    if (held.length > KEPT_CAPACITY_BYTES) held = new Uint8Array(0);
    if (isComplete) report(line);
    else onOverflowEnd?.(line);
  }

  function hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (isDropping) {
      keepEnd(bytes);
      return;
    }
    const length = heldLength + bytes.length;
    // One byte more than the limit is no overflow yet where it is the CR of a line ending.
    if (length > maxLineBytes + 1 || (length > maxLineBytes && bytes[bytes.length - 1] !== CR)) {
      isDropping = true;
      const start = held.subarray(0, heldLength);
      const head = joined(start.subarray(0, headBytes), bytes.subarray(0, Math.max(0, headBytes - start.length)));
      held = new Uint8Array(0);
      heldLength = 0;
      keepEnd(start);
      keepEnd(bytes);
      onOverflow(head);
      return;
    }
    if (length > held.length) {
      const grown = new Uint8Array(Math.min(Math.max(length, held.length * 2, FIRST_CAPACITY_BYTES), maxLineBytes + 1));
      grown.set(held.subarray(0, heldLength));
      held = grown;
    }
    held.set(bytes, heldLength);
    heldLength = length;
  }

  /** Of a line that is dropped, what is held is its end. */
  function keepEnd(bytes: Uint8Array): void {
    const last = bytes.subarray(-EDGE_BYTES);
    held = joined(held.subarray(Math.max(0, heldLength + last.length - EDGE_BYTES), heldLength), last);
    heldLength = held.length;
  }

  function report(bytes: Uint8Array): void {
    const line = bytes[bytes.length - 1] === CR ? bytes.subarray(0, -1) : bytes;
    if (line.length > maxLineBytes) {
      onOverflow(line.subarray(0, headBytes));
      onOverflowEnd?.(bytes.subarray(-EDGE_BYTES));
      return;
    }
    if (isBlank(line)) return;
    let text: string;
    try {
      text = decoder.decode(line);
    } catch {
      // A fatal decoder throws on invalid UTF-8 and on nothing else.
      onInvalid(line);
      return;
    }
    if (text !== '') onLine(text);
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === SPACE || byte === TAB);
}
