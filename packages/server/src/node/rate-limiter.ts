import { assertKnownOptions, type KnownOptions, toBound } from '@switchyard/protocol';

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
 * Makes a limiter that counts in the memory of this process. For a fleet take one of `rate-limiter-flexible` over Redis
 * or PostgreSQL.
 *
 * @throws TypeError when an option is unknown, or a number is below 1.
 */
export function createRateLimiter(options: RateLimitOptions = {}): RateLimiter {
  assertKnownOptions('createRateLimiter', options, rateLimitOptions);
  const requests = toBound('requests', options.requests ?? 6_000);
  const windowMs = toBound('windowMs', options.windowMs ?? 60_000);
  return new RateLimiterMemory({ points: requests, duration: windowMs / 1000 });
}
