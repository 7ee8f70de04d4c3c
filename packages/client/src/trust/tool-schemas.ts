import { holdsBigint, roundIntegers, stringifyJson, type Tool } from '@switchyard/protocol';
import type { CompiledSchema, SchemaCompiler, SchemaLimits, SchemaProblem } from '@switchyard/protocol/schema';

/** The schemas of one tool: measured when they were learned, compiled when they are first used. */
export interface ToolSchemas {
  /** One sentence on why the schemas cannot be used, or `undefined`. Compiling may find more than measuring. */
  whyUnusable(when: 'measured' | 'compiled'): string | undefined;
  /** Answers what is wrong with arguments. Throws where the schemas cannot be used. */
  checkInput(value: unknown): SchemaProblem | undefined;
  /** Answers what is wrong with a structured result; absent where the tool has no `outputSchema`. */
  readonly checkOutput?: (value: unknown) => SchemaProblem | undefined;
  /** The patterns that no linear-time engine can hold: what they would refuse passes. */
  uncheckedPatterns(): readonly string[];
  /** Whether another definition has the same schemas. */
  isOf(definition: Tool): boolean;
}

/** What compiles schemas of servers, loaded when the first one comes. */
export interface SchemaTools {
  readonly compiler: SchemaCompiler;
  /** Answers the message of an error that refuses a schema; throws any other one. */
  readonly describe: (error: unknown) => string;
}

/** Loads what compiles schemas: a client that never lists a tool does not pay for it. */
export async function loadSchemaTools(limits: Partial<SchemaLimits>): Promise<SchemaTools> {
  const { createSchemaCompiler, SchemaError } = await import('@switchyard/protocol/schema');
  return {
    compiler: createSchemaCompiler({ limits }),
    describe(error) {
      if (error instanceof SchemaError) return error.message;
      throw error;
    },
  };
}

/**
 * Measures the schemas of a tool. It does not throw: a schema over a limit, of an unknown dialect, or with a reference
 * that leads out of it or to nothing is what `whyUnusable` tells. Nothing is fetched, and tools whose schemas have the
 * same `$id` never see each other's.
 *
 * Spec: basic/index#json-schema-usage, server/tools#security-considerations (2026-07-28).
 */
export function measureTool(definition: Tool, { compiler, describe }: SchemaTools): ToolSchemas {
  const measured = new Map<string, CompiledSchema>();
  let broken: string | undefined;
  let isCompiled = false;
  for (const member of ['inputSchema', 'outputSchema'] as const) {
    const schema = definition[member];
    if (schema !== undefined && broken === undefined) {
      attempt(member, () => measured.set(member, compiler.compile(rounded(schema))));
    }
  }
  const [input, output] = [measured.get('inputSchema'), measured.get('outputSchema')];

  return {
    whyUnusable(when) {
      if (when === 'compiled' && !isCompiled && broken === undefined) {
        isCompiled = true;
        for (const [member, schema] of measured) attempt(member, schema.prepare);
      }
      return broken;
    },
    checkInput: (value) => input?.validate(rounded(value)),
    ...(output === undefined ? {} : { checkOutput: (value: unknown) => output.validate(rounded(value)) }),
    uncheckedPatterns: () => [...measured.values()].flatMap((schema) => schema.uncheckedPatterns),
    isOf: (other) => other === definition || schemaText(other) === schemaText(definition),
  };

  function attempt(member: string, work: () => unknown): void {
    try {
      work();
    } catch (error) {
      broken ??= `Its ${member} cannot be used. ${describe(error)}`;
    }
  }
}

function schemaText({ inputSchema, outputSchema }: Tool): string {
  return stringifyJson([inputSchema, outputSchema]);
}

/** A validator knows numbers only: it judges big integers by the doubles that are nearest to them. */
function rounded(value: unknown): unknown {
  return holdsBigint(value) ? roundIntegers(value) : value;
}
