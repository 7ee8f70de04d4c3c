import process from 'node:process';
import type { Writable } from 'node:stream';

/** How a write went: what the stream reported, where it failed. */
type Written = Error | null | undefined;

/** Writes lines to a stream. */
export interface LineBatches {
  /** Writes one line; resolves when the stream has taken it, and rejects as `onFailure` does. */
  write(line: string): Promise<void>;
  /** How much waits for the reader: bytes, and characters of this very turn. */
  unread(): number;
}

/** Enough to spare most calls of the system, and few enough that the reader is at work before the turn ends. */
const MAX_LINES = 12;

/**
 * Creates the writer of lines to a stream: those of one turn go out together, twelve at most, since each write is a call
 * of the system. `onFailure` is told once for each write that fails, and rejects with what its lines are told.
 */
export function createLineBatches(stream: Writable, onFailure: (error: Error) => Promise<never>): LineBatches {
  let batch = '';
  let lines = 0;
  let written = Promise.withResolvers<Written>();
  let taken = settled();

  return {
    unread: () => stream.writableLength + batch.length,
    write(line) {
      // After all that this turn's promises still write.
      if (lines === 0) process.nextTick(flush);
      batch += line;
      lines += 1;
      const answer = taken;
      if (lines === MAX_LINES) flush();
      return answer;
    },
  };

  async function settled(): Promise<void> {
    const error = await written.promise;
    if (error !== null && error !== undefined) await onFailure(error);
  }

  function flush(): void {
    if (lines === 0) return;
    const text = batch;
    const { resolve } = written;
    batch = '';
    lines = 0;
    written = Promise.withResolvers<Written>();
    taken = settled();
    stream.write(text, resolve);
  }
}
