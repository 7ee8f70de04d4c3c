import {
  type CacheHints,
  decodeCursor,
  encodeCursor,
  type ListMethodName,
  type ListShape,
  methods,
  ProtocolError,
  stringifyJson,
} from '@switchyard/protocol';

import { Serialised } from '../dispatch/endpoint.ts';

/** An entry of a list, whatever else it has: the member that it is sorted by and found again by. */
export type ListEntry<M extends ListMethodName> = { readonly [K in (typeof methods)[M]['list']['key']]: string };

/** One list, cut into pages whose JSON text is made once. */
export interface ListPages {
  /**
   * Answers the page behind a cursor; no cursor: the first. Throws -32602 for a cursor that no list of this kind gave.
   */
  page(cursor: string | undefined): Serialised;
}

/**
 * Makes the pages of what a method lists: sorts entries by their key (in order of UTF-16 code units) and cuts them into
 * pages of at most `pageSize`. A cursor names the last entry that its holder has seen, so it stays good when entries
 * come and go: the next page begins with the first key after it.
 *
 * Spec: server/utilities/pagination, server/utilities/caching (2026-07-28).
 */
export function createListPages<M extends ListMethodName>(
  method: M,
  entries: readonly ListEntry<M>[],
  hints: CacheHints,
  pageSize: number,
): ListPages {
  const { member, key }: ListShape = methods[method].list;
  const keyOf = (entry: object): string => (entry as { readonly [name: string]: string })[key] as string;
  const sorted = entries.toSorted((a, b) => compareCodeUnits(keyOf(a), keyOf(b)));
  const keys = sorted.map(keyOf);
  const items = sorted.map((entry) => stringifyJson(entry));
  const hintsJson = JSON.stringify(hints).slice(1, -1);
  // Only the pages that a client gets by following cursors are kept, so that nobody fills the memory.
  const aligned = new Map<number, Serialised>();

  function render(start: number): Serialised {
    const end = start + pageSize;
    const last = keys[end - 1];
    const next =
      last !== undefined && end < keys.length
        ? `,"nextCursor":${JSON.stringify(encodeCursor({ after: last, order: member }))}`
        : '';
    return new Serialised(`{"${member}":[${items.slice(start, end).join(',')}],${hintsJson}${next}}`);
  }

  return {
    page(cursor) {
      const start = cursor === undefined ? 0 : firstAfter(keys, readCursor(cursor, member));
      const known = aligned.get(start);
      if (known !== undefined) return known;
      const page = render(start);
      if (start % pageSize === 0) aligned.set(start, page);
      return page;
    },
  };
}

function readCursor(cursor: string, order: string): string {
  const decoded = decodeCursor(cursor);
  if (decoded?.order === order) return decoded.after;
  throw new ProtocolError('invalidParams', 'params.cursor is not a cursor of this list; start again without one');
}

function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function firstAfter(keys: readonly string[], after: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] as string) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}
