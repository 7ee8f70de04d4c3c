import { isJsonObject, type JsonObject, parseJson } from '@switchyard/protocol';
import { decodePointer } from '@switchyard/protocol/schema';

const MAX_DEPTH = 16;
const MAX_VISITS = 1000;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** What a schema says about the JSON values that it takes, as far as it says so plainly. */
interface Expectation {
  /** Names of JSON Schema types; empty where the schema does not say. */
  readonly types: ReadonlySet<string>;
  /** The values of `const` and `enum`. */
  readonly constants: readonly unknown[];
  /** The schemas of an array's items. */
  readonly items: readonly unknown[];
}

/**
 * Answers the JSON value that a text on the command line means under a schema: a number where the schema takes numbers
 * and no text, and so for booleans, `null`, arrays and objects (written as JSON). A text that the schema's types do not
 * fit, or that nothing is known about, stays a text, so that whoever validates says what is wrong with it. Integers
 * keep all digits. `root` is what `$ref` starts from.
 */
export function typedValue(text: string, schema: unknown, root: unknown): unknown {
  const { types, constants, items } = expectationOf(schema, root);
  if (constants.includes(text)) return text;
  const constant = constants.find((value) => typeof value !== 'string' && JSON.stringify(value) === text);
  if (constant !== undefined) return constant;
  if (types.size === 0 || types.has('string')) return text;
  if ((types.has('number') || types.has('integer')) && JSON_NUMBER.test(text)) return exactJson(text);
  if (types.has('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (types.has('null') && text === 'null') return null;
  const container = types.has('array') || types.has('object') ? containerOf(text) : undefined;
  if (container !== undefined && types.has(Array.isArray(container) ? 'array' : 'object')) return container;
  if (types.has('array') && !types.has('object')) return [typedValue(text, { anyOf: items }, root)];
  return text;
}

/** Answers the array that a key which was given several times means, or `undefined` where the schema takes no array. */
export function typedArray(texts: readonly string[], schema: unknown, root: unknown): readonly unknown[] | undefined {
  const { types, items } = expectationOf(schema, root);
  if (types.size > 0 && !types.has('array')) return undefined;
  return texts.map((text) => typedValue(text, { anyOf: items }, root));
}

/** Reads JSON text with all digits of its integers; throws a `SyntaxError` for anything else. */
export function exactJson(text: string): unknown {
  return parseJson(text, { exactIntegers: true });
}

function containerOf(text: string): object | undefined {
  const start = text.trimStart()[0];
  if (start !== '{' && start !== '[') return undefined;
  try {
    const value = exactJson(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    // Not JSON: it stays a text.
    return undefined;
  }
}

function expectationOf(schema: unknown, root: unknown): Expectation {
  const types = new Set<string>();
  const constants: unknown[] = [];
  const items: unknown[] = [];
  let visits = 0;
  visit(schema, 0);
  return { types, constants, items };

  function visit(place: unknown, depth: number): void {
    visits += 1;
    if (!isJsonObject(place) || depth > MAX_DEPTH || visits > MAX_VISITS) return;
    const declared = Array.isArray(place['type']) ? (place['type'] as unknown[]) : [place['type']];
    for (const type of declared) if (typeof type === 'string') types.add(type);
    if (place['type'] === undefined) impliedBy(place);
    constants.push(...valuesOf(place));
    if (place['items'] !== undefined) items.push(place['items']);
    for (const keyword of ['anyOf', 'oneOf', 'allOf']) {
      for (const member of arrayOf(place[keyword])) visit(member, depth + 1);
    }
    if (typeof place['$ref'] === 'string') visit(follow(place['$ref'], root), depth + 1);
  }

  function impliedBy(place: JsonObject): void {
    for (const value of valuesOf(place))
      types.add(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
    if (isJsonObject(place['properties'])) types.add('object');
    if (place['items'] !== undefined) types.add('array');
  }
}

function valuesOf(place: JsonObject): readonly unknown[] {
  return Object.hasOwn(place, 'const') ? [place['const']] : arrayOf(place['enum']);
}

function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

/** Follows a `$ref` into the same document. */
function follow(ref: string, root: unknown): unknown {
  if (!ref.startsWith('#')) return undefined;
  let place = root;
  for (const name of decodePointer(decoded(ref.slice(1)))) {
    if (typeof place !== 'object' || place === null || !Object.hasOwn(place, name)) return undefined;
    place = (place as JsonObject)[name];
  }
  return place;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    // An escape that is no UTF-8 names nothing; as it stands it names nothing either.
    return fragment;
  }
}
