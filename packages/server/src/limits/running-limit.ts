import { type Logger, type ProtocolError, toBound } from '@switchyard/protocol';

import { busy } from './busy.ts';

/** How many requests run at a time unless an option says otherwise. */
const DEFAULT_MAX_RUNNING_REQUESTS = 1_000;

/**
 * Answers the option `maxRunningRequests` or its default, 1,000.
 *
 * @throws TypeError when it is no number of at least 1.
 */
export function toMaxRunning(given: number = DEFAULT_MAX_RUNNING_REQUESTS): number {
  return toBound('maxRunningRequests', given);
}

const WARN_EVERY_MS = 60_000;

/**
 * Makes the function that answers the error for a request that would be one too many: -32603, over HTTP with status 503
 * and `Retry-After`. It did not run. The operator is warned, at most once a minute: nothing else is logged of such a
 * request. `logger` must not throw.
 */
export function createRefuseOneTooMany(
  clock: { now(): number },
  logger: Logger,
  maxRunning: number,
): () => ProtocolError {
  let warnedAt = -Infinity;
  return () => {
    const now = clock.now();
    if (now - warnedAt >= WARN_EVERY_MS) {
      warnedAt = now;
      logger.warn(
        { maxRunningRequests: maxRunning },
        'busy: requests are refused until running ones end; look for handlers that never do, or raise maxRunningRequests',
      );
    }
    return busy(`Busy: ${maxRunning} requests are running; this one did not run`);
  };
}
