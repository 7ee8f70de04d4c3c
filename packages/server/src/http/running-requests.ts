import type { Logger, ProtocolError } from '@switchyard/protocol';

import type { Endpoint } from '../dispatch/endpoint.ts';
import { createRefuseOneTooMany, toMaxRunning } from '../limits/running-limit.ts';

/** The places of the requests that are read and run at a time. */
export interface RunningRequests {
  /** Takes a place, whether there is one or not. */
  enter(): void;
  /** Gives a place back. */
  leave(): void;
  /** Whether no place is left. */
  isFull(): boolean;
  /** Whether more places are taken than there are: whoever took one counts itself. */
  isOverfull(): boolean;
  /**
   * Whether there is a place beside them, for an answer that something that runs may wait for: there are as many of
   * these again.
   */
  hasRoomForAnswer(): boolean;
  /** Answers the error for a request that gets no place. */
  refusal(): ProtocolError;
}

/**
 * Makes the count. `logger` must not throw.
 *
 * @throws TypeError when `maxRunningRequests` is no number of at least 1.
 */
export function createRunningRequests(
  endpoint: Endpoint,
  logger: Logger,
  maxRunningRequests: number | undefined,
): RunningRequests {
  const max = toMaxRunning(maxRunningRequests);
  let running = 0;
  return {
    enter() {
      running += 1;
    },
    leave() {
      running -= 1;
    },
    isFull: () => running >= max,
    isOverfull: () => running > max,
    hasRoomForAnswer: () => running < 2 * max,
    refusal: createRefuseOneTooMany(endpoint, logger, max),
  };
}
