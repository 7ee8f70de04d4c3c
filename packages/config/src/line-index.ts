import type { Position } from './problem.ts';

/** Answers the position of an offset in `text`. Lines end with LF, CRLF or CR. */
export function createLineIndex(text: string): (offset: number) => Position {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return (offset) => {
    const bounded = Math.min(Math.max(offset, 0), text.length);
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= bounded) low = middle;
      else high = middle;
    }
    return { line: low + 1, column: bounded - (starts[low] ?? 0) + 1 };
  };
}
