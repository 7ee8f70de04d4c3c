import type { JsonObject } from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import { closedListOf } from './closed-list.ts';
import { fieldSchema } from './field-schema.ts';
import type { FormField } from './form-fields.ts';
import { isNumeric, whyEmptyRange, whyOutOfRange } from './number-range.ts';

/**
 * Answers why nobody could fill in a form, or one of its required fields, as a sentence that names field and rule and has no full
 * stop; `undefined` where somebody could, or where that cannot be told by types, lists, lengths and bounds. Its schema is one
 * that was compiled.
 *
 * Spec: client/elicitation#requested-schema (2026-07-28).
 */
export function whyUnmeetable(requestedSchema: JsonObject, fields: readonly FormField[]): string | undefined {
  const { required, minProperties, maxProperties } = requestedSchema;
  const names = new Set(fields.map(({ name }) => name));
  const demanded = new Set(Array.isArray(required) ? (required as readonly string[]) : []);
  const absent = [...demanded].find((name) => !names.has(name));
  if (absent !== undefined) return `it has required the field ${quoted(absent)}, and no such field`;
  const counts =
    whyAbove('its minProperties', minProperties, 'the number of its fields', names.size) ??
    whyAbove('the number of its required fields', demanded.size, 'its maxProperties', maxProperties);
  if (counts !== undefined) return counts;
  // One that is not required can be left empty.
  for (const field of fields.filter(({ isRequired }) => isRequired)) {
    const why = whyUnfillable(field, fieldSchema(field.name, requestedSchema) ?? {});
    if (why !== undefined) return `its field ${quoted(field.name)} takes no value: ${why}`;
  }
  return undefined;
}

function whyUnfillable({ type, options = [] }: FormField, schema: JsonObject): string | undefined {
  const closed = closedListOf(schema);
  if (closed?.values.some((value) => mayFit(value, type, schema)) === false)
    return `nothing in its ${closed.rule} fits`;
  const { minLength, maxLength, minItems, maxItems } = schema;
  switch (type) {
    case 'string':
      return whyAbove('its minLength', minLength, 'its maxLength', maxLength);
    case 'number':
    case 'integer':
      return whyEmptyRange(schema, type === 'integer');
    case 'choices':
      return (
        whyAbove('its minItems', minItems, 'its maxItems', maxItems) ??
        whyAbove('its minItems', minItems, 'the number of its choices', new Set(options.map(({ value }) => value)).size)
      );
    default:
      return undefined;
  }
}

function mayFit(value: unknown, type: FormField['type'], schema: JsonObject): boolean {
  switch (type) {
    case 'string':
    case 'choice':
      return typeof value === 'string' && hasLength(value, schema);
    case 'integer':
      return isInteger(value) && whyOutOfRange(schema, value) === undefined;
    case 'number':
      return isNumeric(value) && whyOutOfRange(schema, value) === undefined;
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return true;
  }
}

function hasLength(text: string, { minLength, maxLength }: JsonObject): boolean {
  // JSON Schema counts code points.
  const { length } = [...text];
  return !(isNumeric(minLength) && length < minLength) && !(isNumeric(maxLength) && length > maxLength);
}

function isInteger(value: unknown): value is number | bigint {
  return typeof value === 'bigint' || Number.isInteger(value);
}

function whyAbove(lowName: string, low: unknown, highName: string, high: unknown): string | undefined {
  const isAbove = isNumeric(low) && isNumeric(high) && low > high;
  return isAbove ? `${lowName} (${low}) is above ${highName} (${high})` : undefined;
}
