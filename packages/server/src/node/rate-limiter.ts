import { assertKnownOptions, type KnownOptions } from '@switchyard/protocol';

import { RateLimiterMemory } from 'rate-limiter-flexible';

import type { RateLimiter } from '../limits/rate-limit.ts';

/** How many requests one caller may send. */
export interface RateLimitOptions {
  /** Requests in each window: default 6,000. */
  readonly requests?: number;
  /** Length of the window in milliseconds: default 60,000. */
  readonly windowMs?: number;
}

const rateLimitOptions: KnownOptions<RateLimitOptions> = { requests: true, windowMs: true };

/**
 * Makes a limiter that counts in the memory of this process. For a fleet take one of `rate-limiter-flexible` over Redis or PostgreSQL.
 *
 * @throws TypeError when an option is unknown, or a number is not greater than 0.
 */
export function createRateLimiter(options: RateLimitOptions = {}): RateLimiter {
  assertKnownOptions('createRateLimiter', options, rateLimitOptions);
  const { requests = 6_000, windowMs = 60_000 } = options;
  for (const [name, given] of Object.entries({ requests, windowMs })) {
    if (typeof given !== 'number' || !(given > 0))
      throw new TypeError(`${name} must be a number greater than 0, not ${String(given)}`);
  }
  return new RateLimiterMemory({ points: requests, duration: windowMs / 1000 });
}
