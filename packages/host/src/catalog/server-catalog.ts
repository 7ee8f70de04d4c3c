import type { Client } from '@switchyard/client';
import { cleanText } from '@switchyard/guards';
import { errorCodes, ProtocolError } from '@switchyard/protocol';
import type { EntryReading, PromptEntry, ResourceEntry, TemplateEntry, ToolEntry } from './entry.ts';
import { createPromptEntry, createResourceEntry, createTemplateEntry, shownName } from './list-entry.ts';
import { createToolEntry, type ToolSchemas } from './tool-entry.ts';

const MAX_ENTRIES = 10_000;
const MAX_REASON_CHARS = 500;

/** Stands in place of the name of a {@link LeftOutEntry} where a server refuses to give a list. */
export const WHOLE_LIST = 'the whole list';

/** An entry of a server's lists that cannot be used, and why. */
export interface LeftOutEntry {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'resource template';
  readonly name: string;
  readonly reason: string;
}

/** What one server offers, as it last said: an immutable snapshot. */
export interface ServerCatalog {
  readonly tools: readonly ToolEntry[];
  readonly prompts: readonly PromptEntry[];
  readonly resources: readonly ResourceEntry[];
  readonly templates: readonly TemplateEntry[];
  readonly leftOut: readonly LeftOutEntry[];
  /** How long the snapshot is fresh, in milliseconds; infinite where the server announces changes instead. */
  readonly freshMs: number;
}

/** What {@link loadServerCatalog} needs beside the client. */
export interface CatalogLoading {
  readonly server: string;
  /** Keeps the lists that the server fails to give now. */
  readonly previous: ServerCatalog | undefined;
  readonly schemas: ToolSchemas;
  readonly signal: AbortSignal;
  /** How long one list may take, in milliseconds. */
  readonly timeoutMs: number;
  /** Takes what is left out now, and what was before. */
  readonly onLeftOut: (leftOut: readonly LeftOutEntry[], before: readonly LeftOutEntry[]) => void;
  /** The same for tools whose results are not checked, because their `outputSchema` cannot be read. */
  readonly onUnchecked: CatalogLoading['onLeftOut'];
}

interface List<E> {
  readonly entries: readonly E[];
  readonly leftOut: readonly LeftOutEntry[];
  readonly ttlMs: number;
}

interface Listing<T> {
  readonly entries: readonly T[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  readonly ttlMs: number;
}

/**
 * Reads what a server offers, all its lists at once. An entry that cannot be used is left out alone, with a reason. A
 * list that the server refuses to give is kept as it was. Rejects with the client's error where the server cannot be
 * reached.
 */
export async function loadServerCatalog(client: Client, loading: CatalogLoading): Promise<ServerCatalog> {
  const { server, previous, schemas, signal, timeoutMs, onLeftOut, onUnchecked } = loading;
  const { capabilities } = client;
  const options = { signal, timeoutMs, maxTimeoutMs: timeoutMs };

  const lastTools = new Map(previous?.tools.map((entry) => [entry.name, entry]));
  const listTools = async () => {
    const list = await client.listTools(options);
    return { ...list, entries: list.tools };
  };
  const listPrompts = async () => {
    const list = await client.listPrompts(options);
    return { ...list, entries: list.prompts };
  };
  const listResources = async () => {
    const list = await client.listResources(options);
    return { ...list, entries: list.resources };
  };
  const listTemplates = async () => {
    const list = await client.listResourceTemplates(options);
    return { ...list, entries: list.resourceTemplates };
  };
  const [tools, prompts, resources, templates] = await Promise.all([
    read('tool', capabilities.tools, previous?.tools, listTools, (tool) =>
      createToolEntry(server, tool, schemas, lastTools.get(tool.name)),
    ),
    read('prompt', capabilities.prompts, previous?.prompts, listPrompts, (prompt) => createPromptEntry(server, prompt)),
    read('resource', capabilities.resources, previous?.resources, listResources, (resource) =>
      createResourceEntry(server, resource),
    ),
    read('resource template', capabilities.resources, previous?.templates, listTemplates, (template) =>
      createTemplateEntry(server, template),
    ),
  ]);

  const lists = [tools, prompts, resources, templates];
  const leftOut = lists.flatMap((list) => list.leftOut);
  onLeftOut(leftOut, previous?.leftOut ?? []);
  onUnchecked(uncheckedOf(tools.entries), uncheckedOf(previous?.tools ?? []));
  // A legacy server gives no freshness; it announces changes.
  const freshMs = client.era === 'legacy' ? Infinity : Math.min(...lists.map(({ ttlMs }) => ttlMs));
  return {
    tools: tools.entries,
    prompts: prompts.entries,
    resources: resources.entries,
    templates: templates.entries,
    leftOut,
    freshMs,
  };

  async function read<T, E extends { readonly key: string }>(
    kind: LeftOutEntry['kind'],
    capability: object | undefined,
    last: readonly E[] | undefined,
    list: () => Promise<Listing<T>>,
    toEntry: (listed: T) => EntryReading<E>,
  ): Promise<List<E>> {
    if (capability === undefined) return { entries: [], leftOut: [], ttlMs: Infinity };
    try {
      const { entries, leftOut: misshapen, ttlMs } = await list();
      const made = makeEntries(kind, entries, toEntry);
      const before = misshapen.map(({ name, reason }) => ({ kind, name, reason }));
      return { entries: made.entries, leftOut: [...before, ...made.leftOut], ttlMs };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      // A server with resources need not have templates, and some have prompts in name only.
      if (error.code === errorCodes.methodNotFound.code) return { entries: [], leftOut: [], ttlMs: Infinity };
      const reason = `The server refuses to list them: ${cleanText(error.message, { maxChars: MAX_REASON_CHARS })} (${error.code})`;
      return { entries: last ?? [], leftOut: [{ kind, name: WHOLE_LIST, reason }], ttlMs: Infinity };
    }
  }
}

function uncheckedOf(tools: readonly ToolEntry[]): readonly LeftOutEntry[] {
  return tools.flatMap(({ name, unchecked: reason }) =>
    reason === undefined ? [] : [{ kind: 'tool' as const, name: shownName(name), reason }],
  );
}

function makeEntries<T, E extends { readonly key: string }>(
  kind: LeftOutEntry['kind'],
  listed: readonly T[],
  toEntry: (listed: T) => EntryReading<E>,
): { readonly entries: readonly E[]; readonly leftOut: readonly LeftOutEntry[] } {
  const entries = new Map<string, E>();
  const leftOut: LeftOutEntry[] = [];
  for (const each of listed.slice(0, MAX_ENTRIES)) {
    const reading = toEntry(each);
    if ('reason' in reading) {
      leftOut.push({ kind, ...reading });
    } else if (entries.has(reading.entry.key)) {
      leftOut.push({ kind, name: shownName(reading.entry.key), reason: 'Another entry has the same exposed name.' });
    } else {
      entries.set(reading.entry.key, reading.entry);
    }
  }
  const rest = listed.length - MAX_ENTRIES;
  if (rest > 0)
    leftOut.push({ kind, name: `${rest} more`, reason: `A server may have at most ${MAX_ENTRIES} of a kind.` });
  return { entries: [...entries.values()], leftOut };
}
