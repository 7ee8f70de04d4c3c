import { holdsBigint, roundIntegers, stringifyJson, type Tool } from '@switchyard/protocol';
import type { CompiledSchema, SchemaCompiler, SchemaLimits, SchemaProblem } from '@switchyard/protocol/schema';

/** Why schemas of a tool cannot be used. */
export interface SchemaTrouble {
  /** One sentence, or several. */
  readonly reason: string;
  /**
   * `out-of-bounds`: over a limit, or with a reference that leads out of the document. `unreadable`: of another dialect,
   * with a keyword of another form, with a reference to nothing, which is how honest servers err.
   */
  readonly kind: 'out-of-bounds' | 'unreadable';
}

/** The schemas of one tool: measured when they were learned, compiled when they are first used. */
export interface ToolSchemas {
  /** The worst that is known of the schemas, or `undefined`. Compiling may find more than measuring. */
  trouble(when: 'measured' | 'compiled'): SchemaTrouble | undefined;
  /** Answers what is wrong with arguments; nothing where the `inputSchema` cannot be used. */
  checkInput(value: unknown): SchemaProblem | undefined;
  /** Answers whether there is an `outputSchema` that can be used. */
  checksOutput(): boolean;
  /** Answers what is wrong with a structured result; nothing where {@link checksOutput} is false. */
  checkOutput(value: unknown): SchemaProblem | undefined;
  /** The patterns that no linear-time engine can hold: what they would refuse passes. */
  uncheckedPatterns(): readonly string[];
  /** Whether another definition has the same schemas. */
  isOf(definition: Tool): boolean;
}

/** What compiles schemas of servers, loaded when the first one comes. */
export interface SchemaTools {
  readonly compiler: SchemaCompiler;
  /** Answers why a schema is refused; throws an error of any other kind. */
  readonly describe: (error: unknown) => SchemaTrouble;
}

/** Loads what compiles schemas: a client that never lists a tool does not pay for it. */
export async function loadSchemaTools(limits: Partial<SchemaLimits>): Promise<SchemaTools> {
  const { createSchemaCompiler, SchemaError } = await import('@switchyard/protocol/schema');
  return {
    compiler: createSchemaCompiler({ limits, checksFormats: false }),
    describe(error) {
      if (!(error instanceof SchemaError)) throw error;
      return { reason: error.message, kind: error.isOutOfBounds ? 'out-of-bounds' : 'unreadable' };
    },
  };
}

/**
 * Measures the schemas of a tool. It does not throw: what is wrong with a schema is what `trouble` tells, and the other
 * one is checked all the same. A `format` is an annotation. Nothing is fetched, and tools whose schemas have the same
 * `$id` never see each other's.
 *
 * Spec: basic/index#json-schema-usage, server/tools#security-considerations (2026-07-28).
 */
export function measureTool(definition: Tool, { compiler, describe }: SchemaTools): ToolSchemas {
  const usable = new Map<SchemaMember, CompiledSchema>();
  const troubles: SchemaTrouble[] = [];
  let isCompiled = false;
  for (const member of ['inputSchema', 'outputSchema'] as const) {
    const schema = definition[member];
    if (schema !== undefined) attempt(member, () => usable.set(member, compiler.compile(rounded(schema))));
  }

  return {
    trouble(when) {
      if (when === 'compiled') compile();
      return troubles.find(({ kind }) => kind === 'out-of-bounds') ?? troubles[0];
    },
    checkInput: (value) => check('inputSchema', value),
    checksOutput() {
      compile();
      return usable.has('outputSchema');
    },
    checkOutput: (value) => check('outputSchema', value),
    uncheckedPatterns: () => [...usable.values()].flatMap((schema) => schema.uncheckedPatterns),
    isOf: (other) => other === definition || schemaText(other) === schemaText(definition),
  };

  function compile(): void {
    if (isCompiled) return;
    isCompiled = true;
    for (const [member, schema] of usable) attempt(member, schema.prepare);
  }

  function check(member: SchemaMember, value: unknown): SchemaProblem | undefined {
    compile();
    return usable.get(member)?.validate(rounded(value));
  }

  function attempt(member: SchemaMember, work: () => unknown): void {
    try {
      work();
    } catch (error) {
      const { reason, kind } = describe(error);
      troubles.push({ reason: `Its ${member} cannot be used. ${reason}`, kind });
      usable.delete(member);
    }
  }
}

type SchemaMember = 'inputSchema' | 'outputSchema';

function schemaText({ inputSchema, outputSchema }: Tool): string {
  return stringifyJson([inputSchema, outputSchema]);
}

/** A validator knows numbers only: it judges big integers by the doubles that are nearest to them. */
function rounded(value: unknown): unknown {
  return holdsBigint(value) ? roundIntegers(value) : value;
}
