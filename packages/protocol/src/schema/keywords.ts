import type { SchemaDialect } from './dialect.ts';
import { isJsonObject } from '../shape.ts';

/** What the value of a keyword must look like. */
export type KeywordForm =
  | 'schema'
  | 'schema-list'
  | 'schema-map'
  | 'schema-or-list'
  | 'dependencies'
  | 'text'
  | 'text-list'
  | 'text-list-map'
  | 'type'
  | 'number'
  | 'positive-number'
  | 'count'
  | 'boolean'
  | 'list'
  | 'any';

/**
 * A keyword that takes part in validation.
 *
 * `applies` says what the subschemas of the keyword apply to: the `same` value, a `child` of it, or nothing by
 * themselves (`definition`).
 */
export interface Keyword {
  readonly form: KeywordForm;
  readonly applies: 'same' | 'child' | 'definition';
}

type KeywordRow = readonly [name: string, form: KeywordForm, applies?: Keyword['applies']];

const shared: readonly KeywordRow[] = [
  ['$id', 'text'],
  ['$ref', 'text'],
  ['definitions', 'schema-map', 'definition'],
  ['allOf', 'schema-list', 'same'],
  ['anyOf', 'schema-list', 'same'],
  ['oneOf', 'schema-list', 'same'],
  ['not', 'schema', 'same'],
  ['if', 'schema', 'same'],
  ['then', 'schema', 'same'],
  ['else', 'schema', 'same'],
  ['dependencies', 'dependencies', 'same'],
  ['properties', 'schema-map', 'child'],
  ['patternProperties', 'schema-map', 'child'],
  ['additionalProperties', 'schema', 'child'],
  ['propertyNames', 'schema', 'child'],
  ['contains', 'schema', 'child'],
  ['type', 'type'],
  ['enum', 'list'],
  ['const', 'any'],
  ['multipleOf', 'positive-number'],
  ['maximum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['minimum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['maxLength', 'count'],
  ['minLength', 'count'],
  ['pattern', 'text'],
  ['format', 'text'],
  ['maxItems', 'count'],
  ['minItems', 'count'],
  ['uniqueItems', 'boolean'],
  ['maxProperties', 'count'],
  ['minProperties', 'count'],
  ['required', 'text-list'],
];

const only202012: readonly KeywordRow[] = [
  ['$anchor', 'text'],
  ['$dynamicRef', 'text'],
  ['$dynamicAnchor', 'text'],
  ['$defs', 'schema-map', 'definition'],
  ['contentSchema', 'schema', 'definition'],
  ['dependentSchemas', 'schema-map', 'same'],
  ['dependentRequired', 'text-list-map'],
  ['prefixItems', 'schema-list', 'child'],
  ['items', 'schema', 'child'],
  ['unevaluatedItems', 'schema', 'child'],
  ['unevaluatedProperties', 'schema', 'child'],
  ['maxContains', 'count'],
  ['minContains', 'count'],
];

const onlyDraft07: readonly KeywordRow[] = [
  ['items', 'schema-or-list', 'child'],
  ['additionalItems', 'schema', 'child'],
];

function table(...rows: readonly KeywordRow[]): ReadonlyMap<string, Keyword> {
  return new Map(rows.map(([name, form, applies = 'same']) => [name, { form, applies }]));
}

/**
 * The keywords that decide validity, by dialect. Every other keyword, annotations included, is neither checked nor
 * followed: a schema that merely describes itself badly still validates.
 *
 * 2020-12 keeps `definitions` and `dependencies`, which its specification reserves for compatibility.
 */
export const keywordsOf: { readonly [Dialect in SchemaDialect]: ReadonlyMap<string, Keyword> } = {
  '2020-12': table(...shared, ...only202012),
  'draft-07': table(...shared, ...onlyDraft07),
};

const typeNames = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

interface FormRule {
  readonly expected: string;
  readonly accepts: (value: unknown) => boolean;
}

const rules: { readonly [Form in KeywordForm]: FormRule } = {
  schema: { expected: 'a schema', accepts: () => true },
  'schema-list': {
    expected: 'a list of at least one schema',
    accepts: (value) => Array.isArray(value) && value.length > 0,
  },
  'schema-map': { expected: 'an object of schemas', accepts: isJsonObject },
  'schema-or-list': { expected: 'a schema or a list of schemas', accepts: () => true },
  dependencies: { expected: 'an object of schemas or lists of property names', accepts: isJsonObject },
  text: { expected: 'a string', accepts: isText },
  'text-list': { expected: 'a list of strings', accepts: isTextList },
  'text-list-map': {
    expected: 'an object of lists of strings',
    accepts: (value) => isJsonObject(value) && Object.values(value).every(isTextList),
  },
  type: {
    expected: `one or several of ${[...typeNames].join(', ')}`,
    accepts: (value) => isTypeName(value) || (Array.isArray(value) && value.length > 0 && value.every(isTypeName)),
  },
  number: { expected: 'a number', accepts: (value) => typeof value === 'number' && !Number.isNaN(value) },
  'positive-number': {
    expected: 'a number greater than 0',
    accepts: (value) => typeof value === 'number' && value > 0,
  },
  count: { expected: 'an integer of at least 0', accepts: (value) => Number.isInteger(value) && Number(value) >= 0 },
  boolean: { expected: 'true or false', accepts: (value) => typeof value === 'boolean' },
  list: { expected: 'a list', accepts: (value) => Array.isArray(value) },
  any: { expected: 'any value', accepts: () => true },
};

/** Says in words what a keyword of this form expects. */
export function describeForm(form: KeywordForm): string {
  return rules[form].expected;
}

/** Checks the value of a keyword, all but the subschemas in it. */
export function hasForm(form: KeywordForm, value: unknown): boolean {
  return rules[form].accepts(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isTypeName(value: unknown): boolean {
  return typeof value === 'string' && typeNames.has(value);
}

/**
 * Says whether a name is a keyword in a schema. In draft-07 a `$ref` silences every keyword beside it; only the
 * definitions there can still be reached.
 */
export function isKeyword(dialect: SchemaDialect, schema: object, name: string): boolean {
  if (!keywordsOf[dialect].has(name)) return false;
  return dialect !== 'draft-07' || name === '$ref' || name === 'definitions' || !Object.hasOwn(schema, '$ref');
}
