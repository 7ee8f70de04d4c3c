import type { Available } from '@switchyard/host';
import type { CacheHints, ListMethodName } from '@switchyard/protocol';
import {
  createListPages,
  listCacheHints,
  type ListEntry,
  type ListPages,
  type MethodHandler,
} from '@switchyard/server/endpoint';

/** One of the lists of a host. */
export interface HostList<M extends ListMethodName, L extends Available, T extends object> {
  readonly method: M;
  list(): Promise<L>;
  /** The same array for the same list. */
  entriesOf(listed: L): readonly T[];
  /** The entry as it travels: without what it says of the server behind it. */
  toWire(entry: T): ListEntry<M>;
}

const stale: CacheHints = { ttlMs: 0, cacheScope: 'private' };

/**
 * Serves a list of a host in pages, whose text is made once for as long as the list is the same array. While a server
 * is away, the list is stale at once, so that its return shows.
 *
 * Spec: server/utilities/pagination, server/utilities/caching (2026-07-28).
 */
export function serveList<M extends ListMethodName, L extends Available, T extends object>(
  { method, list, entriesOf, toWire }: HostList<M, L, T>,
  pageSize: number,
): MethodHandler {
  const known = new WeakMap<readonly T[], { readonly hints: CacheHints; readonly pages: ListPages }>();

  function pagesOf(entries: readonly T[], hints: CacheHints): ListPages {
    const found = known.get(entries);
    if (found?.hints === hints) return found.pages;
    const pages = createListPages(method, entries.map(toWire), hints, pageSize);
    known.set(entries, { hints, pages });
    return pages;
  }

  return async ({ cursor }) => {
    const listed = await list();
    const hints = listed.unavailable.length > 0 ? stale : listCacheHints;
    return pagesOf(entriesOf(listed), hints).page(cursor as string | undefined);
  };
}
