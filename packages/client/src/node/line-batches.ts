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

/**
 * Creates the writer of lines to a stream: those of one turn go out in one write, since each write is a call of the
 * system. `onFailure` is told once for each write that fails, and rejects with what its lines are told.
 */
export function createLineBatches(stream: Writable, onFailure: (error: Error) => Promise<never>): LineBatches {
  let batch = '';
  let written = Promise.withResolvers<Written>();
  let taken = settled();

  return {
    unread: () => stream.writableLength + batch.length,
    write(line) {
      // After all that this turn's promises still write.
      if (batch === '') process.nextTick(flush);
      batch += line;
      return taken;
    },
  };

  async function settled(): Promise<void> {
    const error = await written.promise;
    if (error !== null && error !== undefined) await onFailure(error);
  }

  function flush(): void {
    const text = batch;
    const { resolve } = written;
    batch = '';
    written = Promise.withResolvers<Written>();
    taken = settled();
    stream.write(text, resolve);
  }
}
