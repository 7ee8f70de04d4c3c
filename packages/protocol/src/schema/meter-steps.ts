import { type LoweredDocument, type LoweredSchema, loweredChildren } from './lowered-schema.ts';
import { enterKeyword, membersKeyword, stepsPerMember, textKeyword } from './step-budget.ts';

/** Steps for entering a definition, which is a call and may leave errors behind. */
const stepsPerCall = 16;

/** Keywords that apply one subschema to many values. */
const repeating = new Set([
  'items',
  'contains',
  'unevaluatedItems',
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
]);

/**
 * Puts the step-counting keywords wherever a validation can come by more than once: into definitions, which references
 * enter, and into what is applied to each item or member. Each pays for the keywords up to the next such place.
 */
export function meterSteps(document: LoweredDocument): void {
  const pending = [...document.values()].filter((schema) => typeof schema === 'object');
  for (const definition of pending) definition[enterKeyword] = stepsPerCall + weigh(definition);
  for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
    for (const { keyword, child } of loweredChildren(schema)) {
      pending.push(child);
      if (repeating.has(keyword)) child[enterKeyword] = weigh(child);
    }
    const texts = countOf(schema, ['minLength', 'maxLength', 'format']);
    if (texts > 0) schema[textKeyword] = texts;
    const members = countOf(schema, ['minProperties', 'maxProperties']);
    if (members > 0) schema[membersKeyword] = members * stepsPerMember;
  }
}

function weigh(schema: LoweredSchema): number {
  const { required } = schema;
  let weight = 1 + Object.keys(schema).length + (Array.isArray(required) ? required.length : 0);
  for (const { keyword, child } of loweredChildren(schema)) if (!repeating.has(keyword)) weight += weigh(child);
  return weight;
}

function countOf(schema: LoweredSchema, keywords: readonly string[]): number {
  return keywords.filter((keyword) => Object.hasOwn(schema, keyword)).length;
}
