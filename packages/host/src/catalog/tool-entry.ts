import { holdsBigint, roundIntegers, type Tool } from '@switchyard/protocol';
import { type CompiledSchema, type SchemaCompiler, SchemaError } from '@switchyard/protocol/schema';
import { declaredNames } from '../audit/redact-arguments.ts';
import { governedByName } from '../policy/governed.ts';
import type { EntryReading, ToolEntry } from './entry.ts';
import { exposedName } from './exposed-name.ts';
import { readDefinition, shownName } from './list-entry.ts';

/** What compiles the schemas of tools: `input` fills defaults in, `output` does not. */
export interface ToolSchemas {
  readonly input: SchemaCompiler;
  readonly output: SchemaCompiler;
}

/** A tool's schemas, measured and not yet compiled. */
interface Measured {
  readonly input: CompiledSchema;
  readonly output: CompiledSchema | undefined;
  /** Why there is an output schema that cannot be read. */
  readonly unchecked?: string;
}

/**
 * Makes a server's tool ready: measures its schemas, so that one that is too large or cannot be used leaves the tool
 * out alone, and gives it its exposed name. An output schema that merely cannot be read (of another dialect, with a
 * reference to nothing) is not exposed, as whoever lists it could not read it either, and results go unchecked, as
 * those of a tool without one. An input schema has to be readable: what policies judge, people approve and the audit
 * records are checked arguments. The schemas are compiled on first use. `last` is the entry that the
 * server's tool of this name had; it stays where the definition has not changed.
 */
export function createToolEntry(
  server: string,
  definition: Tool,
  schemas: ToolSchemas,
  last?: ToolEntry,
): EntryReading<ToolEntry> {
  const reading = readDefinition(definition.name, definition);
  if ('reason' in reading) return reading;
  if (last?.digest === reading.digest) return { entry: last };
  const measured = measure(definition, schemas);
  if ('problem' in measured) return { name: shownName(definition.name), reason: measured.problem };
  const { unchecked } = measured;
  const { outputSchema: _, ...withoutOutput } = definition;
  const readable = unchecked === undefined ? definition : withoutOutput;
  const key = exposedName(server, definition.name);
  const entry: ToolEntry = {
    key,
    server,
    name: definition.name,
    governed: governedByName('tool', server, definition.name),
    digest: reading.digest,
    declared: declaredNames(definition.inputSchema),
    definition,
    exposed: Object.freeze({ ...readable, name: key, server, originalName: definition.name }),
    ...(unchecked === undefined ? {} : { unchecked }),
    checks: createChecks(measured),
  };
  return { entry };
}

function measure(definition: Tool, schemas: ToolSchemas): Measured | { readonly problem: string } {
  return blaming('inputSchema', () => {
    const input = schemas.input.compile(rounded(definition.inputSchema));
    return blaming('outputSchema', () => ({ input, ...measureOutput(definition, schemas) }));
  });
}

function measureOutput({ outputSchema }: Tool, { output }: ToolSchemas): Omit<Measured, 'input'> {
  if (outputSchema === undefined) return { output: undefined };
  try {
    return { output: output.compile(rounded(outputSchema)) };
  } catch (error) {
    if (!(error instanceof SchemaError) || error.isOutOfBounds) throw error;
    return { output: undefined, unchecked: sentenceOn('outputSchema', error) };
  }
}

/** A schema may hold big integers, such as the largest one of 64 bits, and a validator knows numbers only. */
function rounded(schema: object): unknown {
  return holdsBigint(schema) ? roundIntegers(schema) : schema;
}

function createChecks({ input, output }: Measured): ToolEntry['checks'] {
  let checks: ReturnType<ToolEntry['checks']> | undefined;
  return () => {
    checks ??= blaming('inputSchema', () => {
      input.prepare();
      return blaming('outputSchema', () => {
        output?.prepare();
        return { input: input.validate, ...(output === undefined ? {} : { output: output.validate }) };
      });
    });
    return checks;
  };
}

/** Does what may find a schema unusable, and answers then which member of the definition is to blame. */
function blaming<T>(member: string, work: () => T): T | { readonly problem: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof SchemaError) return { problem: sentenceOn(member, error) };
    throw error;
  }
}

function sentenceOn(member: string, { message }: SchemaError): string {
  return `Its ${member} cannot be used. ${message}`;
}
