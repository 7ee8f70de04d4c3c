import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Definitions, createBoundedKeywords } from './bounded-keywords.ts';
import { type SchemaProblem, describeLimit, describeProblem } from './describe-problem.ts';
import { createEvaluationKeywords } from './evaluation-keywords.ts';
import { createExactKeywords } from './exact-keywords.ts';
import { createDefaultFiller } from './fill-defaults.ts';
import { formats } from './formats.ts';
import { lowerSchema } from './lower-schema.ts';
import type { LoweredDocument } from './lowered-schema.ts';
import { type Matchers, createMatchers } from './matchers.ts';
import { meterSteps } from './meter-steps.ts';
import type { PatternSet } from './pattern/pattern-set.ts';
import { SchemaError } from './schema-error.ts';
import type { SchemaLimits } from './schema-limits.ts';
import type { SchemaOutline } from './schema-outline.ts';
import { splitWide } from './split-wide.ts';
import { type StepBudget, StepsSpent, createStepKeywords } from './step-budget.ts';

/** Answers what is wrong with a value, undefined where nothing is. */
export type Validator = (value: unknown) => SchemaProblem | undefined;

/** How a validator is built. */
export interface ValidatorOptions {
  readonly limits: SchemaLimits;
  readonly fillDefaults: boolean;
  readonly checksFormats: boolean;
}

interface CompileTools {
  readonly matchers: Matchers;
  readonly budget: StepBudget;
  /** Whether some keyword asks which members or items others have evaluated. */
  readonly tracksEvaluation: boolean;
}

/** Builds the validator of a measured schema. Throws a `SchemaError` where that is not possible. */
export function buildValidator(outline: SchemaOutline, patterns: PatternSet, options: ValidatorOptions): Validator {
  const { limits, fillDefaults, checksFormats } = options;
  const budget: StepBudget = { left: limits.maxSteps };
  const matchers = createMatchers(budget);
  const { document, tracksEvaluation } = lowerSchema(outline, {
    patterns,
    matchers,
    maxSubschemas: limits.maxSubschemas,
    checksFormats,
  });
  splitWide(document, matchers);
  meterSteps(document);
  const matches = compile(document, { matchers, budget, tracksEvaluation });
  const fill = fillDefaults ? createDefaultFiller(outline) : undefined;
  const { dialect } = outline;
  return (value) => {
    budget.left = limits.maxSteps;
    try {
      fill?.(value, budget);
      if (matches(value)) return undefined;
      return describeProblem({ errors: matches.errors ?? [], value, dialect, sourceOf: matchers.sourceOf });
    } catch (error) {
      // A RangeError is a full stack, here or in the regular expression engine: the value is nested too deep or too
      // long.
      if (error instanceof StepsSpent || error instanceof RangeError) return describeLimit();
      throw error;
    }
  };
}

/**
 * Compiles in an instance of ajv of its own, which is cheap without meta-schemas and is forgotten afterwards: an
 * instance keeps what it has once compiled, whatever is removed from it.
 */
function compile(document: LoweredDocument, tools: CompileTools): ValidateFunction {
  const { matchers, budget, tracksEvaluation } = tools;
  const ajv = new Ajv2020({
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    strict: false,
    strictNumbers: true,
    ownProperties: true,
    messages: false,
    logger: false,
    formats: { ...formats },
    code: { optimize: false, regExp: matchers.engine },
  });
  // These go first, because what comes after a keyword that fails is not run and would not be paid for.
  for (const keyword of createStepKeywords(budget)) ajv.addKeyword(keyword);
  // Keeping track costs time, and fails in some combinations that do not need it.
  ajv.opts.unevaluated = tracksEvaluation;
  const definitions: Definitions = new Map();
  const replacements = [...createExactKeywords(budget), ...createBoundedKeywords(definitions)];
  for (const keyword of [...replacements, ...createEvaluationKeywords(ajv)]) {
    ajv.removeKeyword(String(keyword.keyword));
    ajv.addKeyword(keyword);
  }
  try {
    for (const [name, schema] of document) definitions.set(name, ajv.compile(schema));
  } catch (error) {
    throw new SchemaError('invalid', '', 'it cannot be compiled', { cause: error });
  }
  return definitions.get('#') as ValidateFunction;
}
