import {
  type CacheHints,
  compareTemplates,
  type ExtensionId,
  type Implementation,
  type JsonObject,
  type ServerCapabilities,
} from '@switchyard/protocol';

import type { CompiledPrompt } from '../definition/prompt.ts';
import type { CompiledResource, CompiledResourceTemplate } from '../definition/resource.ts';
import type { CompiledTool } from '../definition/tool.ts';
import { type Kind, kinds } from './kinds.ts';
import { createListPages, type ListPages } from './list-pages.ts';

/** What an author defined so far, by name, URI or template. */
export interface Definitions {
  readonly info: Implementation;
  readonly tools: Map<string, CompiledTool>;
  readonly resources: Map<string, CompiledResource>;
  readonly templates: Map<string, CompiledResourceTemplate>;
  readonly prompts: Map<string, CompiledPrompt>;
}

/** An immutable snapshot of the definitions with everything that does not depend on a request made ready. */
export interface Catalog extends CatalogSettings {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly resources: ReadonlyMap<string, CompiledResource>;
  readonly templates: ReadonlyMap<string, CompiledResourceTemplate>;
  /** Templates in the order in which they are tried against a URI: the most specific first. */
  readonly orderedTemplates: readonly CompiledResourceTemplate[];
  readonly prompts: ReadonlyMap<string, CompiledPrompt>;
  readonly capabilities: ServerCapabilities;
  readonly pages: { readonly [K in Kind]: ListPages };
}

/** What a snapshot is made with besides the definitions. */
export interface CatalogSettings {
  /** How fresh the lists are. */
  readonly hints: CacheHints;
  /** Entries on one page of a list. */
  readonly pageSize: number;
  readonly extensions: OfferedExtensions;
}

/** The settings of the extensions that are offered, by identifier. */
export type OfferedExtensions = { readonly [K in ExtensionId]?: JsonObject };

/** Answers what is listed of definitions. */
export function listed<T>(
  entries: ReadonlyMap<string, { readonly listed: T; readonly isListed?: boolean }>,
): readonly T[] {
  return [...entries.values()].filter(({ isListed = true }) => isListed).map((entry) => entry.listed);
}

/** Makes the snapshot. */
export function createCatalog(definitions: Definitions, settings: CatalogSettings): Catalog {
  const { hints, pageSize, extensions } = settings;
  const tools = new Map(definitions.tools);
  const resources = new Map(definitions.resources);
  const templates = new Map(definitions.templates);
  const prompts = new Map(definitions.prompts);
  const completes =
    [...prompts.values()].some((prompt) => Object.keys(prompt.completers).length > 0) ||
    [...templates.values()].some((template) => Object.keys(template.complete).length > 0);
  return {
    ...settings,
    tools,
    resources,
    templates,
    orderedTemplates: [...templates.values()].sort((a, b) => compareTemplates(a.template, b.template)),
    prompts,
    capabilities: {
      ...(tools.size > 0 ? { tools: { listChanged: true } } : {}),
      ...(resources.size + templates.size > 0 ? { resources: { subscribe: true, listChanged: true } } : {}),
      ...(prompts.size > 0 ? { prompts: { listChanged: true } } : {}),
      ...(completes ? { completions: {} } : {}),
      logging: {},
      ...(Object.keys(extensions).length > 0 ? { extensions } : {}),
    },
    pages: {
      tools: createListPages(kinds.tools.method, listed(tools), hints, pageSize),
      resources: createListPages(kinds.resources.method, listed(resources), hints, pageSize),
      templates: createListPages(kinds.templates.method, listed(templates), hints, pageSize),
      prompts: createListPages(kinds.prompts.method, listed(prompts), hints, pageSize),
    },
  };
}
