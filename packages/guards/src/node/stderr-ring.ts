import { StringDecoder } from 'node:string_decoder';

/**
 * As much of a line is handed on: of a longer one only the beginning, as a second piece could begin within a secret.
 */
const MAX_LINE_CHARS = 16 * 1024;

/** Keeps the last bytes of a stream and cuts it into lines. */
export interface StderrRing {
  /** Takes the next bytes. */
  push(chunk: Buffer): void;
  /** Hands on the last line where it had no line end. Called once, at the end of the stream. */
  end(): void;
  /**
   * The last `lines` lines of what is kept, without the final line end. When bytes were dropped, a first line that is
   * only a part of one is left out unless it is the only one.
   */
  tail(lines: number): string;
}

/**
 * A ring of at most `maxBytes` bytes. `onLine` gets each line without its end (LF or CRLF), once it is whole; of a line
 * over 16 Ki characters it gets the first ones.
 */
export function createStderrRing(maxBytes: number, onLine?: (line: string) => void): StderrRing {
  const decoder = new StringDecoder('utf8');
  let chunks: Buffer[] = [];
  let keptBytes = 0;
  let hasDropped = false;
  /** What came of the line that has no end yet, as far as it is handed on. */
  let line = '';

  function keep(chunk: Buffer): void {
    chunks.push(chunk);
    keptBytes += chunk.length;
    // Compacted at twice the size, so that a flood of tiny chunks costs neither memory nor time in proportion to it.
    if (keptBytes > maxBytes * 2 || chunks.length > 4096) compact();
  }

  function compact(): Buffer {
    const all = Buffer.concat(chunks);
    const kept = Buffer.from(all.subarray(Math.max(0, all.length - maxBytes)));
    hasDropped ||= kept.length < all.length;
    chunks = [kept];
    keptBytes = kept.length;
    return kept;
  }

  function cut(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      grow(text.slice(start, end));
      handOn();
      start = end + 1;
    }
    grow(text.slice(start));
  }

  /** One character more than is handed on tells that there are more. */
  function grow(text: string): void {
    line += text.slice(0, MAX_LINE_CHARS + 1 - line.length);
  }

  function handOn(): void {
    const isLong = line.length > MAX_LINE_CHARS;
    // Not between the halves of a surrogate pair.
    const end = isLong && /[\uD800-\uDBFF]/.test(line.charAt(MAX_LINE_CHARS - 1)) ? MAX_LINE_CHARS - 1 : MAX_LINE_CHARS;
    onLine?.(isLong || !line.endsWith('\r') ? line.slice(0, end) : line.slice(0, -1));
    line = '';
  }

  return {
    push(chunk) {
      keep(chunk);
      if (onLine !== undefined) cut(decoder.write(chunk));
    },
    end() {
      if (onLine === undefined) return;
      cut(decoder.end());
      if (line !== '') handOn();
    },
    tail(lines) {
      const kept = compact();
      let start = 0;
      // The cut may stand inside a character: its continuation bytes are no text.
      if (hasDropped) while (start < 3 && ((kept[start] ?? 0) & 0xc0) === 0x80) start += 1;
      const all = kept
        .toString('utf8', start)
        .replace(/\r?\n$/, '')
        .split(/\r?\n/);
      const whole = hasDropped && all.length > 1 ? all.slice(1) : all;
      return lines >= 1 ? whole.slice(-Math.trunc(lines)).join('\n') : '';
    },
  };
}
