import { type Governed, governedByUri } from '../policy/governed.ts';
import type { ResourceEntry, TemplateEntry } from './entry.ts';
import { exposedServerName } from './exposed-name.ts';
import { hasOneSpelling, isQualified, MAX_SUBJECT_CHARS, parseQualifiedUri, qualifiedUri } from './resource-address.ts';

/**
 * The steps that the templates of one server may take for one URI, so that they hold up nobody else; see `matchCost`.
 */
const MAX_STEPS = 4_000_000;
/** The steps that all links of one result may take. */
const MAX_LINK_STEPS = 16_000_000;
/** What looking at a template costs at least, in steps, also where it is told at once that it does not match. */
const LOOK_STEPS = 32;
/** What a verdict about a URI that nobody asked for before costs, in steps. */
const VERDICT_STEPS = 10_000;

/** Which server a URI means. */
export type ResourceFinding =
  | { readonly server: string; readonly uri: string }
  /** Several servers claim it; the qualified URI of each. */
  | { readonly ambiguous: readonly string[] }
  | undefined;

/** Finds the server that a URI means, among what may be seen. */
export interface ResourceLookup {
  /**
   * Answers which server a URI means: a qualified URI the one that it names; any other the only server that lists it,
   * or where none does, the only one with a template that matches it. Of a server with so many and such long templates
   * that they take too many steps, the first ones are looked at.
   */
  findResource(uri: string): ResourceFinding;
  /**
   * Answers a function that gives the URI under which a URI of a server can be read here, for the links of one result.
   * They share a bound on the steps that they take; a URI beyond it, or too long to be looked up, gets its qualified
   * form.
   */
  exposeLinks(server: string): (uri: string) => string;
}

/** What a lookup goes through. */
export interface LookupSources {
  /** The configured names of all servers. */
  readonly servers: readonly string[];
  /** The listed resources that may be seen, by URI. */
  readonly resources: ReadonlyMap<string, readonly ResourceEntry[]>;
  readonly templates: readonly TemplateEntry[];
  /** Whether a policy permits something, perhaps after an approval. */
  permits(governed: Governed): boolean;
}

/** What a lookup may still cost. */
interface Effort {
  steps: number;
}

/**
 * Creates a lookup. It runs between calls that others wait for, so its work is bounded whatever servers list and
 * answer.
 */
export function createResourceLookup({ servers, resources, templates, permits }: LookupSources): ResourceLookup {
  const serversByExposedName = new Map(servers.map((name) => [exposedServerName(name), name]));
  const templatesByServer = Map.groupBy(templates, ({ server }) => server);

  return {
    findResource: (uri) => find(uri, { steps: Infinity }),
    exposeLinks(server) {
      const effort: Effort = { steps: MAX_LINK_STEPS };
      return (uri) => {
        const isLookedUp = uri.length <= MAX_SUBJECT_CHARS && effort.steps > 0;
        const found = isLookedUp ? find(uri, effort) : undefined;
        // Where the steps ran out on the way, another server may have it, too.
        const isSure = found !== undefined && effort.steps > 0;
        return isSure && 'server' in found && found.server === server ? uri : qualifiedUri(server, uri);
      };
    },
  };

  function find(uri: string, effort: Effort): ResourceFinding {
    if (isQualified(uri)) return findQualified(uri, effort);
    const claims = resources.get(uri);
    const claimants = claims === undefined ? matching(uri, effort) : claims.map(({ server }) => server);
    const [server] = claimants;
    if (server === undefined) return undefined;
    return claimants.length === 1
      ? { server, uri }
      : { ambiguous: claimants.toSorted().map((each) => qualifiedUri(each, uri)) };
  }

  function findQualified(qualified: string, effort: Effort): ResourceFinding {
    const parsed = parseQualifiedUri(qualified);
    const server = parsed === undefined ? undefined : serversByExposedName.get(parsed.exposedServer);
    if (parsed === undefined || server === undefined) return undefined;
    const { uri } = parsed;
    const isListed = resources.get(uri)?.some((entry) => entry.server === server) === true;
    if (isListed) return { server, uri };
    // What holds an expression is a template, and no URI.
    return hasOneSpelling(uri) && !/[{}]/.test(uri) && mayRead(server, uri, effort) ? { server, uri } : undefined;
  }

  /** The servers with a template that matches, and of which the URI may be read. */
  function matching(uri: string, effort: Effort): string[] {
    if (!hasOneSpelling(uri)) return [];
    const claimants = [...templatesByServer].filter(([, entries]) => isMatched(uri, entries, effort));
    return claimants.map(([server]) => server).filter((server) => mayRead(server, uri, effort));
  }

  function mayRead(server: string, uri: string, effort: Effort): boolean {
    effort.steps -= VERDICT_STEPS;
    return permits(governedByUri(server, uri));
  }
}

function isMatched(uri: string, entries: readonly TemplateEntry[], effort: Effort): boolean {
  let steps = 0;
  for (const { template } of entries) {
    const cost = template.matchCost(uri);
    steps += LOOK_STEPS + cost;
    effort.steps -= LOOK_STEPS + cost;
    if (steps > MAX_STEPS || effort.steps <= 0) return false;
    if (cost > 0 && template.match(uri) !== undefined) return true;
  }
  return false;
}
