import type { PeerContext } from '../peer/peer-context.ts';
import { createResponseCache, type ResponseCache } from './response-cache.ts';

/**
 * Answers the cache of a client: that of the caller, one of its own on the client's clock, or none. Throws a
 * `ClientError` with code `invalid-argument` for anything else.
 */
export function toResponseCache(
  context: PeerContext,
  cache: ResponseCache | false | undefined,
): ResponseCache | undefined {
  if (cache === false) return undefined;
  if (cache !== undefined && typeof cache?.find !== 'function') {
    throw context.fail('invalid-argument', 'cache must be false, or a cache of createResponseCache.');
  }
  return cache ?? createResponseCache({ now: () => context.clock.now() });
}
