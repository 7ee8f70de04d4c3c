import { type Governed, type GovernedKind, templateGlob } from '../policy/governed.ts';
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
import { isQualified, qualifiedUri, qualifiedUriTemplate } from './resource-address.ts';
import { createResourceLookup, type ResourceLookup } from './resource-lookup.ts';
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

/**
 * The merged catalog of all servers as far as it may be seen: an immutable snapshot. Names are routed by its tables;
 * nothing takes a name apart. All lists are sorted by what they are exposed as.
 */
export interface AgentView extends ResourceLookup {
  /** By exposed name. */
  readonly tools: ReadonlyMap<string, ToolEntry>;
  readonly prompts: ReadonlyMap<string, PromptEntry>;
  readonly listed: {
    readonly tools: readonly ExposedTool[];
    readonly prompts: readonly ExposedPrompt[];
    readonly resources: readonly ExposedResource[];
    readonly resourceTemplates: readonly ExposedResourceTemplate[];
  };
  /** Answers the template that is exposed as a URI template, or that its qualified form means. */
  findTemplate(uriTemplate: string): TemplateEntry | undefined;
}

/** Merges what is known of servers into the catalog of one agent. */
export function createAgentView(servers: readonly KnownServer[], sight: Sight): AgentView {
  const permits = (governed: Governed): boolean => sight.permits(governed);
  const seen = <E extends { readonly governed: Governed }>(entries: readonly E[]): readonly E[] =>
    entries.filter(({ governed }) => permits(governed));
  const catalogs = servers.flatMap(({ catalog }) => (catalog === undefined ? [] : [catalog]));
  const tools = catalogs.flatMap((catalog) => seen(catalog.tools)).toSorted(byKey);
  const prompts = catalogs.flatMap((catalog) => seen(catalog.prompts)).toSorted(byKey);
  const resources = catalogs.flatMap((catalog) => seen(catalog.resources));
  const templates = catalogs
    .flatMap((catalog) => catalog.templates)
    .filter(({ governed }) => sight.couldReach('resource', templateGlob(governed)));

  const resourceClaims = Map.groupBy(resources, ({ key }) => key);
  const templateClaims = Map.groupBy(templates, ({ key }) => key);
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
    ...createResourceLookup({
      servers: servers.map(({ name }) => name),
      resources: resourceClaims,
      templates,
      permits,
    }),
    tools: new Map(tools.map((tool) => [tool.key, tool])),
    prompts: new Map(prompts.map((prompt) => [prompt.key, prompt])),
    listed: {
      tools: tools.map(({ exposed }) => exposed),
      prompts: prompts.map(({ exposed }) => exposed),
      resources: resources.map((entry) => exposeResource(entry, resourceClaims)).toSorted(byUri),
      resourceTemplates: exposedTemplates.map(({ key, entry }) => exposeTemplate(key, entry)),
    },
    findTemplate: (uriTemplate) => templatesByAddress.get(uriTemplate),
  };
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
