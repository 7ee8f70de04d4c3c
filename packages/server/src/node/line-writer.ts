import type { Writable } from 'node:stream';

/** Writes whole lines. */
export interface LineWriter {
  write(text: string): void;
  /** How many bytes that were written wait in memory for the reader. */
  unreadBytes(): number;
  /** Calls back once the reader has taken everything. Ask only while bytes wait. */
  onceRead(callback: () => void): void;
  /** Settles when everything that was written has been handed to the system, or the reader is gone. */
  close(): Promise<void>;
}

/**
 * Writes one line a message. When the reader goes away, `onGone` is called once and everything after is dropped: a write to a
 * dead pipe is never tried again.
 */
export function createLineWriter(output: Writable, onGone: () => void): LineWriter {
  let gone = false;
  output.on('error', () => {
    if (gone) return;
    gone = true;
    onGone();
  });
  return {
    write(text) {
      if (!gone) output.write(`${text}\n`);
    },
    unreadBytes: () => output.writableLength,
    onceRead: (callback) => void output.once('drain', callback),
    close() {
      return new Promise((resolve) => {
        if (gone) resolve();
        else output.write('', () => resolve());
      });
    },
  };
}
