import type { CacheScope } from '@switchyard/protocol';
import { quoted } from '../excerpt.ts';
import type { PeerContext } from '../peer-context.ts';
import type { Call } from './caller.ts';
import type { ResultOf } from './read-result.ts';

/** An entry of a list that was left out, and why, in one sentence. */
export interface LeftOut {
  /** The entry's name or URI, shortened; its place in the list where it has none. */
  readonly name: string;
  readonly reason: string;
}

/** A whole list: the entries of all pages in their order, and how long they are fresh. */
export interface WholeList<T> {
  readonly entries: readonly T[];
  /** The shortest of all pages, in milliseconds; 0: stale at once. */
  readonly ttlMs: number;
  /** `private` unless every page is public. */
  readonly cacheScope: CacheScope;
  readonly leftOut: readonly LeftOut[];
}

/** A method that lists. */
type ListMethod = 'tools/list' | 'resources/list' | 'resources/templates/list' | 'prompts/list';

/** What a list is made of. */
export interface ListKind<T, M extends ListMethod = ListMethod> {
  readonly method: M;
  /** Answers the entries of one page, as they were received. */
  readonly entriesOf: (page: ResultOf<M>) => readonly unknown[];
  /** Answers an entry as it is received with its unique key, or one sentence on why it cannot be used. */
  readonly read: (
    entry: unknown,
  ) => { readonly key: string; readonly entry: T } | { readonly name?: string; readonly reason: string };
}

const MAX_PAGES = 1000;
const MAX_ENTRIES = 50_000;

/**
 * Fetches all pages of a list. Any cursor is followed as it came, the empty one too; only an absent one ends the list.
 * A cursor that comes again, the 1,000th page and the 50,000th entry end it as well, with a warning, and what was read
 * is answered. A malformed or repeated entry is left out alone, with a warning.
 *
 * Spec: server/utilities/pagination (2026-07-28).
 */
export async function listAll<T, M extends ListMethod>(
  context: PeerContext,
  call: Call,
  kind: ListKind<T, M>,
): Promise<WholeList<T>> {
  const collected = createCollector(context, kind);
  const seen = new Set<string>();
  let cursor: string | undefined;
  let ttlMs = Infinity;
  let cacheScope: CacheScope = 'public';
  for (let pages = 1; ; pages += 1) {
    const page = await call.request(kind.method, cursor === undefined ? {} : { cursor });
    const { nextCursor: next }: { readonly nextCursor?: string } = page;
    collected.add(kind.entriesOf(page));
    ttlMs = Math.min(ttlMs, page.ttlMs);
    if (page.cacheScope !== 'public') cacheScope = 'private';
    if (next === undefined) break;
    const problem = whyStop(next, seen, pages, collected.count());
    if (problem !== undefined) {
      context.warn('paging-stopped', `its ${kind.method} does not end: ${problem}. What was read until then is used.`);
      break;
    }
    seen.add(next);
    cursor = next;
  }
  return { ...collected.result(), ttlMs, cacheScope };
}

function whyStop(next: string, seen: ReadonlySet<string>, pages: number, entries: number): string | undefined {
  if (seen.has(next)) return `the cursor ${quoted(next)} came twice`;
  if (pages >= MAX_PAGES) return `there are more than ${MAX_PAGES} pages`;
  return entries >= MAX_ENTRIES ? `there are more than ${MAX_ENTRIES} entries` : undefined;
}

function createCollector<T>(context: PeerContext, { method, read }: Pick<ListKind<T>, 'method' | 'read'>) {
  const entries = new Map<string, T>();
  const leftOut: LeftOut[] = [];
  const repeated = new Set<string>();
  let count = 0;

  return {
    count: () => count,
    result: () => ({ entries: [...entries.values()], leftOut }),
    add(received: readonly unknown[]): void {
      for (const entry of received) {
        const place = count;
        count += 1;
        const reading = read(entry);
        if ('reason' in reading) leaveOut(reading.name ?? `entry ${place}`, reading.reason);
        else if (!entries.has(reading.key)) entries.set(reading.key, reading.entry);
        else if (!repeated.has(reading.key)) {
          repeated.add(reading.key);
          leaveOut(reading.key, 'It is listed more than once; the first entry is used.');
        }
      }
    },
  };

  function leaveOut(name: string, reason: string): void {
    const shown = quoted(name);
    leftOut.push({ name: shown.slice(1, -1), reason });
    context.warn('entry-left-out', `${shown} of ${method} is left out: ${reason}`);
  }
}
