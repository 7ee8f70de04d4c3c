import type { PeerContext } from '../peer/peer-context.ts';
import { type AnswerCache, createAnswerCache, type ResponseCache } from './response-cache.ts';

/**
 * Answers the cache of a client: that of the caller, one of its own on the client's clock, or none. Throws a
 * `ClientError` with code `invalid-argument` for anything else.
 */
export function toAnswerCache(context: PeerContext, cache: ResponseCache | false | undefined): AnswerCache | undefined {
  if (cache === false) return undefined;
  // Nobody shares it, so that any time that does not go back will do.
  if (cache === undefined) return createAnswerCache({ epochNow: () => context.clock.now() });
  if (isAnswerCache(cache)) return cache;
  throw context.fail('invalid-argument', 'cache must be false, or a cache of createResponseCache.');
}

function isAnswerCache(cache: ResponseCache): cache is AnswerCache {
  return typeof (cache as Partial<AnswerCache> | null)?.find === 'function';
}
