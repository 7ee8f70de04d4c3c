import { parseJson, stringifyJson } from '@switchyard/protocol';
import { type CompiledSchema, createSchemaCompiler } from '@switchyard/protocol/schema';

import type { CompiledValueSchema } from '../schema/value-schema.ts';

const compiler = createSchemaCompiler();
const compiled = new WeakMap<CompiledValueSchema, CompiledSchema>();

/**
 * Answers why structured content breaks the output schema of a tool, or `undefined`. It is held against the schema that
 * clients see: the author's own takes what a handler returns, which may turn into another form on its way out. Where
 * none can be compiled (a runtime that forbids generating code), the author's own has to do.
 *
 * Spec: server/tools#output-schema (2026-07-28).
 */
export async function outputProblem(output: CompiledValueSchema, content: unknown): Promise<string | undefined> {
  if (content === undefined)
    return 'answered no structured content, which a tool with an output schema owes its callers';
  const problem = await schemaProblem(output, content);
  return problem === undefined
    ? undefined
    : `answered structured content that breaks the output schema of the tool: ${problem}`;
}

async function schemaProblem(output: CompiledValueSchema, content: unknown): Promise<string | undefined> {
  // As it is sent.
  const value = parseJson(stringifyJson(content), { exactIntegers: true });
  let schema: CompiledSchema;
  try {
    schema = schemaOf(output);
  } catch {
    const checked = await output.check(value);
    return 'problem' in checked ? checked.problem : undefined;
  }
  return schema.validate(value)?.message;
}

function schemaOf(output: CompiledValueSchema): CompiledSchema {
  const known = compiled.get(output);
  if (known !== undefined) return known;
  const schema = compiler.compile(output.jsonSchema);
  schema.prepare();
  compiled.set(output, schema);
  return schema;
}
