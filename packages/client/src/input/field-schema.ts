import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { decodePointer } from '@switchyard/protocol/schema';
import { closedListOf } from './closed-list.ts';
import { isNumeric } from './number-range.ts';

/** How many references and the like are followed from one field. */
const MAX_HOPS = 8;
/** A longer reference is followed by no field: it would be read for each of them anew. */
const MAX_REFERENCE_CHARS = 1024;

/** What is read of the schema of a field. */
const keywords = (
  'type title description default format writeOnly items $ref allOf const enum enumNames oneOf anyOf minLength maxLength ' +
  'minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum'
).split(' ');

/**
 * Answers the schema of a field as a form would have it, or `undefined` where it is none: one that its writer put into
 * `$defs`, or into a choice between it and null, is unwrapped, and so are the items of a list. What stands beside a
 * reference goes before what it leads to. It is for reading a form, not for checking its values.
 *
 * Spec: client/elicitation#requested-schema (2026-07-28).
 */
export function fieldSchema(name: string, requestedSchema: JsonObject): JsonObject | undefined {
  const { properties } = requestedSchema;
  const property = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isJsonObject(property)) return undefined;
  const schema = unwrap(property, requestedSchema);
  const { items } = schema;
  return withType(isJsonObject(items) ? { ...schema, items: unwrap(items, requestedSchema) } : schema);
}

function unwrap(wrapped: JsonObject, root: JsonObject): JsonObject {
  let schema = pick(wrapped);
  for (let hops = 0; hops < MAX_HOPS; hops += 1) {
    const inner = innerOf(schema, root);
    if (inner === undefined) break;
    const { [inner.keyword]: _, ...own } = schema;
    schema = { ...pick(inner.schema), ...own };
  }
  return schema;
}

/** Only what is read, as definitions may have any number of members and be referred to from each field. */
function pick(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    keywords.flatMap((keyword) => (Object.hasOwn(schema, keyword) ? [[keyword, schema[keyword]]] : [])),
  );
}

/** Answers the schema that another is nothing but a wrapping of, and the keyword that wraps it. */
function innerOf(schema: JsonObject, root: JsonObject): { keyword: string; schema: JsonObject } | undefined {
  const { $ref } = schema;
  const candidates: readonly (readonly [string, unknown])[] = [
    ['$ref', typeof $ref === 'string' ? definitionAt($ref, root) : undefined],
    ['allOf', onlyOneOf(schema['allOf'])],
    ['anyOf', besideNull(schema['anyOf'])],
    ['oneOf', besideNull(schema['oneOf'])],
  ];
  for (const [keyword, inner] of candidates) if (isJsonObject(inner)) return { keyword, schema: inner };
  return undefined;
}

function definitionAt(reference: string, root: JsonObject): unknown {
  const [place, name, ...further] = isReference(reference) ? decodePointer(reference.slice(1)) : [];
  const definitions = place === '$defs' || place === 'definitions' ? root[place] : undefined;
  if (name === undefined || further.length > 0 || !isJsonObject(definitions)) return undefined;
  return Object.hasOwn(definitions, name) ? definitions[name] : undefined;
}

function isReference(reference: string): boolean {
  return reference.length <= MAX_REFERENCE_CHARS && reference.startsWith('#/');
}

function onlyOneOf(alternatives: unknown): unknown {
  return Array.isArray(alternatives) && alternatives.length === 1 ? alternatives[0] : undefined;
}

function besideNull(alternatives: unknown): unknown {
  if (!Array.isArray(alternatives) || alternatives.length !== 2) return undefined;
  const others = alternatives.filter((each) => !isJsonObject(each) || each['type'] !== 'null');
  return onlyOneOf(others);
}

/** One type where a list of types names one beside null, or where the values of a closed list are all of one. */
function withType(schema: JsonObject): JsonObject {
  const { type } = schema;
  if (Array.isArray(type)) {
    const others = type.filter((each) => each !== 'null');
    return others.length === 1 ? { ...schema, type: others[0] } : schema;
  }
  if (type !== undefined) return schema;
  const types = new Set(
    closedListOf(schema)
      ?.values.filter((value) => value !== null)
      .map(typeOf),
  );
  return types.size === 1 ? { ...schema, type: [...types][0] } : schema;
}

function typeOf(value: unknown): string {
  return isNumeric(value) ? 'number' : typeof value;
}
