import { type CacheHints, type JsonObject, type ListMethodName, type ListShape, methods } from '@switchyard/protocol';

import { listed } from '../catalog/catalog.ts';
import type { MethodHandler } from '../dispatch/endpoint.ts';
import { type Kind, kinds } from '../catalog/kinds.ts';
import { createListPages, type ListEntry } from '../catalog/list-pages.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { definitionsOf, hintsOf, leastFresh } from './definitions-of.ts';
import { exposedKey } from './exposed-key.ts';
import { toObject } from './intercept.ts';
import type { Mount, Part } from './part.ts';

/** Most pages that one list of a mounted server may have. */
const MAX_PAGES = 1_000;

/**
 * Makes the handler of a list: ready pages where no mounted server has interceptors, else what those leave of their
 * server's list, put together with the rest for each request. A failure of one of them fails the list: an answer that
 * lacks entries would look whole.
 */
export function routeList(part: Part, kind: Kind, through: ReadonlyMap<Mount, MethodHandler>): MethodHandler {
  if (through.size === 0) return ({ cursor }) => part.catalog().pages[kind].page(cursor as string | undefined);
  const { method } = kinds[kind];
  const { member } = methods[method].list;
  const intercepted = new Set(through.keys());
  return async ({ cursor, ...params }, context) => {
    const rest = listed(definitionsOf(part, intercepted)[kind]) as readonly ListedEntry[];
    const lists = await Promise.all(
      [...through].map(async ([{ prefix }, handler]) => {
        const { entries, hints } = await readWhole(handler, member, params, context);
        return { hints, entries: entries.map((entry) => exposed(prefix, kind, entry)) };
      }),
    );
    const entries = [...rest, ...lists.flatMap((list) => list.entries)];
    const hints = leastFresh([hintsOf(part), ...lists.flatMap((list) => list.hints)]);
    return createListPages(method, entries, hints, part.pageSize).page(cursor as string | undefined);
  };
}

/** An entry of any list: it has the member that its list is sorted by. */
type ListedEntry = ListEntry<ListMethodName> & { readonly name: string };

function exposed(prefix: string, kind: Kind, entry: ListedEntry): ListedEntry {
  const name = exposedKey(prefix, kind, entry.name);
  return name === entry.name ? entry : { ...entry, name };
}

async function readWhole(
  handler: MethodHandler,
  member: ListShape['member'],
  params: JsonObject,
  context: RequestContext,
): Promise<{ readonly entries: readonly ListedEntry[]; readonly hints: readonly CacheHints[] }> {
  const entries: ListedEntry[] = [];
  const hints: CacheHints[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const page = toObject(await handler(cursor === undefined ? params : { ...params, cursor }, context)) as JsonObject;
    entries.push(...(page[member] as readonly ListedEntry[]));
    hints.push({ ttlMs: page['ttlMs'], cacheScope: page['cacheScope'] } as CacheHints);
    cursor = page['nextCursor'] as string | undefined;
    if (cursor === undefined) return { entries, hints };
  }
  throw new TypeError(
    `the list of a mounted server has more than ${MAX_PAGES} pages: does an interceptor answer nextCursor for ever?`,
  );
}
