import {
  type AccessList,
  accessLists,
  createPrefixTest,
  NAME_SEPARATOR,
  parseAccessEntry,
  URI_SEPARATOR,
} from './access-entry.ts';
import { nearestName } from './nearest-names.ts';
import { quote, renderPath, type KeyPath } from './problem.ts';
import type { Report } from './report.ts';
import { childOf, keysOf, type ScalarNode, type SourceNode } from './source-node.ts';

const MAX_WARNINGS = 100;

/** The servers that entries may be about, beside those of the configuration itself. */
export interface KnownServers {
  /** Ids of servers that code mounts. */
  readonly mountedServers: readonly string[];
  /** What stands before `__` in the exposed names of a server's tools and prompts. */
  readonly exposedServerName: ((serverId: string) => string) | undefined;
  readonly report: Report;
}

/**
 * Warns of access entries that no known server can ever match, at most a hundred times.
 *
 * No server has to run for it, so an entry that names a server but no tool of it goes unnoticed. The tree must have the
 * declared shape.
 */
export function warnOfIdleEntries(root: SourceNode, context: KnownServers): void {
  const ids = [...keysOf(childOf(root, 'mcpServers')), ...context.mountedServers];
  if (ids.length === 0) return;
  const { exposedServerName, report } = context;
  const exposed = ids.map((id) => exposedServerName?.(id) ?? id);
  // A host has to change an id that no exposed name can hold; without its rule nothing is known about the name.
  const unknowable = exposedServerName === undefined && ids.some((id) => !/^[A-Za-z0-9_-]+$/.test(id));
  const namesServer = createPrefixTest(exposed.map((name) => name + NAME_SEPARATOR));
  // A host lets a `deny` cover the ids as well, so that no spelling of a server opens what was meant to be closed.
  const namesServerOrId = createPrefixTest([...exposed, ...ids].map((name) => name + NAME_SEPARATOR));
  const namesServerOfUri = createPrefixTest(ids.map((id) => id + URI_SEPARATOR));

  let warned = 0;
  for (const { node, text, path, list } of accessEntriesOf(childOf(root, 'agents'))) {
    const { kind, pattern } = parseAccessEntry(text);
    const ofName = list === 'deny' ? namesServerOrId : namesServer;
    const matches = kind === 'resource' ? namesServerOfUri(pattern) : unknowable || ofName(pattern);
    if (matches) continue;
    warned += 1;
    if (warned > MAX_WARNINGS) return;
    const suggestion =
      kind === 'resource'
        ? suggestEntry(text, pattern, URI_SEPARATOR, ids)
        : suggestEntry(text, pattern, NAME_SEPARATOR, exposed);
    report.warn(
      node.at,
      path,
      `${renderPath(path)} is ${quote(text)}, which matches nothing of any server`,
      suggestion,
    );
  }
}

/** The entry with the nearest server in place of the one that does not exist. */
function suggestEntry(text: string, pattern: string, separator: string, servers: readonly string[]): string {
  const end = pattern.indexOf(separator);
  const near = nearestName(end < 0 ? pattern : pattern.slice(0, end), servers);
  if (near === undefined) return `servers are ${servers.slice(0, 20).join(', ')}`;
  const kind = text.slice(0, text.length - pattern.length);
  return `did you mean ${quote(`${kind}${near}${end < 0 ? `${separator}*` : pattern.slice(end)}`)}?`;
}

interface WrittenEntry {
  readonly node: ScalarNode;
  readonly text: string;
  readonly path: KeyPath;
  readonly list: AccessList;
}

function* accessEntriesOf(agents: SourceNode | undefined): Iterable<WrittenEntry> {
  for (const id of keysOf(agents)) {
    for (const list of accessLists) {
      const node = childOf(childOf(agents, id), list);
      for (const [index, item] of node?.kind === 'list' ? node.items.entries() : []) {
        if (item.kind !== 'scalar' || typeof item.value !== 'string') continue;
        yield { node: item, text: item.value, path: ['agents', id, list, index], list };
      }
    }
  }
}
