import {
  describeMisfit,
  isJsonObject,
  type JsonObject,
  prompt,
  type Prompt,
  resource,
  type Resource,
  resourceTemplate,
  type ResourceTemplate,
  type Shape,
  tool,
  type Tool,
} from '@switchyard/protocol';
import type { ListKind } from './list-all.ts';

/** `tools/list`. A tool needs a name, and an `inputSchema` that is an object schema. */
export const toolList: ListKind<Tool> = {
  method: 'tools/list',
  member: 'tools',
  read: (entry) => readEntry<Tool>(entry, 'name', tool, whyUnusable),
};

/** `resources/list`. */
export const resourceList: ListKind<Resource> = {
  method: 'resources/list',
  member: 'resources',
  read: (entry) => readEntry<Resource>(entry, 'uri', resource),
};

/** `resources/templates/list`. */
export const resourceTemplateList: ListKind<ResourceTemplate> = {
  method: 'resources/templates/list',
  member: 'resourceTemplates',
  read: (entry) => readEntry<ResourceTemplate>(entry, 'uriTemplate', resourceTemplate),
};

/** `prompts/list`. */
export const promptList: ListKind<Prompt> = {
  method: 'prompts/list',
  member: 'prompts',
  read: (entry) => readEntry<Prompt>(entry, 'name', prompt),
};

function readEntry<T extends object>(
  received: unknown,
  keyMember: string,
  shape: Shape<unknown>,
  alsoUnusable: (entry: JsonObject) => string | undefined = () => undefined,
): ReturnType<ListKind<T>['read']> {
  if (!isJsonObject(received)) return { reason: 'It must be an object.' };
  const entry = withoutNulls(received);
  const key = entry[keyMember];
  const name = typeof key === 'string' && key !== '' ? { name: key } : {};
  const misfit = shape(entry);
  if (misfit !== undefined) return { ...name, reason: `${capitalised(describeMisfit('', misfit))}.` };
  if (typeof key !== 'string' || key === '') return { reason: `Its ${keyMember} must not be empty.` };
  const problem = alsoUnusable(entry);
  return problem === undefined ? { key, entry: entry as object as T } : { ...name, reason: problem };
}

/** Serialisers that write absent members as `null` are common; no member of an entry may be `null`. */
function withoutNulls(entry: JsonObject): JsonObject {
  if (!Object.values(entry).includes(null)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}

/** The shape says that the schema is an object schema; a validator needs its properties to be a map, too. */
function whyUnusable({ inputSchema }: JsonObject): string | undefined {
  const properties = isJsonObject(inputSchema) ? inputSchema['properties'] : undefined;
  return properties === undefined || isJsonObject(properties)
    ? undefined
    : 'Its inputSchema.properties must be an object.';
}

/** Turns `.inputSchema must be present` into a sentence about the entry. */
function capitalised(misfit: string): string {
  return `Its ${misfit.replace(/^\./, '').trim()}`;
}
