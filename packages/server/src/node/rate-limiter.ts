import { RateLimiterMemory } from 'rate-limiter-flexible';

import type { RateLimiter } from '../limits/rate-limit.ts';

/** How many requests one caller may send. */
export interface RateLimitOptions {
  /** Requests in each window: default 6,000. */
  readonly requests?: number;
  /** Length of the window in milliseconds: default 60,000. */
  readonly windowMs?: number;
}

/**
 * Makes a limiter that counts in the memory of this process. For a fleet take one of `rate-limiter-flexible` over Redis or PostgreSQL.
 *
 * @throws TypeError when a number is not greater than 0.
 */
export function createRateLimiter({ requests = 6_000, windowMs = 60_000 }: RateLimitOptions = {}): RateLimiter {
  for (const [name, given] of Object.entries({ requests, windowMs })) {
    if (typeof given !== 'number' || !(given > 0))
      throw new TypeError(`${name} must be a number greater than 0, not ${String(given)}`);
  }
  return new RateLimiterMemory({ points: requests, duration: windowMs / 1000 });
}
