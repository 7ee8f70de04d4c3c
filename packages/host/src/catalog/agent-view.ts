import { type Governed, governedByUri, type GovernedKind, templateGlob } from '../policy/governed.ts';
import type {
  ExposedPrompt,
  ExposedResource,
  ExposedResourceTemplate,
  ExposedTool,
  PromptEntry,
  ResourceEntry,
  TemplateEntry,
  ToolEntry,
} from './entry.ts';
import { exposedServerName } from './exposed-name.ts';
import {
  hasOneSpelling,
  isQualified,
  parseQualifiedUri,
  qualifiedUri,
  qualifiedUriTemplate,
} from './resource-address.ts';
import type { ServerCatalog } from './server-catalog.ts';

/** A server and what is known of its offer. */
export interface KnownServer {
  readonly name: string;
  readonly catalog: ServerCatalog | undefined;
}

/** What may be seen: by one agent, or everything. */
export interface Sight {
  /** Whether a policy permits something, perhaps after an approval. */
  permits(governed: Governed): boolean;
  /** Whether it might permit something of a kind whose name fits the pattern. */
  couldReach(kind: GovernedKind, glob: string): boolean;
}

/** Which server a URI means. */
export type ResourceFinding =
  | { readonly server: string; readonly uri: string }
  /** Several servers claim it; the qualified URI of each. */
  | { readonly ambiguous: readonly string[] }
  | undefined;

/**
 * The merged catalog of all servers as far as it may be seen: an immutable snapshot. Names are routed by its tables;
 * nothing takes a name apart. All lists are sorted by what they are exposed as.
 */
export interface AgentView {
  /** By exposed name. */
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly listed: {
    readonly tools: readonly ExposedTool[];
    readonly prompts: readonly ExposedPrompt[];
    readonly resources: readonly ExposedResource[];
    readonly resourceTemplates: readonly ExposedResourceTemplate[];
  };
  /**
   * Answers which server a URI means: a qualified URI the one that it names; any other the only server that lists it,
   * or where none does, the only one with a template that matches it.
   */
  findResource(uri: string): ResourceFinding;
  /** Answers the template that is exposed as a URI template, or that its qualified form means. */
  findTemplate(uriTemplate: string): TemplateEntry | undefined;
  /** Answers the URI under which a server's URI can be read here. */
  exposeUri(server: string, uri: string): string;
}

/** Merges what is known of servers into the catalog of one agent. */
export function createAgentView(servers: readonly KnownServer[], sight: Sight): AgentView {
  const seen = <E extends { readonly governed: Governed }>(entries: readonly E[]): readonly E[] =>
    entries.filter(({ governed }) => sight.permits(governed));
  const catalogs = servers.flatMap(({ catalog }) => (catalog === undefined ? [] : [catalog]));
  const tools = catalogs.flatMap((catalog) => seen(catalog.tools)).toSorted(byKey);
  const prompts = catalogs.flatMap((catalog) => seen(catalog.prompts)).toSorted(byKey);
  const resources = catalogs.flatMap((catalog) => seen(catalog.resources));
  const templates = catalogs
    .flatMap((catalog) => catalog.templates)
    .filter(({ governed }) => sight.couldReach('resource', templateGlob(governed)));

  const resourceClaims = Map.groupBy(resources, ({ key }) => key);
  const templateClaims = Map.groupBy(templates, ({ key }) => key);
  const serversByExposedName = new Map(servers.map(({ name }) => [exposedServerName(name), name]));
  const exposedTemplates = templates
    .map((entry) => ({ key: templateAddress(entry, templateClaims), entry }))
    .toSorted(byKey);
  const templatesByAddress = new Map(
    exposedTemplates.flatMap(({ key, entry }) => [
      [key, entry],
      [qualifiedUriTemplate(entry.server, entry.key), entry],
    ]),
  );

  return {
    tools: new Map(tools.map((tool) => [tool.key, tool])),
    prompts: new Map(prompts.map((prompt) => [prompt.key, prompt])),
    listed: {
      tools: tools.map(({ exposed }) => exposed),
      prompts: prompts.map(({ exposed }) => exposed),
      resources: resources.map((entry) => exposeResource(entry, resourceClaims)).toSorted(byUri),
      resourceTemplates: exposedTemplates.map(({ key, entry }) => exposeTemplate(key, entry)),
    },
    findResource,
    findTemplate: (uriTemplate) => templatesByAddress.get(uriTemplate),
    exposeUri(server, uri) {
      const found = findResource(uri);
      return found !== undefined && 'server' in found && found.server === server ? uri : qualifiedUri(server, uri);
    },
  };

  function findResource(uri: string): ResourceFinding {
    if (isQualified(uri)) return findQualified(uri);
    const claims = resourceClaims.get(uri);
    const claimants = claims === undefined ? matching(uri) : claims.map(({ server }) => server);
    const [server] = claimants;
    if (server === undefined) return undefined;
    return claimants.length === 1
      ? { server, uri }
      : { ambiguous: claimants.toSorted().map((each) => qualifiedUri(each, uri)) };
  }

  function findQualified(qualified: string): ResourceFinding {
    const parsed = parseQualifiedUri(qualified);
    const server = parsed === undefined ? undefined : serversByExposedName.get(parsed.exposedServer);
    if (parsed === undefined || server === undefined) return undefined;
    const { uri } = parsed;
    const isListed = resourceClaims.get(uri)?.some((entry) => entry.server === server) === true;
    if (isListed) return { server, uri };
    // What holds an expression is a template, and no URI.
    const mayRead = hasOneSpelling(uri) && !/[{}]/.test(uri) && sight.permits(governedByUri(server, uri));
    return mayRead ? { server, uri } : undefined;
  }

  /** The servers with a template that matches, and of which the URI may be read. */
  function matching(uri: string): string[] {
    if (!hasOneSpelling(uri)) return [];
    const matches = templates.filter(({ template }) => template.match(uri) !== undefined);
    const claimants = [...new Set(matches.map(({ server }) => server))];
    return claimants.filter((server) => sight.permits(governedByUri(server, uri)));
  }
}

function exposeResource(
  { key, server, definition }: ResourceEntry,
  claims: ReadonlyMap<string, readonly unknown[]>,
): ExposedResource {
  const isOwn = claims.get(key)?.length === 1 && !isQualified(key);
  return Object.freeze({ ...definition, uri: isOwn ? key : qualifiedUri(server, key), server, originalUri: key });
}

function templateAddress({ key, server }: TemplateEntry, claims: ReadonlyMap<string, readonly unknown[]>): string {
  return claims.get(key)?.length === 1 && !isQualified(key) ? key : qualifiedUriTemplate(server, key);
}

function exposeTemplate(uriTemplate: string, { key, server, definition }: TemplateEntry): ExposedResourceTemplate {
  return Object.freeze({ ...definition, uriTemplate, server, originalUriTemplate: key });
}

function byKey(first: { readonly key: string }, second: { readonly key: string }): number {
  return compare(first.key, second.key);
}

function byUri(first: { readonly uri: string }, second: { readonly uri: string }): number {
  return compare(first.uri, second.uri);
}

function compare(first: string, second: string): number {
  return first < second ? -1 : first > second ? 1 : 0;
}
