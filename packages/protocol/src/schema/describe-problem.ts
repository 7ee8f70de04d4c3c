import type { ErrorObject } from 'ajv';
import { clip } from '../clip.ts';
import type { SchemaDialect } from './dialect.ts';
import { decodePointer, stepInto } from '../json-pointer.ts';

/** Why a value breaks a schema: the first thing that was found. */
export interface SchemaProblem {
  /** JSON pointer to the place in the value, '' for the whole; cut after 512 characters. */
  readonly path: string;
  /** The keyword that is broken, or `limit` where the value takes more steps or nesting than a validation allows. */
  readonly rule: string;
  /**
   * One sentence, at most 500 characters, that names path, rule and what was expected, so that a model can mend its
   * call. Says of what kind the value is but does not repeat it; names and values in it come from the schema, apart
   * from names of properties, and are cut.
   */
  readonly message: string;
}

/** What is known of a validation that failed. */
export interface FailedValidation {
  readonly errors: readonly ErrorObject[];
  readonly value: unknown;
  readonly dialect: SchemaDialect;
  /** Tells the source of a pattern by its handle. */
  readonly sourceOf: (handle: string) => string;
}

/** Describes the outermost rule that a value breaks. */
export function describeProblem(failed: FailedValidation): SchemaProblem {
  const error = outermost(failed.errors);
  if (error === undefined) return createProblem('', 'schema', 'a value that matches the schema');
  return createProblem(error.instancePath, ruleOf(error, failed.dialect), expectation(error, failed));
}

/** The problem of a value that was given up on. */
export function describeLimit(): SchemaProblem {
  return createProblem(
    '',
    'limit',
    'a value that is smaller or less deeply nested, because checking this one takes too long',
  );
}

function createProblem(path: string, rule: string, expected: string): SchemaProblem {
  const place = path === '' ? 'Expected' : `At ${quote(path)}: expected`;
  return {
    path: clip(path, 512),
    rule,
    message: `${clip(`${place} ${expected}`, 440)} (rule "${rule}").`,
  };
}

/** Ajv stops at the first rule that is broken and puts it last, after what was found inside of it. */
function outermost(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const last = errors.at(-1);
  return last?.keyword === 'if' ? (errors.at(-2) ?? last) : last;
}

function ruleOf({ keyword, params }: ErrorObject, dialect: SchemaDialect): string {
  if (keyword === 'false schema') return 'false';
  if (dialect === '2020-12') return keyword;
  if (keyword === 'dependentRequired') return 'dependencies';
  return keyword === 'items' && params.limit !== undefined ? 'additionalItems' : keyword;
}

function expectation(error: ErrorObject, failed: FailedValidation): string {
  const { keyword, instancePath, params } = error;
  const limit = String(params.limit);
  switch (keyword) {
    case 'type':
      return `${[params.type].flat().join(' or ')}, got ${kindOf(valueAt(failed.value, instancePath))}`;
    case 'required':
      return `the property ${quote(params.missingProperty)} to be present`;
    case 'dependentRequired':
      return `the property ${quote(params.missingProperty)}, because ${quote(params.property)} is present`;
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `no property other than the declared ones, got ${quote(params.additionalProperty ?? params.unevaluatedProperty)}`;
    case 'const':
      return `the value ${params.allowed}`;
    case 'enum':
      return params.allowed === '' ? 'one of no values at all' : `one of ${params.allowed}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `a number ${params.comparison} ${limit}`;
    case 'multipleOf':
      return `a multiple of ${params.allowed}`;
    case 'minLength':
      return `at least ${limit} characters`;
    case 'maxLength':
      return `at most ${limit} characters`;
    case 'pattern':
      return `a string that matches the pattern ${quote(failed.sourceOf(String(params.pattern)))}`;
    case 'format':
      return `a string in the format ${quote(params.format)}`;
    case 'propertyNames':
      return `other property names than ${quote(params.propertyName)}`;
    default:
      return structureExpectation(error, failed);
  }
}

function structureExpectation(error: ErrorObject, failed: FailedValidation): string {
  const { keyword, params } = error;
  const limit = String(params.limit ?? params.len);
  switch (keyword) {
    case 'minItems':
      return `at least ${limit} items`;
    case 'maxItems':
    case 'items':
    case 'unevaluatedItems':
      return `at most ${limit} items`;
    case 'uniqueItems':
      return 'items that all differ from one another';
    case 'contains':
      return `${params.max < 0 ? '' : `at most ${params.max} and `}at least ${params.min} items that match the schema in it`;
    case 'minProperties':
      return `at least ${limit} properties`;
    case 'maxProperties':
      return `at most ${limit} properties`;
    case 'not':
      return 'a value that does not match the schema in it';
    case 'oneOf':
      return params.second >= 0
        ? `exactly one of the alternatives to match, but number ${params.first + 1} and ${params.second + 1} do`
        : `one of the alternatives to match (${alternatives(error, failed)})`;
    case 'anyOf':
      return `one of the alternatives to match (${alternatives(error, failed)})`;
    case 'false schema':
      return 'no value here';
    default:
      return `a value that matches "${keyword}"`;
  }
}

/** What the alternatives would have wanted, the first three that differ. */
function alternatives(error: ErrorObject, failed: FailedValidation): string {
  const wanted = new Set<string>();
  for (const inner of failed.errors) {
    if (inner === error || wanted.size === 3) break;
    if (inner.keyword === 'anyOf' || inner.keyword === 'oneOf' || inner.keyword === 'if') continue;
    const path = inner.instancePath === error.instancePath ? '' : `at ${quote(inner.instancePath)} `;
    wanted.add(path + clip(expectation(inner, failed), 100));
  }
  return wanted.size === 0 ? 'none does' : [...wanted].join('; or ');
}

function valueAt(root: unknown, path: string): unknown {
  return decodePointer(path).reduce(stepInto, root);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function quote(text: unknown): string {
  return JSON.stringify(clip(String(text)));
}
