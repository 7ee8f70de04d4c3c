import { stepInto } from '../json-pointer.ts';
import type { JsonSchema } from './json-schema.ts';
import { outlineWithinLimits } from './measure-schema.ts';
import type { SchemaNode, SchemaOutline } from './schema-outline.ts';

/** Keywords that let other schemas have a say about the same value. */
const combining = [
  'allOf',
  'anyOf',
  'oneOf',
  '$ref',
  '$dynamicRef',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
];

/** Keywords that already say what other members an object may have. */
const opening = ['additionalProperties', 'unevaluatedProperties', 'patternProperties'];

/**
 * Copies a schema and forbids members that it does not name: `additionalProperties: false` goes into every subschema
 * that has `properties`, says nothing about other members, and is alone in judging its value. What is combined with
 * something else (in `allOf`, beside `anyOf`, in `if` or `not`, …) stays open with all that is in it, because each part
 * would refuse what another one allows; the alternatives of a plain `anyOf` or `oneOf` are closed one by one.
 *
 * For schemas that are derived from a validator of the author; a schema that an author wrote is served as it is. Throws
 * a `SchemaError` like `measureSchema`.
 */
export function closeSchema(schema: JsonSchema): JsonSchema {
  const { outline } = outlineWithinLimits(schema);
  const shared = findShared(outline);
  const closed = structuredClone(schema);
  const copies = new Map<SchemaNode, unknown>();
  for (const node of outline.nodes) {
    const copy = node.parent === undefined ? closed : node.tokens.reduce(stepInto, copies.get(node.parent));
    copies.set(node, copy);
    if (isClosable(node.schema) && !shared.has(node.schema))
      Object.assign(copy as object, { additionalProperties: false });
  }
  return closed;
}

function isClosable(schema: JsonSchema | boolean): schema is JsonSchema {
  return (
    typeof schema === 'object' &&
    has(schema, 'properties') &&
    ![...opening, ...combining].some((name) => has(schema, name))
  );
}

function has(schema: JsonSchema, keyword: string): boolean {
  return schema[keyword] !== undefined && Object.hasOwn(schema, keyword);
}

/** The subschemas whose value is judged by others as well, or whose refusals mean something else than a refusal. */
function findShared(outline: SchemaOutline): ReadonlySet<JsonSchema | boolean> {
  const shared = new Set<SchemaNode>();
  for (const node of outline.nodes) {
    const target = outline.refs.get(node) ?? outline.dynamicRefs.get(node)?.node;
    const alone = isAlone(node);
    for (const slot of node.slots) {
      const isSplit = slot.keyword === 'anyOf' || slot.keyword === 'oneOf' || slot.applies === 'child';
      if (slot.applies !== 'definition' && (!alone || !isSplit || slot.keyword === 'contains')) shared.add(slot.node);
    }
    if (target !== undefined && !alone) shared.add(target);
  }
  for (const node of shared) {
    for (const { applies, node: inner } of node.slots) if (applies !== 'definition') shared.add(inner);
    const target = outline.refs.get(node) ?? outline.dynamicRefs.get(node)?.node;
    if (target !== undefined) shared.add(target);
  }
  return new Set([...shared].map(({ schema }) => schema));
}

/** Whether no two of the keywords of a subschema can judge the same value or member. */
function isAlone({ schema }: SchemaNode): boolean {
  if (typeof schema === 'boolean') return true;
  const judging = [...combining, 'properties', 'patternProperties'].filter((keyword) => has(schema, keyword));
  return judging.length <= 1 && Object.keys(schema.patternProperties ?? {}).length <= 1;
}
