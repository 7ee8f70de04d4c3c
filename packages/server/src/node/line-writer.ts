import process from 'node:process';
import type { Writable } from 'node:stream';

/** Writes whole lines. */
export interface LineWriter {
  write(text: string): void;
  /**
   * How many bytes that were written wait in memory for the reader; of lines of this very turn it counts characters.
   */
  unreadBytes(): number;
  /** Calls back once the reader has taken everything. Ask only while bytes wait. */
  onceRead(callback: () => void): void;
  /** Settles when everything that was written has been handed to the system, or the reader is gone. */
  close(): Promise<void>;
}

/**
 * Writes one line a message; the lines of one turn go out in one write, since each write is a call of the system. When
 * the reader goes away, `onGone` is called once and everything after is dropped: a write to a dead pipe is never tried
 * again.
 */
export function createLineWriter(output: Writable, onGone: () => void): LineWriter {
  let gone = false;
  let lines = '';
  output.on('error', () => {
    if (gone) return;
    gone = true;
    lines = '';
    onGone();
  });
  function flush(): void {
    const batch = lines;
    lines = '';
    if (!gone && batch !== '') output.write(batch);
  }
  return {
    write(text) {
      if (gone) return;
      // After all that this turn's promises still write.
      if (lines === '') process.nextTick(flush);
      lines += `${text}\n`;
    },
    unreadBytes: () => output.writableLength + lines.length,
    onceRead(callback) {
      flush();
      if (output.writableNeedDrain) output.once('drain', callback);
      else process.nextTick(callback);
    },
    close() {
      flush();
      return new Promise((resolve) => {
        if (gone) resolve();
        else output.write('', () => resolve());
      });
    },
  };
}
