import { type CacheHints, compareTemplates, type Implementation, type ServerCapabilities } from '@switchyard/protocol';

import type { CompiledPrompt } from './definition/prompt.ts';
import type { CompiledResource, CompiledResourceTemplate } from './definition/resource.ts';
import type { CompiledTool } from './definition/tool.ts';
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
export interface Catalog {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly resources: ReadonlyMap<string, CompiledResource>;
  readonly templates: ReadonlyMap<string, CompiledResourceTemplate>;
  /** Templates in the order in which they are tried against a URI: the most specific first. */
  readonly orderedTemplates: readonly CompiledResourceTemplate[];
  readonly prompts: ReadonlyMap<string, CompiledPrompt>;
  readonly capabilities: ServerCapabilities;
  readonly pages: {
    readonly tools: ListPages;
    readonly resources: ListPages;
    readonly templates: ListPages;
    readonly prompts: ListPages;
  };
}

/** Makes the snapshot. */
export function createCatalog(definitions: Definitions, hints: CacheHints, pageSize: number): Catalog {
  const tools = new Map(definitions.tools);
  const resources = new Map(definitions.resources);
  const templates = new Map(definitions.templates);
  const prompts = new Map(definitions.prompts);
  const listed = <T>(entries: ReadonlyMap<string, { readonly listed: T }>): T[] =>
    [...entries.values()].map((entry) => entry.listed);
  const completes =
    [...prompts.values()].some((prompt) => Object.keys(prompt.completers).length > 0) ||
    [...templates.values()].some((template) => Object.keys(template.complete).length > 0);
  return {
    tools,
    resources,
    templates,
    orderedTemplates: [...templates.values()].sort((a, b) => compareTemplates(a.template, b.template)),
    prompts,
    capabilities: {
      ...(tools.size > 0 ? { tools: {} } : {}),
      ...(resources.size + templates.size > 0 ? { resources: {} } : {}),
      ...(prompts.size > 0 ? { prompts: {} } : {}),
      ...(completes ? { completions: {} } : {}),
      logging: {},
    },
    pages: {
      tools: createListPages('tools', listed(tools), hints, pageSize),
      resources: createListPages('resources', listed(resources), hints, pageSize),
      templates: createListPages('resourceTemplates', listed(templates), hints, pageSize),
      prompts: createListPages('prompts', listed(prompts), hints, pageSize),
    },
  };
}
