import { type Principal, type ProtocolError, toBound } from '@switchyard/protocol';

import { busy } from './busy.ts';
import { createCallerCounts } from './caller-counts.ts';

/**
 * The longest request that stays open, in characters: it is held as long as it is open, and there may be thousands of
 * them.
 */
export const MAX_OPEN_REQUEST_CHARS = 128 * 1024;

/** How many requests that stay open (`subscriptions/listen`) there may be. */
export interface OpenStreamOptions {
  /** Of all callers together: default 10,000; `Infinity` for any. One more gets 503 with `Retry-After` and -32603. */
  readonly maxOpenStreams?: number;
  /** Of one caller: default 1,000; `Infinity` for any. Callers that nobody authenticated have no bound of their own. */
  readonly maxOpenStreamsPerCaller?: number;
}

/** Counts the requests that stay open. */
export interface OpenStreams {
  /** Counts one more and answers the function that ends it, or the error for one too many. */
  open(principal: Principal | undefined): (() => void) | ProtocolError;
}

export const openStreamDefaults: Required<OpenStreamOptions> = {
  maxOpenStreams: 10_000,
  maxOpenStreamsPerCaller: 1_000,
};

/** @throws TypeError when a limit is no number of at least 1. */
export function createOpenStreams(options: OpenStreamOptions): OpenStreams {
  const { maxOpenStreams, maxOpenStreamsPerCaller } = openStreamDefaults;
  const max = toBound('maxOpenStreams', options.maxOpenStreams ?? maxOpenStreams);
  const maxOfOne = toBound('maxOpenStreamsPerCaller', options.maxOpenStreamsPerCaller ?? maxOpenStreamsPerCaller);
  const counts = createCallerCounts({ max, maxOfOne });
  return {
    open(principal) {
      const close = counts.take(principal);
      if (typeof close === 'function') return close;
      return busy(
        `Too many open subscriptions: at most ${close === 'all' ? max : maxOfOne} may be open; end one first`,
      );
    },
  };
}
