import { assertKnownOptions, type CacheHints, type KnownOptions, toLimit } from '@switchyard/protocol';

/** Freshness of lists and of discovery unless an author says otherwise: 60,000 ms, for one caller alone. */
export const listCacheHints: CacheHints = { ttlMs: 60_000, cacheScope: 'private' };

const cacheOptions: KnownOptions<CacheHints> = { ttlMs: true, cacheScope: true };

/**
 * Answers complete cache hints from an option, with `otherwise` for the rest. `what` is what errors call the option.
 *
 * @throws TypeError as {@link toCacheHints} does, and when the option has another member.
 */
export function compileCacheHints(
  what: string,
  cache: Partial<CacheHints> | undefined,
  otherwise: CacheHints,
): CacheHints {
  assertKnownOptions(what, cache ?? {}, cacheOptions);
  return toCacheHints(cache, otherwise);
}

/**
 * Answers complete cache hints from what an author states, with `otherwise` for the rest. Errors call it `name`.
 *
 * Spec: server/utilities/caching (2026-07-28).
 *
 * @throws TypeError when `ttlMs` is no integer of at least 0, or `cacheScope` is neither `public` nor `private`.
 */
export function toCacheHints(
  cache: Partial<CacheHints> | undefined,
  otherwise: CacheHints,
  name = 'cache',
): CacheHints {
  const { ttlMs = otherwise.ttlMs, cacheScope = otherwise.cacheScope } = cache ?? {};
  toLimit(`${name}.ttlMs`, ttlMs, 0);
  if (cacheScope !== 'public' && cacheScope !== 'private')
    throw new TypeError(`${name}.cacheScope must be "public" or "private", not ${JSON.stringify(cacheScope)}`);
  return { ttlMs, cacheScope };
}
