import { decodeCursor, encodeCursor, ProtocolError, stringifyJson } from '@switchyard/protocol';
import { Serialised } from '@switchyard/server';

/** How one of the lists is written. */
export interface ListForm<T> {
  /** The member of the result that holds the entries. */
  readonly member: string;
  /** What an entry is sorted by and found again by. */
  keyOf(entry: T): string;
  /** The entry as it travels. */
  toWire(entry: T): object;
}

/** One page of a list that is wanted, and how long it is fresh. */
export interface PageRequest {
  readonly cursor: string | undefined;
  readonly ttlMs: number;
}

interface Rendered {
  readonly keys: readonly string[];
  readonly items: readonly string[];
  /** The items of a page as one text, by the index of its first. */
  readonly pages: Map<number, string>;
}

/**
 * Creates the pager of one list: sorted entries become pages of at most `pageSize`, whose text is made once for as long as the list is the
 * same array. A cursor names the last entry that its holder has seen, so it stays good when entries come and go. The pager throws -32602 for
 * a cursor that it did not give.
 *
 * Spec: server/utilities/pagination, server/utilities/caching (2026-07-28).
 */
export function createPager<T>(
  form: ListForm<T>,
  pageSize: number,
): (entries: readonly T[], request: PageRequest) => Serialised {
  const rendered = new WeakMap<readonly T[], Rendered>();

  return (entries, { cursor, ttlMs }) => {
    const list = rendered.get(entries) ?? render(entries, form);
    rendered.set(entries, list);
    const start = cursor === undefined ? 0 : firstAfter(list.keys, readCursor(cursor, form.member));
    const text = list.pages.get(start) ?? list.items.slice(start, start + pageSize).join(',');
    // Only the pages that a client gets by following cursors are kept, so that nobody fills the memory.
    if (start % pageSize === 0) list.pages.set(start, text);
    const last = list.keys[start + pageSize - 1];
    const hasMore = last !== undefined && start + pageSize < list.keys.length;
    const next = hasMore ? `,"nextCursor":${JSON.stringify(encodeCursor({ after: last, order: form.member }))}` : '';
    return new Serialised(`{"${form.member}":[${text}],"ttlMs":${ttlMs},"cacheScope":"private"${next}}`);
  };
}

function render<T>(entries: readonly T[], form: ListForm<T>): Rendered {
  return {
    keys: entries.map((entry) => form.keyOf(entry)),
    items: entries.map((entry) => stringifyJson(form.toWire(entry))),
    pages: new Map(),
  };
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
