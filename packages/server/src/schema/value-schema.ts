import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { clip, isJsonObject, type JsonObject, parseJson, stringifyJson } from '@switchyard/protocol';
import { closeSchema, createSchemaCompiler, type JsonSchema } from '@switchyard/protocol/schema';

import { createFindUnknownMember, type FindUnknownMember } from './unknown-member.ts';

/**
 * A schema that an author gives: a Standard Schema that can render itself as JSON Schema (zod ≥ 4.2, arktype, valibot
 * through `@valibot/to-json-schema`), or a plain JSON Schema object.
 *
 * Zod 4 runs an asynchronous refinement or transformation twice and drops the first promise: one that rejects ends the
 * process as an unhandled rejection. Let it answer false, or add an issue, instead.
 */
export type ValueSchema = (StandardSchemaV1 & StandardJSONSchemaV1) | JsonSchema;

/** The type of a value that passed the schema, defaults filled in; unknown members for a plain JSON Schema. */
export type Accepted<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : JsonObject;

/** The type of a value before the schema is applied. */
export type Given<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : unknown;

/** A value that passed, or one sentence that names the path and the rule that it breaks. */
export type Checked = { readonly value: unknown } | { readonly problem: string };

/** A compiled author's schema. */
export interface CompiledValueSchema {
  /** The JSON Schema that is served. */
  readonly jsonSchema: JsonSchema;
  /**
   * Checks a value and fills defaults in. A plain JSON Schema fills them into the arguments given, and into a copy of a
   * result, which may be frozen or shared.
   */
  check(value: unknown): Checked | Promise<Checked>;
}

const target = { target: 'draft-2020-12' };
const compiler = createSchemaCompiler({ fillDefaults: true });

/**
 * Compiles an author's schema for values that go `in` (arguments) or `out` (results). The author's own validator is the
 * only check of a Standard Schema; what it derives for arguments is closed unless the author opened it, so that an
 * argument nobody reads is refused and not dropped. Open it with `z.looseObject`, an index signature of arktype, or
 * `v.objectWithRest`, since valibot renders `v.looseObject` like `v.object`. A plain JSON Schema is served unchanged.
 *
 * @throws TypeError when the value is not a schema or cannot render itself as JSON Schema, or is a plain JSON Schema
 *   where the runtime forbids generating code; `SchemaError` when a JSON Schema is not one that can be checked.
 */
export function compileValueSchema(schema: ValueSchema, direction: 'in' | 'out'): CompiledValueSchema {
  if (isStandard(schema)) return direction === 'in' ? compileArguments(schema) : compileResult(schema);
  if (!isJsonObject(schema)) throw new TypeError('a schema must be a Standard Schema or a JSON Schema object');
  assertNoBareMembers(schema);
  assertGeneratesCode();
  // A copy: what the author does to the object later must not part what is served from what is checked.
  const jsonSchema = structuredClone(schema);
  const compiled = compiler.compile(jsonSchema);
  const copies = direction === 'out' && JSON.stringify(jsonSchema).includes('"default":');
  return {
    jsonSchema,
    check(given) {
      const value = copies && typeof given === 'object' && given !== null ? copyOf(given) : given;
      const problem = compiled.validate(value);
      return problem === undefined ? { value } : { problem: problem.message };
    },
  };
}

/** `{ a: z.string() }` is what other libraries take, and as a JSON Schema it says nothing. */
function assertNoBareMembers(schema: JsonObject): void {
  for (const [name, member] of Object.entries<unknown>(schema)) {
    const standard = standardOf(member);
    if (standard === undefined) continue;
    const vendor = String(standard['vendor']);
    throw new TypeError(
      `it is a plain object whose member ${JSON.stringify(clip(name))} is a schema: ` +
        (vendor === 'zod' ? 'did you mean z.object({ … })?' : `make one object schema of them all with ${vendor}`),
    );
  }
}

/** Answers what a Standard Schema says of itself, or `undefined` for anything else. */
function standardOf(schema: unknown): JsonObject | undefined {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return undefined;
  const standard = (schema as { readonly '~standard'?: unknown })['~standard'];
  return isJsonObject(standard) ? standard : undefined;
}

/** A check is compiled on the first call, which is too late to learn that it cannot be. */
function assertGeneratesCode(): void {
  try {
    // oxlint-disable-next-line no-new, typescript/no-implied-eval -- Whether it throws is the question.
    new Function('');
  } catch (error) {
    throw new TypeError(
      'this runtime forbids generating code (eval, new Function), which checking a plain JSON Schema needs: define the schema with zod or arktype',
      { cause: error },
    );
  }
}

/** What a tool without `input` takes. It is checked by hand, since no runtime forbids that. */
export const noArguments: CompiledValueSchema = {
  jsonSchema: { type: 'object', additionalProperties: false },
  check: (value) => surplusProblem(findArgument, value) ?? { value },
};

const findArgument = createFindUnknownMember({ additionalProperties: false });

function surplusProblem(find: FindUnknownMember, value: unknown): { readonly problem: string } | undefined {
  const surplus = find(value);
  return surplus === undefined ? undefined : { problem: `${surplus} is not a known argument (additionalProperties)` };
}

function copyOf(value: object): unknown {
  return parseJson(stringifyJson(value), { exactIntegers: true });
}

function compileArguments(schema: StandardSchemaV1 & StandardJSONSchemaV1): CompiledValueSchema {
  const jsonSchema = closeSchema(schema['~standard'].jsonSchema.input(target));
  const find = createFindUnknownMember(jsonSchema);
  return {
    jsonSchema,
    check: (value) => surplusProblem(find, value) ?? validate(schema, value),
  };
}

function compileResult(schema: StandardSchemaV1 & StandardJSONSchemaV1): CompiledValueSchema {
  return {
    jsonSchema: schema['~standard'].jsonSchema.output(target),
    check: (value) => validate(schema, value),
  };
}

function validate(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  const result = schema['~standard'].validate(value);
  // A promise of another realm or library is none of `Promise`, and taken for a result it would let everything pass.
  return 'then' in result ? Promise.resolve(result).then(toChecked) : toChecked(result);
}

const MAX_ISSUES = 5;

function toChecked(result: StandardSchemaV1.Result<unknown>): Checked {
  if (result.issues === undefined) return { value: result.value };
  const sentences = result.issues.slice(0, MAX_ISSUES).map((issue) => {
    const path = (issue.path ?? []).map((part) => `/${String(typeof part === 'object' ? part.key : part)}`).join('');
    return path === '' ? issue.message : `${path}: ${issue.message}`;
  });
  if (sentences.length === 0) sentences.push('the schema refuses them without a reason');
  if (result.issues.length > MAX_ISSUES) sentences.push(`and ${result.issues.length - MAX_ISSUES} more`);
  return { problem: sentences.join('; ') };
}

function isStandard(schema: ValueSchema): schema is StandardSchemaV1 & StandardJSONSchemaV1 {
  const standard = standardOf(schema);
  if (standard === undefined) return false;
  if (isJsonObject(standard['jsonSchema'])) return true;
  throw new TypeError(
    `the ${String(standard['vendor'])} schema cannot render itself as JSON Schema: use zod ≥ 4.2, arktype, or wrap a valibot schema with toStandardJsonSchema() of @valibot/to-json-schema`,
  );
}
