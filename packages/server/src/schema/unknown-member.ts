import { clip, isJsonObject, type JsonObject } from '@switchyard/protocol';
import { decodePointer, encodePointer, type JsonSchema } from '@switchyard/protocol/schema';

/** Answers the JSON pointer of the first member of a value that a closed schema does not know, or `undefined`. */
export type FindUnknownMember = (value: unknown) => string | undefined;

/**
 * What was found before, by schema and value: without it, alternatives that refer to each other take exponential time.
 */
type Found = Map<JsonObject, Map<object, string | undefined>>;

/**
 * Makes the function that finds what `closeSchema` forbids and a validator drops in silence. It goes wherever a schema
 * is closed: members, items, references and the alternatives of `anyOf` and `oneOf`, where a value is refused when each
 * alternative that its type, required members and constants leave open knows one of its members not. What it refuses
 * the schema refuses as well.
 */
export function createFindUnknownMember(root: JsonSchema): FindUnknownMember {
  const targets = new Map<string, unknown>();
  const branches = /"(?:anyOf|oneOf)":/.test(JSON.stringify(root));

  function resolve(schema: unknown): unknown {
    let target = schema;
    for (let hops = 0; isJsonObject(target) && typeof target['$ref'] === 'string'; hops += 1) {
      const ref: string = target['$ref'];
      if (hops > MAX_HOPS) return undefined;
      if (!targets.has(ref)) targets.set(ref, targetOf(root, ref));
      target = targets.get(ref);
    }
    return target;
  }

  function find(given: unknown, value: unknown, found: Found | undefined): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    const schema = resolve(given);
    if (!isJsonObject(schema)) return undefined;
    if (found === undefined) return look(schema, value, found);
    let known = found.get(schema);
    if (known === undefined) found.set(schema, (known = new Map<object, string | undefined>()));
    if (!known.has(value)) known.set(value, look(schema, value, found));
    return known.get(value);
  }

  function look(schema: JsonObject, value: object, found: Found | undefined): string | undefined {
    const own = Array.isArray(value)
      ? inItems(schema, value, found)
      : inMembers(schema, value as { readonly [key: string]: unknown }, found);
    if (own !== undefined || found === undefined) return own;
    return inAlternatives(schema['anyOf'], value, found) ?? inAlternatives(schema['oneOf'], value, found);
  }

  function inItems(schema: JsonObject, values: readonly unknown[], found: Found | undefined): string | undefined {
    const { items, prefixItems } = schema;
    const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
    if (first.length === 0 && !isJsonObject(items)) return undefined;
    for (const [index, value] of values.entries()) {
      const unknown = find(index < first.length ? first[index] : items, value, found);
      if (unknown !== undefined) return encodePointer([index]) + unknown;
    }
    return undefined;
  }

  function inMembers(
    { properties = {}, additionalProperties, patternProperties }: JsonObject,
    value: { readonly [key: string]: unknown },
    found: Found | undefined,
  ): string | undefined {
    if (!isJsonObject(properties)) return undefined;
    for (const key of Object.keys(value)) {
      const isNamed = Object.hasOwn(properties, key);
      if (!isNamed && patternProperties !== undefined) continue;
      if (!isNamed && additionalProperties === false) return encodePointer([clip(key)]);
      const unknown = find(isNamed ? properties[key] : additionalProperties, value[key], found);
      if (unknown !== undefined) return encodePointer([clip(key)]) + unknown;
    }
    return undefined;
  }

  function inAlternatives(alternatives: unknown, value: object, found: Found): string | undefined {
    if (!Array.isArray(alternatives)) return undefined;
    let first: string | undefined;
    for (const alternative of alternatives) {
      const schema = resolve(alternative);
      if (isJsonObject(schema) && !mayTake(schema, value)) continue;
      const unknown = find(schema, value, found);
      if (unknown === undefined) return undefined;
      first ??= unknown;
    }
    return first;
  }

  return (value) => find(root, value, branches ? new Map() : undefined);
}

const MAX_HOPS = 100;

/** What a reference of a derived schema leads to: the whole schema, or a place in it by JSON pointer. */
function targetOf(root: JsonSchema, ref: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let target: unknown = root;
  for (const key of decodePointer(decodeURIComponent(ref.slice(1)))) {
    target =
      typeof target === 'object' && target !== null && Object.hasOwn(target, key) ? Reflect.get(target, key) : {};
  }
  return target;
}

/** Whether an alternative can be the one that is meant, as far as type, required members and constants say. */
function mayTake(schema: JsonObject, value: object): boolean {
  const { type, required, properties } = schema;
  const kind = Array.isArray(value) ? 'array' : 'object';
  if (type !== undefined && type !== kind && !(Array.isArray(type) && type.includes(kind))) return false;
  if (kind === 'array') return true;
  if (Array.isArray(required) && !required.every((key) => Object.hasOwn(value, String(key)))) return false;
  if (!isJsonObject(properties)) return true;
  return Object.entries(properties).every(
    ([key, member]) =>
      !isJsonObject(member) || !Object.hasOwn(value, key) || isConstant(member, Reflect.get(value, key)),
  );
}

function isConstant(schema: JsonObject, value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return true;
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value);
  return !Object.hasOwn(schema, 'const') || schema['const'] === value;
}
