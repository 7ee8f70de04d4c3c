import type { Logger } from '@switchyard/protocol';
import process from 'node:process';

import { type DestinationStream, pino } from 'pino';

let logger: Logger | undefined;

/**
 * Answers the logger that the serve functions use by default: pino, to standard error, one for the process. Warnings
 * and errors are written at once, with whatever waits; other lines wait 250 ms at most, and a signal that ends the
 * process loses those. Lines are dropped while nobody reads standard error: 1 MiB waits at most, and nothing waits for
 * the reader when the process ends.
 */
export function createPinoLogger(): Logger {
  logger ??= pino({ level: 'info' }, createStandardErrorWriter());
  return logger;
}

const MAX_UNREAD_BYTES = 1024 * 1024;
const BATCH_CHARS = 16 * 1024;
const BATCH_MS = 250;
/** The level of a warning, as pino numbers them. */
const WARNING = 40;

/**
 * Pino's own destination writes in a thread, which blocks for good where standard error is a pipe that is full, and
 * with it the end of the process. The stream of the process writes what the pipe takes and keeps the rest.
 */
function createStandardErrorWriter(): DestinationStream & { lastLevel: number } {
  const { stderr } = process;
  let batch = '';
  let timer: NodeJS.Timeout | undefined;
  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (batch !== '' && stderr.writableLength <= MAX_UNREAD_BYTES) stderr.write(batch);
    batch = '';
  }
  stderr.on('error', () => {
    // Whoever closed the log wants none; the server goes on.
  });
  process.once('exit', flush);
  return {
    // Pino sets the level of each line before it writes it where this is asked for.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line) {
      batch += line;
      if (this.lastLevel >= WARNING || batch.length >= BATCH_CHARS) flush();
      else timer ??= setTimeout(flush, BATCH_MS).unref();
    },
  };
}
