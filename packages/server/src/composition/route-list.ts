import type { CacheHints, JsonObject, ModernMethodName } from '@switchyard/protocol';

import { listed } from '../dispatch/catalog.ts';
import type { MethodHandler } from '../dispatch/endpoint.ts';
import { createListPages, type ListEntry, type ListMember } from '../dispatch/list-pages.ts';
import type { RequestContext } from '../dispatch/request-context.ts';
import { definitionsOf, hintsOf, leastFresh } from './definitions-of.ts';
import { exposedKey, type Kind } from './exposed-key.ts';
import { toObject } from './intercept.ts';
import type { Mount, Part } from './part.ts';

/** Most pages that one list of a mounted server may have. */
const MAX_PAGES = 1_000;

/** What a list holds, and under which member of its result. */
export interface Listing {
  readonly kind: Kind;
  readonly member: ListMember;
}

/** The methods that list. */
export const listings: { readonly [M in ModernMethodName]?: Listing } = {
  'tools/list': { kind: 'tools', member: 'tools' },
  'resources/list': { kind: 'resources', member: 'resources' },
  'resources/templates/list': { kind: 'templates', member: 'resourceTemplates' },
  'prompts/list': { kind: 'prompts', member: 'prompts' },
};

/**
 * Makes the handler of a list: ready pages where no mounted server has interceptors, else what those leave of their server's list, put
 * together with the rest for each request. A failure of one of them fails the list: an answer that lacks entries would look whole.
 */
export function routeList(
  part: Part,
  { kind, member }: Listing,
  through: ReadonlyMap<Mount, MethodHandler>,
): MethodHandler {
  if (through.size === 0) return ({ cursor }) => part.catalog().pages[kind].page(cursor as string | undefined);
  const intercepted = new Set(through.keys());
  return async ({ cursor, ...params }, context) => {
    const definitions: ReadonlyMap<string, { readonly listed: object }> = definitionsOf(part, intercepted)[kind];
    const rest = listed(definitions) as readonly ListedEntry[];
    const lists = await Promise.all(
      [...through].map(async ([{ prefix }, handler]) => {
        const { entries, hints } = await readWhole(handler, member, params, context);
        return { hints, entries: entries.map((entry) => exposed(prefix, kind, entry)) };
      }),
    );
    const entries = [...rest, ...lists.flatMap((list) => list.entries)];
    const hints = leastFresh([hintsOf(part), ...lists.flatMap((list) => list.hints)]);
    return createListPages(member, entries, hints, part.pageSize).page(cursor as string | undefined);
  };
}

/** An entry of any list: it has the member that its list is sorted by. */
type ListedEntry = ListEntry<ListMember> & { readonly name: string };

function exposed(prefix: string, kind: Kind, entry: ListedEntry): ListedEntry {
  const name = exposedKey(prefix, kind, entry.name);
  return name === entry.name ? entry : { ...entry, name };
}

async function readWhole(
  handler: MethodHandler,
  member: ListMember,
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
