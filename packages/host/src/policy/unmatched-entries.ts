import { nearestNames } from '@switchyard/config';
import { shownName } from '../catalog/list-entry.ts';
import { type ServerCatalog, WHOLE_LIST } from '../catalog/server-catalog.ts';
import { globMatches, globsOverlap } from './glob.ts';
import { type Governed, type GovernedKind, governedGlob, templateGlob } from './governed.ts';
import type { AccessRule } from './short-form.ts';

/** An access entry that names a server which has answered and matches nothing of it, most likely a slip. */
export interface UnmatchedEntry {
  /** Where it stands in the configuration: `agents`, the agent, the list, the index. */
  readonly path: readonly (string | number)[];
  /** A clause without a full stop that repeats the entry. */
  readonly message: string;
  /** A clause with the nearest name that the server has. */
  readonly suggestion?: string;
}

/** What is known of one server. `catalog` is undefined while it has not said what it has. */
export interface KnownServer {
  readonly name: string;
  readonly catalog: ServerCatalog | undefined;
}

/** What entries are held against: names, and patterns where a server can have more than it lists. */
interface Offer {
  readonly names: ReadonlySet<string>;
  readonly globs: readonly string[];
}

/**
 * Finds the access entries of an agent that match nothing, in the order of the rules. An entry is only told of where it
 * begins with the name of a server that has said what it has of the kind; one for everything of a server is not, as it
 * cannot be misspelled.
 */
export function findUnmatchedEntries(
  agent: string,
  rules: readonly AccessRule[],
  servers: readonly KnownServer[],
): readonly UnmatchedEntry[] {
  const offers = new Map<string, Offer | undefined>();

  function offerOf(kind: GovernedKind, { name, catalog }: KnownServer): Offer | undefined {
    const key = `${kind} ${name}`;
    if (!offers.has(key)) offers.set(key, catalog === undefined ? undefined : readOffer(kind, catalog));
    return offers.get(key);
  }

  return rules.flatMap((rule): readonly UnmatchedEntry[] => {
    const { effect, index, entry, kind, patterns } = rule;
    const [owner] = servers.flatMap((server) => {
      const prefix = governedGlob(kind, server.name).slice(0, -1);
      const pattern = patterns.find((each) => each.startsWith(prefix));
      return pattern === undefined ? [] : [{ server, rest: pattern.slice(prefix.length) }];
    });
    if (owner === undefined || /^\**$/.test(owner.rest)) return [];
    const offer = offerOf(kind, owner.server);
    if (offer === undefined || patterns.some((pattern) => matchesAny(pattern, offer))) return [];
    const [written = ''] = patterns;
    const [near] = nearestNames(written, offer.names, 1);
    const message = `agents.${agent}.${effect}[${index}] is ${JSON.stringify(entry)}, and server "${owner.server.name}" has no ${kind} that it matches`;
    const meant = `${entry.slice(0, entry.length - written.length)}${shownName(near ?? '')}`;
    return [
      {
        path: ['agents', agent, effect, index],
        message,
        ...(near === undefined ? {} : { suggestion: `did you mean ${JSON.stringify(meant)}?` }),
      },
    ];
  });
}

function matchesAny(pattern: string, { names, globs }: Offer): boolean {
  if (names.has(pattern) || globs.some((glob) => globsOverlap(pattern, glob))) return true;
  return pattern.includes('*') && [...names].some((name) => globMatches(pattern, name));
}

/** Answers what a server has of a kind; `undefined` where it does not tell. */
function readOffer(kind: GovernedKind, catalog: ServerCatalog): Offer | undefined {
  if (catalog.leftOut.some(({ kind: left, name }) => name === WHOLE_LIST && left.startsWith(kind))) return undefined;
  if (kind === 'resource') {
    const globs = catalog.templates.map(({ governed }) => templateGlob(governed));
    return { names: namesOf(catalog.resources), globs };
  }
  return { names: namesOf(kind === 'tool' ? catalog.tools : catalog.prompts), globs: [] };
}

function namesOf(entries: readonly { readonly governed: Governed }[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ governed: { name, ownName } }) => [name, ownName]));
}
