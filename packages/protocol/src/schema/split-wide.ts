import { type LoweredDocument, type LoweredSchema, loweredChildren } from './lowered-schema.ts';
import type { Matchers } from './matchers.ts';

const maxEntries = 32;

type Hoist = (piece: LoweredSchema) => LoweredSchema;

/**
 * Splits keywords with many entries into definitions of few. Ajv nests the code for one entry in that for the entry
 * before, so that some hundreds in a row compile in quadratic time and some more overflow the stack.
 */
export function splitWide(document: LoweredDocument, matchers: Matchers): void {
  const pending = [...document.values()].filter((schema) => typeof schema === 'object');
  const hoist: Hoist = (piece) => {
    const name = `w${document.size}`;
    document.set(name, piece);
    return { $ref: name };
  };
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    // Taken before the split: afterwards some of these children are reached through a definition only.
    for (const { child } of loweredChildren(schema)) pending.push(child);
    splitMaps(schema, hoist, matchers);
    splitLists(schema, hoist);
  }
}

function splitMaps(schema: LoweredSchema, hoist: Hoist, matchers: Matchers): void {
  for (const keyword of ['properties', 'patternProperties', 'dependentSchemas', 'dependentRequired']) {
    const entries = Object.entries(schema[keyword] ?? {});
    if (entries.length <= maxEntries) continue;
    const pieces = chunks(entries).map((chunk) => hoist({ [keyword]: Object.fromEntries(chunk) }));
    schema.allOf = [...((schema.allOf as LoweredSchema[] | undefined) ?? []), ...pieces];
    delete schema[keyword];
    // The names must stay beside keywords that apply to all other members.
    const names = entries.map(([name]) => name);
    if (keyword === 'properties') schema.properties = Object.fromEntries(names.map((name) => [name, true]));
    if (keyword === 'patternProperties') schema.patternProperties = { [matchers.handleForAny(names)]: true };
  }
}

function splitLists(schema: LoweredSchema, hoist: Hoist): void {
  for (const keyword of ['allOf', 'anyOf']) {
    const list = (schema[keyword] as unknown[] | undefined) ?? [];
    if (list.length > maxEntries) schema[keyword] = chunks(list).map((chunk) => hoist({ [keyword]: chunk }));
  }
}

function chunks<T>(list: readonly T[]): T[][] {
  const count = Math.ceil(list.length / maxEntries);
  return Array.from({ length: count }, (_, index) => list.slice(index * maxEntries, (index + 1) * maxEntries));
}
