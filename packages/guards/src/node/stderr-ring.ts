import { StringDecoder } from 'node:string_decoder';

/** A line longer than this is handed on in pieces. */
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

/** A ring of at most `maxBytes` bytes. `onLine` gets each line without its end (LF or CRLF), once it is whole. */
export function createStderrRing(maxBytes: number, onLine?: (line: string) => void): StderrRing {
  const decoder = new StringDecoder('utf8');
  let chunks: Buffer[] = [];
  let keptBytes = 0;
  let hasDropped = false;
  let rest = '';

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

  function emit(line: string): void {
    let start = 0;
    while (line.length - start > MAX_LINE_CHARS) {
      const end = start + MAX_LINE_CHARS;
      // Not between the halves of a surrogate pair.
      const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(line.slice(end - 1, end + 1));
      onLine?.(line.slice(start, isPair ? end - 1 : end));
      start = isPair ? end - 1 : end;
    }
    onLine?.(line.slice(start));
  }

  function cut(text: string): void {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) emit(line.endsWith('\r') ? line.slice(0, -1) : line);
    if (rest.length > MAX_LINE_CHARS) {
      // What may be a half is kept for the text that follows.
      const kept = /[\r\uD800-\uDBFF]$/.test(rest) ? 1 : 0;
      emit(rest.slice(0, rest.length - kept));
      rest = rest.slice(rest.length - kept);
    }
  }

  return {
    push(chunk) {
      keep(chunk);
      if (onLine !== undefined) cut(decoder.write(chunk));
    },
    end() {
      if (onLine === undefined) return;
      cut(decoder.end());
      if (rest !== '') onLine(rest);
      rest = '';
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
