import { destination, pino } from 'pino';

import type { Logger } from '../logger.ts';

let logger: Logger | undefined;

/** Answers the logger that the serve functions use by default: pino, to standard error, one for the process. */
export function createPinoLogger(): Logger {
  logger ??= pino({ level: 'info' }, destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 250 }));
  return logger;
}
