import { type CacheHints, decodeCursor, encodeCursor, ProtocolError } from '@switchyard/protocol';

import { Serialised } from './endpoint.ts';

/** One list of a catalog, cut into pages whose JSON text was made once. */
export interface ListPages {
  /** Answers the page behind a cursor; no cursor: the first. Throws -32602 for a cursor that no list of this kind gave. */
  page(cursor: string | undefined): Serialised;
}

/**
 * Sorts entries by key and cuts them into pages. A cursor names the last entry that its holder has seen, so it stays good when
 * entries are added or removed: the next page begins with the first key after it.
 *
 * Spec: server/utilities/pagination, server/utilities/caching (2026-07-28).
 */
export function createListPages<T>(
  member: string,
  entries: ReadonlyMap<string, T>,
  hints: CacheHints,
  pageSize: number,
): ListPages {
  const keys = [...entries.keys()].sort();
  const items = keys.map((key) => JSON.stringify(entries.get(key)));
  const hintsJson = JSON.stringify(hints).slice(1, -1);
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

  for (let start = 0; start === 0 || start < keys.length; start += pageSize) aligned.set(start, render(start));

  return {
    page(cursor) {
      const start = cursor === undefined ? 0 : firstAfter(keys, readCursor(cursor, member));
      return aligned.get(start) ?? render(start);
    },
  };
}

/**
 * Refuses a key that no cursor can name.
 *
 * @throws TypeError when it is longer than about 3,000 bytes.
 */
export function assertListable(kind: string, key: string): void {
  try {
    encodeCursor({ after: key, order: 'resourceTemplates' });
  } catch (error) {
    throw new TypeError(`${kind} ${key.slice(0, 64)}…: it is too long to be listed in pages`, { cause: error });
  }
}

function readCursor(cursor: string, order: string): string {
  const decoded = decodeCursor(cursor);
  if (decoded?.order === order) return decoded.after;
  throw new ProtocolError('invalidParams', 'params.cursor is not a cursor of this list; start again without one');
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
