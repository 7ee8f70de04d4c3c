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
import { readAs } from '../read-as.ts';
import type { ListKind } from './list-all.ts';

/** `tools/list`. A tool needs a name, and an `inputSchema` that is an object schema. */
export const toolList: ListKind<Tool, 'tools/list'> = {
  method: 'tools/list',
  entriesOf: ({ tools }) => tools,
  read: (entry) => readEntry(entry, 'name', tool, whyUnusable),
};

/** `resources/list`. */
export const resourceList: ListKind<Resource, 'resources/list'> = {
  method: 'resources/list',
  entriesOf: ({ resources }) => resources,
  read: (entry) => readEntry(entry, 'uri', resource),
};

/** `resources/templates/list`. */
export const resourceTemplateList: ListKind<ResourceTemplate, 'resources/templates/list'> = {
  method: 'resources/templates/list',
  entriesOf: ({ resourceTemplates }) => resourceTemplates,
  read: (entry) => readEntry(entry, 'uriTemplate', resourceTemplate),
};

/** `prompts/list`. */
export const promptList: ListKind<Prompt, 'prompts/list'> = {
  method: 'prompts/list',
  entriesOf: ({ prompts }) => prompts,
  read: (entry) => readEntry(entry, 'name', prompt),
};

function readEntry<T>(
  received: unknown,
  keyMember: string & keyof T,
  shape: Shape<T>,
  alsoUnusable: (entry: T) => string | undefined = () => undefined,
): ReturnType<ListKind<T>['read']> {
  if (!isJsonObject(received)) return { reason: 'It must be an object.' };
  const entry = withoutNulls(received);
  const key = entry[keyMember];
  const name = typeof key === 'string' && key !== '' ? { name: key } : {};
  const reading = readAs(shape, entry);
  if ('misfit' in reading) return { ...name, reason: `${capitalised(describeMisfit('', reading.misfit))}.` };
  if (typeof key !== 'string' || key === '') return { reason: `Its ${keyMember} must not be empty.` };
  const problem = alsoUnusable(reading.value);
  return problem === undefined ? { key, entry: reading.value } : { ...name, reason: problem };
}

/** Serialisers that write absent members as `null` are common; no member of an entry may be `null`. */
function withoutNulls(entry: JsonObject): JsonObject {
  if (!Object.values(entry).includes(null)) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null));
}

/** The shape says that the schema is an object schema; a validator needs its properties to be a map, too. */
function whyUnusable({ inputSchema }: Tool): string | undefined {
  const { properties }: JsonObject = inputSchema;
  return properties === undefined || isJsonObject(properties)
    ? undefined
    : 'Its inputSchema.properties must be an object.';
}

/** Turns `.inputSchema must be present` into a sentence about the entry. */
function capitalised(misfit: string): string {
  return `Its ${misfit.replace(/^\./, '').trim()}`;
}
