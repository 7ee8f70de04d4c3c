import type { WholeList } from '../trust/whole-list.ts';
import { type CacheScope, errorCodes, type ListMethodName, ProtocolError, type ResultOf } from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import type { LeftOut } from '../peer/left-out.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Call } from './call.ts';
import { createPageReading, type KeptPages } from './kept-pages.ts';
import { weightOf } from '../peer/weight-of.ts';

/** What a list is made of. */
export interface ListKind<T, M extends ListMethodName = ListMethodName> {
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
/** How many messages of the largest size all pages may weigh together. */
const MAX_MESSAGES = 4;

/** How often a list is begun anew because it changed, or its cursors died, while it was read. */
const MAX_RESTARTS = 2;

/**
 * Fetches all pages of a list. Any cursor is followed as it came, the empty one too; only an absent one ends the list.
 * A cursor that comes again, the 1,000th page, the 50,000th entry and pages that together exceed four times
 * `maxMessageBytes` end it as well, with a warning, and what was read is answered. A malformed or repeated entry is
 * left out alone, with a warning. The entries are as they came: who may see which icons is the business of whoever gives
 * them out.
 *
 * Where the server says between two pages that the list changed (`changeCount` differs), or refuses a cursor of its own
 * with -32602, the list is read from its first page again, twice at most. One that goes on changing is answered
 * as it was read, with a warning; an error of the server is thrown. So it is where a page that is fetched anew does not
 * fit to `kept` ones that were used before it; the second reading uses none.
 *
 * Spec: server/utilities/pagination, server/utilities/caching#interaction-with-pagination (2026-07-28).
 */
export async function listAll<T, M extends ListMethodName>(
  context: PeerContext,
  call: Call,
  kind: ListKind<T, M>,
  { changeCount = () => 0, kept = nothingKept }: ListOptions = {},
): Promise<WholeList<T>> {
  for (let restarts = 0; ; restarts += 1) {
    const mayRestart = restarts < MAX_RESTARTS;
    const usable = restarts === 0 ? kept : { ...kept, before: [] };
    const list = await readPages(context, call, kind, { changeCount, mayRestart, kept: usable });
    if (list !== 'changed') return list;
  }
}

/** How a list is read. */
export interface ListOptions {
  /** Answers how often the list has changed so far. Default: nothing is known of that. */
  readonly changeCount?: () => number;
  /** Default: every page is fetched, and none is kept. */
  readonly kept?: KeptPages;
}

interface ReadRules extends Required<ListOptions> {
  readonly mayRestart: boolean;
}

const nothingKept: KeptPages = { now: () => 0, maxTtlMs: 0, before: [], keep: () => undefined };

async function readPages<T, M extends ListMethodName>(
  context: PeerContext,
  call: Call,
  kind: ListKind<T, M>,
  { changeCount, mayRestart, kept }: ReadRules,
): Promise<WholeList<T> | 'changed'> {
  const collected = createCollector(context, kind);
  const seen = new Set<string>();
  const changesBefore = changeCount();
  const reading = createPageReading(kept);
  let cursor: string | undefined;
  let cacheScope: CacheScope = 'public';
  let weightLeft = MAX_MESSAGES * context.maxMessageBytes;
  for (let pages = 1; ; pages += 1) {
    let page = reading.takeKept(cursor) as ResultOf<M> | undefined;
    if (page === undefined) {
      try {
        page = await call.request(kind.method, cursor === undefined ? {} : { cursor });
      } catch (error) {
        if (mayRestart && cursor !== undefined && isInvalidParams(error)) return 'changed';
        throw error;
      }
      if (reading.contradicts(cursor, page)) return 'changed';
    }
    const { nextCursor: next }: { readonly nextCursor?: string } = page;
    const hasChanged = (pages > 1 || next !== undefined) && changeCount() !== changesBefore;
    if (hasChanged && mayRestart) return 'changed';
    collected.add(kind.entriesOf(page));
    if (page.cacheScope !== 'public') cacheScope = 'private';
    weightLeft -= weightOf(page, weightLeft);
    const problem = whyStop(next, { seen, pages, isFull: collected.isFull(), weightLeft });
    if (problem !== undefined) {
      context.warn('paging-stopped', `its ${kind.method} does not end: ${problem}. What was read until then is used.`);
    }
    if (next === undefined || problem !== undefined) {
      if (hasChanged) {
        context.warn(
          'list-changed',
          `its ${kind.method} changes faster than it can be read; some of it may be missing.`,
        );
      }
      break;
    }
    seen.add(next);
    cursor = next;
  }
  return { ...collected.result(), ttlMs: reading.end(), cacheScope };
}

function isInvalidParams(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === errorCodes.invalidParams.code;
}

interface PagingState {
  readonly seen: ReadonlySet<string>;
  readonly pages: number;
  readonly isFull: boolean;
  readonly weightLeft: number;
}

function whyStop(next: string | undefined, { seen, pages, isFull, weightLeft }: PagingState): string | undefined {
  if (isFull) return `there are more than ${MAX_ENTRIES} entries`;
  if (next === undefined) return undefined;
  if (seen.has(next)) return `the cursor ${quoted(next)} came twice`;
  if (pages >= MAX_PAGES) return `there are more than ${MAX_PAGES} pages`;
  return weightLeft < 0 ? `its pages together are over ${MAX_MESSAGES} times maxMessageBytes` : undefined;
}

function createCollector<T>(context: PeerContext, { method, read }: Pick<ListKind<T>, 'method' | 'read'>) {
  const entries = new Map<string, T>();
  const leftOut: LeftOut[] = [];
  const repeated = new Set<string>();
  let count = 0;
  let isFull = false;

  return {
    isFull: () => isFull,
    result: () => ({ entries: [...entries.values()], leftOut }),
    add(received: readonly unknown[]): void {
      for (const entry of received) {
        // One page can hold millions of entries that are nothing.
        if (count >= MAX_ENTRIES) isFull = true;
        if (isFull) return;
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
