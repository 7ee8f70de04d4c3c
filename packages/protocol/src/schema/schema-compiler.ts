import { type Validator, buildValidator } from './build-validator.ts';
import type { SchemaProblem } from './describe-problem.ts';
import { outlineWithinLimits } from './measure-schema.ts';
import { type PatternSet, compilePatterns } from './pattern/pattern-set.ts';
import type { SchemaError } from './schema-error.ts';
import { type SchemaLimits, defaultSchemaLimits } from './schema-limits.ts';

/** A schema that was measured and is compiled when it is first needed. It must not be changed meanwhile. */
export interface CompiledSchema {
  /**
   * Answers what is wrong with a value, undefined where nothing is. Does not convert types. With `fillDefaults` it puts
   * missing properties into the value itself first, also where the value turns out to be wrong.
   *
   * For a JSON value it throws nothing but the `SchemaError` of `prepare`.
   */
  readonly validate: (value: unknown) => SchemaProblem | undefined;
  /** Compiles now instead of at the first `validate`. Throws a `SchemaError`, the same one each time. */
  readonly prepare: () => void;
  /** The patterns that no linear-time engine can hold, or that are no patterns: what they would refuse passes. */
  readonly uncheckedPatterns: readonly string[];
}

/** Compiles schemas. Schemas of the same `$id` never see each other. */
export interface SchemaCompiler {
  /** Measures a schema at once and throws a `SchemaError` like `measureSchema`; compiles later. */
  readonly compile: (schema: unknown) => CompiledSchema;
}

/** Options of `createSchemaCompiler`. */
export interface SchemaCompilerOptions {
  /** Limits that differ from `defaultSchemaLimits`. */
  readonly limits?: Partial<SchemaLimits>;
  /** Whether `validate` fills in defaults; by default it leaves the value as it is. */
  readonly fillDefaults?: boolean;
  /**
   * Whether a text that has not the `format` of its schema breaks it. `true`, the default, is for schemas of one's own
   * and for forms, whose formats the protocol defines. `false` is for schemas of a peer: both dialects let `format` be a
   * mere annotation, and honest servers disagree about what a `date-time` or a `uri` is.
   */
  readonly checksFormats?: boolean;
}

/**
 * Creates a compiler for schemas of the dialects 2020-12 (without `$schema`, too) and draft-07, from authors and from
 * servers that are not trusted.
 *
 * Spec: basic/index#json-schema-usage (2026-07-28)
 */
export function createSchemaCompiler(options: SchemaCompilerOptions = {}): SchemaCompiler {
  const limits = { ...defaultSchemaLimits, ...options.limits };
  const { fillDefaults = false, checksFormats = true } = options;
  return {
    compile: (schema) => {
      const { outline } = outlineWithinLimits(schema, limits);
      let patterns: PatternSet | undefined;
      let validator: Validator | undefined;
      let failure: SchemaError | undefined;
      const compiledPatterns = (): PatternSet => (patterns ??= compilePatterns(outline));
      const compiled = (): Validator => {
        if (failure !== undefined) throw failure;
        try {
          return (validator ??= buildValidator(outline, compiledPatterns(), { limits, fillDefaults, checksFormats }));
        } catch (error) {
          failure = error as SchemaError;
          throw error;
        }
      };
      return {
        validate: (value) => compiled()(value),
        prepare: () => void compiled(),
        get uncheckedPatterns() {
          return [...compiledPatterns()].flatMap(([source, pattern]) => (pattern === undefined ? [source] : []));
        },
      };
    },
  };
}
