import { isJsonObject, roundIntegers, type Tool } from '@switchyard/protocol';
import { type createSchemaCompiler, measureSchema, SchemaError } from '@switchyard/protocol/schema';
import { declaredNames } from '../audit/redact-arguments.ts';
import { holdsBigint } from '../json/big-integers.ts';
import { governedByName } from '../policy/governed.ts';
import type { EntryReading, SchemaCheck, ToolEntry } from './entry.ts';
import { exposedName } from './exposed-name.ts';
import { readDefinition, shownName } from './list-entry.ts';

type SchemaCompiler = ReturnType<typeof createSchemaCompiler>;

/** What compiles the schemas of tools: `input` fills defaults in, `output` does not. */
export interface ToolSchemas {
  readonly input: SchemaCompiler;
  readonly output: SchemaCompiler;
}

/**
 * Makes a server's tool ready: measures its schemas, so that one that is too large or cannot be used leaves the tool out alone, and
 * gives it its exposed name. The schemas are compiled on first use.
 */
export function createToolEntry(server: string, definition: Tool, schemas: ToolSchemas): EntryReading<ToolEntry> {
  const reading = readDefinition(definition.name, definition);
  if ('reason' in reading) return reading;
  // A schema may hold big integers, such as the largest 64-bit one, and a validator knows numbers only.
  const inputSchema = rounded(definition.inputSchema);
  const outputSchema = rounded(definition.outputSchema);
  const problem = unusable('inputSchema', inputSchema) ?? unusable('outputSchema', outputSchema);
  if (problem !== undefined) return { name: shownName(definition.name), reason: problem };
  const key = exposedName(server, definition.name);
  const entry: ToolEntry = {
    key,
    server,
    name: definition.name,
    governed: governedByName('tool', server, definition.name),
    digest: reading.digest,
    declared: declaredNames(inputSchema),
    definition,
    exposed: Object.freeze({ ...definition, name: key, server, originalName: definition.name }),
    checkInput: checkLazily(schemas.input, inputSchema),
    ...(outputSchema === undefined ? {} : { checkOutput: checkLazily(schemas.output, outputSchema) }),
  };
  return { entry };
}

function rounded<T>(schema: T): T {
  return holdsBigint(schema) ? (roundIntegers(schema) as T) : schema;
}

function unusable(member: string, schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  if (!isJsonObject(schema)) return `Its ${member} must be an object.`;
  try {
    measureSchema(schema);
    return undefined;
  } catch (error) {
    if (error instanceof SchemaError) return `Its ${member} cannot be used: ${error.message}`;
    throw error;
  }
}

function checkLazily(compiler: SchemaCompiler, schema: object): SchemaCheck {
  let compiled: ReturnType<SchemaCompiler['compile']> | undefined;
  return (value) => {
    compiled ??= compiler.compile(schema);
    return compiled.validate(value);
  };
}
