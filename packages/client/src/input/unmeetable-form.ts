import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { quoted } from '../peer/excerpt.ts';
import type { FormField } from './form-fields.ts';
import type { FormRules } from './form-rules.ts';
import { isNumeric, whyEmptyRange } from './number-range.ts';

/** How many values of one list are tried, as each may cost; where a list is longer, one of the others may fit. */
const MAX_TRIED = 200;

/**
 * Answers why nobody could fill in a form, or one of its required fields, as a sentence that names field and rule and has no full
 * stop; `undefined` where somebody could, or where that cannot be told. Its schema is one that was compiled.
 *
 * Spec: client/elicitation#requested-schema (2026-07-28).
 */
export function whyUnmeetable(
  { properties, required, minProperties, maxProperties }: JsonObject,
  fields: readonly FormField[],
  rules: FormRules,
): string | undefined {
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
    const schema = isJsonObject(properties) ? properties[field.name] : undefined;
    const why = isJsonObject(schema) ? whyUnfillable(field, schema, rules) : undefined;
    if (why !== undefined) return `its field ${quoted(field.name)} takes no value: ${why}`;
  }
  return undefined;
}

function whyUnfillable(field: FormField, schema: JsonObject, rules: FormRules): string | undefined {
  const { name, type, options = [] } = field;
  const closed = closedList(schema);
  if (closed !== undefined && closed.values.length <= MAX_TRIED) {
    if (!closed.values.some((value) => rules.fits(name, value))) return `nothing in its ${closed.rule} fits`;
  }
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

/** The values that a schema allows at most, and the rule that says so; `undefined` where it has no such list. */
function closedList(schema: JsonObject): { readonly rule: string; readonly values: readonly unknown[] } | undefined {
  if (Object.hasOwn(schema, 'const')) return { rule: 'const', values: [schema['const']] };
  if (Array.isArray(schema['enum'])) return { rule: 'enum', values: schema['enum'] };
  for (const rule of ['oneOf', 'anyOf']) {
    const alternatives = schema[rule];
    if (!Array.isArray(alternatives)) continue;
    const constants = alternatives.filter(
      (each): each is JsonObject => isJsonObject(each) && Object.hasOwn(each, 'const'),
    );
    if (constants.length === alternatives.length) return { rule, values: constants.map((each) => each['const']) };
  }
  return undefined;
}

function whyAbove(lowName: string, low: unknown, highName: string, high: unknown): string | undefined {
  const isAbove = isNumeric(low) && isNumeric(high) && low > high;
  return isAbove ? `${lowName} (${low}) is above ${highName} (${high})` : undefined;
}
