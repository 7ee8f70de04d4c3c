import { isJsonObject, type JsonObject, stringifyJson } from '@switchyard/protocol';
import { excerpt, quoted } from '../peer/excerpt.ts';
import { displayText } from './display-text.ts';
import { fieldSchema } from './field-schema.ts';
import type { FormContent } from './form-content.ts';
import { isNumeric } from './number-range.ts';

/** One of the values that a field allows. */
export interface FieldOption {
  readonly value: string;
  /** What the user sees; the value itself where the server gives nothing else. */
  readonly title: string;
}

/** One field of a form. Texts are cleaned of control characters. */
export interface FormField {
  readonly name: string;
  /** `choice`: one of `options`; `choices`: any number of them. */
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  /** The name where the server gives none. */
  readonly title: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** Absent where the server gives none, or one that breaks the rules of the field, or takes long to check. */
  readonly default: FormContent[string] | undefined;
  /** Present for `choice` and `choices`. */
  readonly options: readonly FieldOption[] | undefined;
  /** As `email`, `uri`, `date`, `date-time`. */
  readonly format: string | undefined;
}

const MAX_FIELDS = 200;
const MAX_OPTIONS = 2000;
const MAX_OPTIONS_IN_ALL = 10_000;

/**
 * Reads the fields of a form in the order of its schema, a flat object of primitive members; or answers one sentence
 * where it is not one. A field that may be null is one that may be empty. At most 200 fields with 2,000 options each and
 * 10,000 in all.
 *
 * Spec: client/elicitation#requested-schema (2026-07-28).
 */
export function readFormFields(
  schema: JsonObject,
): { readonly fields: readonly FormField[] } | { readonly problem: string } {
  const { properties, required } = schema;
  const names = Object.keys(isJsonObject(properties) ? properties : {});
  if (names.length > MAX_FIELDS) return { problem: `it has more than ${MAX_FIELDS} fields` };
  const requiredNames = new Set(Array.isArray(required) ? required : []);
  const fields: FormField[] = [];
  let options = 0;
  for (const name of names) {
    const property = fieldSchema(name, schema);
    const field =
      property === undefined ? { problem: 'is no schema' } : readField(name, property, requiredNames.has(name));
    if ('problem' in field) return { problem: `its field ${quoted(name)} ${field.problem}` };
    fields.push(field);
    options += field.options?.length ?? 0;
    if (options > MAX_OPTIONS_IN_ALL) return { problem: `it has more than ${MAX_OPTIONS_IN_ALL} options` };
  }
  return { fields };
}

/** Answers the values that a form declares as its defaults. */
export function defaultsOf(fields: readonly FormField[]): FormContent {
  return Object.fromEntries(
    fields.flatMap((field) => (field.default === undefined ? [] : [[field.name, field.default] as const])),
  );
}

function readField(name: string, property: JsonObject, isRequired: boolean): FormField | { readonly problem: string } {
  const lists = [property, property['items']].flatMap((schema) =>
    isJsonObject(schema) ? [schema['enum'], schema['oneOf'], schema['anyOf']] : [],
  );
  if (lists.some((list) => Array.isArray(list) && list.length > MAX_OPTIONS)) {
    return { problem: `has more than ${MAX_OPTIONS} options` };
  }
  const kind = kindOf(property);
  if ('problem' in kind) return kind;
  const { title, description, format } = property;
  return {
    name,
    type: kind.type,
    title: textOf(title, 200) ?? displayText(name, 200),
    description: textOf(description, 2000),
    isRequired,
    default: defaultOf(kind.type, property['default']),
    options: kind.options,
    format: typeof format === 'string' ? format : undefined,
  };
}

function kindOf(property: JsonObject): Pick<FormField, 'type' | 'options'> | { readonly problem: string } {
  const { type, items } = property;
  switch (type) {
    case 'array': {
      const isOfTexts = isJsonObject(items) && (items['type'] === undefined || items['type'] === 'string');
      const options = isOfTexts ? optionsOf(items, 'anyOf') : undefined;
      return options === undefined
        ? { problem: 'is of the type array, and its items have no enum and no anyOf of texts to choose from' }
        : { type: 'choices', options };
    }
    case 'string': {
      const options = optionsOf(property, 'oneOf');
      return options === undefined ? { type, options } : { type: 'choice', options };
    }
    case 'number':
    case 'integer':
    case 'boolean':
      return { type, options: undefined };
    default:
      return {
        problem: `has a type that no form has: ${type === undefined ? 'none' : excerpt(stringifyJson(type), 80)}`,
      };
  }
}

function optionsOf(schema: JsonObject, titled: 'oneOf' | 'anyOf'): readonly FieldOption[] | undefined {
  const { enum: values, enumNames } = schema;
  if (Array.isArray(values)) {
    // Titles beside the values are how revisions before 2025-11-25 have them.
    const titles: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
    // An empty field is left out, so that null is nothing to choose.
    return closedList(values.flatMap((value, index) => (value === null ? [] : [optionOf(value, titles[index])])));
  }
  const alternatives = schema[titled];
  if (!Array.isArray(alternatives)) return undefined;
  return closedList(
    alternatives.map((alternative) =>
      isJsonObject(alternative) ? optionOf(alternative['const'], alternative['title']) : undefined,
    ),
  );
}

/** What allows anything but its options is no choice: something else can be typed. */
function closedList(options: readonly (FieldOption | undefined)[]): readonly FieldOption[] | undefined {
  const named = options.filter((option) => option !== undefined);
  return named.length === options.length && named.length > 0 ? named : undefined;
}

function optionOf(value: unknown, title: unknown): FieldOption | undefined {
  return typeof value === 'string' ? { value, title: textOf(title, 200) ?? displayText(value, 200) } : undefined;
}

function textOf(text: unknown, maxLength: number): string | undefined {
  return typeof text === 'string' && text !== '' ? displayText(text, maxLength) : undefined;
}

/** A default of another type than its field is none. */
function defaultOf(type: FormField['type'], value: unknown): FormContent[string] | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (type === 'number' || type === 'integer') return isNumeric(value) ? value : undefined;
  if (type !== 'choices') return typeof value === 'string' ? value : undefined;
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}
