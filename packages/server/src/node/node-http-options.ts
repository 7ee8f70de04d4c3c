import type { KnownOptions } from '@switchyard/protocol';

import { type EndpointHttpOptions, type HttpOptions, httpOptions } from '../http/http-options.ts';
import { chosenLegacy } from '../legacy/legacy-choice.ts';
import type { RateLimiter } from '../limits/rate-limit.ts';
import { createRateLimiter } from './rate-limiter.ts';
import type { UnreadResponseOptions } from './unread-responses.ts';

/** How a server is served over HTTP by Node: with limits of the rate and of what lies unread as well. */
export interface NodeHttpOptions extends Omit<HttpOptions, 'rateLimit'>, UnreadResponseOptions {
  /**
   * Counts the requests of authenticated callers; one too many gets 429 with `Retry-After` and -32603, and does not
   * run. Default: `createRateLimiter()`, 6,000 in each minute for each caller; with `false`, nobody counts them.
   */
  readonly rateLimit?: RateLimiter | false;
}

/** The members of {@link NodeHttpOptions}. */
export const nodeHttpOptions: KnownOptions<NodeHttpOptions> = { ...httpOptions, maxUnreadBytes: true };

/** Answers the same options as whatever serves an endpoint takes them, with both defaults filled in. */
export function toEndpointOptions<O extends object>({
  legacy,
  rateLimit = createRateLimiter(),
  ...options
}: O & Pick<NodeHttpOptions, 'legacy' | 'rateLimit'>): Omit<O, 'legacy' | 'rateLimit'> &
  Pick<EndpointHttpOptions, 'legacy' | 'rateLimit'> {
  return { ...options, ...chosenLegacy(legacy), ...(rateLimit === false ? {} : { rateLimit }) };
}
