import {
  type CacheHints,
  compareTemplates,
  extensions,
  type Implementation,
  type ServerCapabilities,
} from '@switchyard/protocol';

import { APP_MIME_TYPE } from '../apps/app-resource.ts';
import type { CompiledPrompt } from '../definition/prompt.ts';
import type { CompiledResource, CompiledResourceTemplate } from '../definition/resource.ts';
import type { CompiledTool } from '../definition/tool.ts';
import { createListPages, type ListPages } from './list-pages.ts';
import { createSkillCatalog, type SkillCatalog } from '../skills/skill-catalog.ts';

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
  readonly skills: SkillCatalog;
  readonly capabilities: ServerCapabilities;
  readonly pages: {
    readonly tools: ListPages;
    readonly resources: ListPages;
    readonly templates: ListPages;
    readonly prompts: ListPages;
  };
}

/** Answers what is listed of definitions. */
export function listed<T>(entries: ReadonlyMap<string, { readonly listed: T }>): readonly T[] {
  return [...entries.values()].map((entry) => entry.listed);
}

/** Makes the snapshot. */
export function createCatalog(
  definitions: Definitions,
  hints: CacheHints,
  pageSize: number,
  { offersTasks }: { readonly offersTasks: boolean },
): Catalog {
  const tools = new Map(definitions.tools);
  const resources = new Map(definitions.resources);
  const templates = new Map(definitions.templates);
  const prompts = new Map(definitions.prompts);
  const completes =
    [...prompts.values()].some((prompt) => Object.keys(prompt.completers).length > 0) ||
    [...templates.values()].some((template) => Object.keys(template.complete).length > 0);
  const skills = createSkillCatalog(resources, hints, pageSize);
  const offered = {
    ...(offersTasks ? { [extensions.tasks]: {} } : {}),
    ...(skills.size > 0 ? { [extensions.skills]: { directoryRead: true } } : {}),
    ...([...resources.values()].some(({ listed: { mimeType } }) => mimeType === APP_MIME_TYPE)
      ? { [extensions.apps]: { mimeTypes: [APP_MIME_TYPE] } }
      : {}),
  };
  return {
    tools,
    resources,
    templates,
    orderedTemplates: [...templates.values()].sort((a, b) => compareTemplates(a.template, b.template)),
    prompts,
    skills,
    capabilities: {
      ...(tools.size > 0 ? { tools: { listChanged: true } } : {}),
      ...(resources.size + templates.size > 0 ? { resources: { subscribe: true, listChanged: true } } : {}),
      ...(prompts.size > 0 ? { prompts: { listChanged: true } } : {}),
      ...(completes ? { completions: {} } : {}),
      logging: {},
      ...(Object.keys(offered).length > 0 ? { extensions: offered } : {}),
    },
    pages: {
      tools: createListPages('tools', listed(tools), hints, pageSize),
      resources: createListPages(
        'resources',
        [...resources.values()].filter(({ isListed }) => isListed).map((entry) => entry.listed),
        hints,
        pageSize,
      ),
      templates: createListPages('resourceTemplates', listed(templates), hints, pageSize),
      prompts: createListPages('prompts', listed(prompts), hints, pageSize),
    },
  };
}
