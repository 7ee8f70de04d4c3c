import { ProtocolError } from '@switchyard/protocol';

/** How many requests run at a time unless an option says otherwise. */
const DEFAULT_MAX_RUNNING_REQUESTS = 1_000;

/**
 * Answers the option `maxRunningRequests` or its default, 1,000.
 *
 * @throws TypeError when it is no number of at least 1.
 */
export function toMaxRunning(given: number = DEFAULT_MAX_RUNNING_REQUESTS): number {
  if (typeof given !== 'number' || !(given >= 1))
    throw new TypeError(`maxRunningRequests must be a number of at least 1, not ${String(given)}`);
  return given;
}

/** The error for a request that would be one too many: -32603, over HTTP with status 503. It did not run. */
export function tooManyRunning(maxRunning: number): ProtocolError {
  return new ProtocolError('internalError', `Busy: ${maxRunning} requests are running; this one did not run`, {
    status: 503,
  });
}
