import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { decodePointer, type JsonSchema } from '@switchyard/protocol/schema';

/** What a schema says about one variable of a URI, whose value is text until it says otherwise. */
export interface VariableSchema {
  /** Its `maxLength`. */
  readonly maxLength: number | undefined;
  /** Whether a `pattern` of it writes a slash, so that its author has thought of one. */
  readonly writesSlash: boolean;
  /** The texts that an `enum` or a `const` of it names. */
  readonly named: ReadonlySet<string>;
  /**
   * Answers the number or boolean that a text spells, where the schema takes such a value and no text; else the text.
   */
  convert(text: string): unknown;
}

const MAX_DEPTH = 8;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Reads what the schema of all variables says about the one called `name`; with `inItems` (an exploded variable) about
 * its items. References within the document, `allOf`, `anyOf` and `oneOf` are followed, eight deep; conditions are not.
 */
export function readVariableSchema(root: JsonSchema, name: string, inItems: boolean): VariableSchema {
  const types = new Set<string>();
  const named = new Set<string>();
  const lengths: number[] = [];
  let writesSlash = false;

  function read(given: unknown, items: boolean, depth: number): void {
    const schema = resolve(root, given);
    if (schema === undefined || depth > MAX_DEPTH) return;
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const parts = schema[keyword];
      if (Array.isArray(parts)) for (const part of parts) read(part, items, depth + 1);
    }
    if (items) return read(schema['items'], false, depth + 1);
    const { type, pattern, maxLength } = schema;
    for (const one of Array.isArray(type) ? (type as unknown[]) : [type]) if (typeof one === 'string') types.add(one);
    for (const value of Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : [schema['const']]) {
      if (type === undefined && value !== undefined) types.add(typeof value);
      if (typeof value === 'string') named.add(value);
    }
    if (typeof maxLength === 'number') lengths.push(maxLength);
    writesSlash ||= typeof pattern === 'string' && pattern.includes('/');
  }

  const { properties } = root;
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) read(properties[name], inItems, 0);
  const numeric = !types.has('string') && (types.has('number') || types.has('integer'));
  const boolean = !types.has('string') && types.has('boolean');
  return {
    maxLength: lengths.length === 0 ? undefined : Math.max(...lengths),
    writesSlash,
    named,
    convert(text) {
      if (numeric && isExactNumber(text)) return Number(text);
      return boolean && (text === 'true' || text === 'false') ? text === 'true' : text;
    },
  };
}

/**
 * Whether a text is the one way to write a number in decimals: two URIs must not be one resource for a cache's sake.
 */
function isExactNumber(text: string): boolean {
  return NUMBER.test(text) && String(Number(text)) === text;
}

function resolve(root: JsonSchema, given: unknown): JsonObject | undefined {
  let schema = given;
  for (let hops = 0; isJsonObject(schema) && typeof schema['$ref'] === 'string'; hops += 1) {
    const ref: string = schema['$ref'];
    if (hops === MAX_DEPTH || !ref.startsWith('#/')) return undefined;
    schema = decodePointer(ref.slice(1)).reduce<unknown>(memberOf, root);
  }
  return isJsonObject(schema) ? schema : undefined;
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
}
