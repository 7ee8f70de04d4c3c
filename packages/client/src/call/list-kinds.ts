import {
  describeMisfit,
  isJsonObject,
  isValueDeeperThan,
  type JsonObject,
  type ListMethodName,
  type ListShape,
  MAX_MESSAGE_DEPTH,
  methods,
  type Shape,
  type Shaped,
  type Tool,
} from '@switchyard/protocol';
import { readAs } from '../peer/read-as.ts';
import { withoutNulls } from '../peer/without-nulls.ts';
import { whyUnsafeUrl } from '../trust/unsafe-url.ts';
import type { ListKind } from './list-all.ts';

/** `tools/list`. A tool needs a name, and an `inputSchema` that is an object schema. */
export const toolList = createListKind('tools/list', whyUnusable);

/** `resources/list`. A resource whose URI is not safe as a link is left out. */
export const resourceList = createListKind('resources/list', ({ uri }) => whyUnsafe('uri', uri));

/** `resources/templates/list`. The same for a template. */
export const resourceTemplateList = createListKind('resources/templates/list', ({ uriTemplate }) =>
  whyUnsafe('uriTemplate', uriTemplate),
);

/** `prompts/list`. */
export const promptList = createListKind('prompts/list');

/** An entry of what a method lists. */
type EntryOf<M extends ListMethodName> = Shaped<(typeof methods)[M]['list']['entry']>;

/** Creates the kind of a list method; `alsoUnusable` answers one sentence on why an entry of the right shape is left out. */
export function createListKind<M extends ListMethodName>(
  method: M,
  alsoUnusable?: (entry: EntryOf<M>) => string | undefined,
): ListKind<EntryOf<M>, M> {
  const { member, key, entry }: ListShape = methods[method].list;
  return {
    method,
    // The result of the method has passed its shape, which has the member.
    entriesOf: (page: object) => (page as { readonly [name: string]: readonly unknown[] })[member] ?? [],
    read: (received) => readEntry(received, key, entry as Shape<EntryOf<M>>, alsoUnusable),
  };
}

function readEntry<T>(
  received: unknown,
  keyMember: string,
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
  if (isValueDeeperThan(entry, MAX_MESSAGE_DEPTH)) {
    return { ...name, reason: `It nests deeper than ${MAX_MESSAGE_DEPTH} levels, which nothing can use.` };
  }
  const problem = alsoUnusable(reading.value);
  return problem === undefined ? { key, entry: reading.value } : { ...name, reason: problem };
}

/** The shape says that the schema is an object schema; a validator needs its properties to be a map, too. */
function whyUnusable({ inputSchema }: Tool): string | undefined {
  const { properties }: JsonObject = inputSchema;
  return properties === undefined || isJsonObject(properties)
    ? undefined
    : 'Its inputSchema.properties must be an object.';
}

function whyUnsafe(member: string, url: string): string | undefined {
  const problem = whyUnsafeUrl(url);
  return problem === undefined ? undefined : `Its ${member} cannot be used: ${problem}.`;
}

/** Turns `.inputSchema must be present` into a sentence about the entry. */
function capitalised(misfit: string): string {
  return `Its ${misfit.replace(/^\./, '').trim()}`;
}
