import type { CacheScope } from '@switchyard/protocol';
import type { LeftOut } from '../peer/left-out.ts';

/** A whole list: the entries of all pages in their order, and how long they are fresh. */
export interface WholeList<T> {
  readonly entries: readonly T[];
  /** How long all pages are fresh from when the first one was fetched, in milliseconds; 0: stale at once. */
  readonly ttlMs: number;
  /** `private` unless every page is public. */
  readonly cacheScope: CacheScope;
  readonly leftOut: readonly LeftOut[];
}
