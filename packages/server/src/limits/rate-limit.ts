import { type Principal, ProtocolError } from '@switchyard/protocol';

import { callerKey } from './caller-key.ts';
import { createDeadlines } from '../timing/deadlines.ts';

/**
 * Counts requests and says when a caller must wait. Every limiter of the library `rate-limiter-flexible` is one: in
 * memory for a process, in Redis or PostgreSQL for a fleet.
 */
export interface RateLimiter {
  /**
   * Counts one request under a key. Rejects with an object that has `msBeforeNext`, the wait in milliseconds, when it
   * is one too many: of one that is no number of seconds to name, as `Infinity`, the caller is not told. Rejects with
   * an `Error` when it cannot count, and then, or when it does not answer within 2 seconds, the request is let through.
   */
  consume(key: string): Promise<unknown>;
}

/**
 * Counts the request of an authenticated caller, and answers the error for one too many (-32603, over HTTP with status
 * 429, and `Retry-After` where the wait is a time), or `undefined`. It never rejects.
 */
export type CountRequest = (principal: Principal) => Promise<ProtocolError | undefined>;

/** Makes what counts by a limiter. `onFailure` is told when requests cannot be counted. */
export function createRateLimit(limiter: RateLimiter, onFailure: (error: unknown) => void): CountRequest {
  const deadlines = createDeadlines(MAX_WAIT_MS);

  async function count(principal: Principal): Promise<ProtocolError | undefined> {
    try {
      await limiter.consume(callerKey(principal));
      return undefined;
    } catch (refusal) {
      const waitMs = waitOf(refusal);
      if (waitMs !== undefined) return oneTooMany(waitMs);
      onFailure(refusal);
      return undefined;
    }
  }

  function uncounted(): undefined {
    onFailure(new Error(`the rate limiter did not answer within ${MAX_WAIT_MS} ms`));
  }

  return (principal) => deadlines.race(count(principal), uncounted);
}

/**
 * How long a limiter may take to count a request: one that is cut off from its database may keep what it is asked for
 * ever.
 */
const MAX_WAIT_MS = 2_000;

function oneTooMany(waitMs: number): ProtocolError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  // Neither NaN nor Infinity, nor what is written with an exponent, is a time that a header could tell.
  const isTold = Number.isSafeInteger(seconds);
  const when = isTold ? `in ${seconds} s` : 'later';
  return new ProtocolError('internalError', `Too many requests: this one did not run; try again ${when}`, {
    status: 429,
    headers: isTold ? { 'retry-after': String(seconds) } : {},
  });
}

/** Answers the wait that a limiter asks for; `undefined` for what is no refusal, and for what throws when looked at. */
function waitOf(refusal: unknown): number | undefined {
  try {
    if (typeof refusal !== 'object' || refusal === null || refusal instanceof Error) return undefined;
    const { msBeforeNext } = refusal as { readonly msBeforeNext?: unknown };
    return typeof msBeforeNext === 'number' ? msBeforeNext : undefined;
  } catch {
    return undefined;
  }
}
