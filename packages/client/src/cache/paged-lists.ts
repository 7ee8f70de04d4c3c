import type { ListOptions } from '../call/list-all.ts';
import type { KeptPage } from '../call/kept-pages.ts';
import { weightOf } from '../peer/weight-of.ts';
import type { ChangeFeed, ListName } from '../subscriptions/change-feed.ts';
import type { AnswerCache } from './response-cache.ts';

/** Reads lists whose pages may age apart. */
export interface PagedLists {
  /** Reads a list by what `readWith` does; `before` is what it read of the same list the last time. */
  read<R extends object>(
    list: ListName,
    before: object | undefined,
    readWith: (options: ListOptions) => Promise<R>,
  ): Promise<R>;
}

/** What the pages of one list may weigh beside the list itself; those of a larger one are fetched all together. */
const MAX_CHARS = 4 * 1024 * 1024;

/**
 * Creates the lists of one client. Their pages are kept as long as the whole is in the cache, and found by it alone, so
 * whoever may not have the whole gets none of them. Without a cache nothing is kept.
 */
export function createPagedLists(changes: Pick<ChangeFeed, 'changesOf'>, cache: AnswerCache | undefined): PagedLists {
  const pagesOf = new WeakMap<object, readonly KeptPage[]>();
  return {
    async read(list, before, readWith) {
      const changeCount = (): number => changes.changesOf(list);
      if (cache === undefined) return readWith({ changeCount });
      let read: readonly KeptPage[] | undefined;
      const result = await readWith({
        changeCount,
        kept: {
          now: cache.now,
          maxTtlMs: cache.maxTtlMs,
          before: (before && pagesOf.get(before)) ?? [],
          keep(pages) {
            if (weightOf(pages, MAX_CHARS) <= MAX_CHARS) read = pages;
          },
        },
      });
      if (read !== undefined) pagesOf.set(result, read);
      return result;
    },
  };
}
