import { isJsonObject, type JsonObject, roundIntegers } from '@switchyard/protocol';
import { type CompiledSchema, createSchemaCompiler } from '@switchyard/protocol/schema';
import { quoted } from '../peer/excerpt.ts';
import { untitled } from './closed-list.ts';
import { fieldSchema } from './field-schema.ts';
import { isNumeric, whyOutOfRange } from './number-range.ts';

/** What the schema of a form demands of its values. Neither function throws. */
export interface FormRules {
  /** Answers what the values of a form break, as a sentence without its full stop, or `undefined`. */
  whyBroken(content: JsonObject): string | undefined;
  /**
   * Answers whether a value keeps the rules of its field, whatever the others are. `true` where that cannot be told of
   * a field alone, `false` where telling takes too long.
   */
  fitsAsDefault(name: string, value: unknown): boolean;
}

/** Steps for checking one answer: everything else waits meanwhile. */
const MAX_STEPS = 5_000_000;
/** Steps for checking all defaults, in equal shares. */
const MAX_STEPS_FOR_DEFAULTS = 1_000_000;
/** A form is flat, so that it needs less than other schemas: four for each of 200 fields. */
const MAX_SUBSCHEMAS = 800;

/**
 * Compiles the schema of a form, which may have 256 KiB and 800 subschemas, its titled choices not counted. Validators
 * know doubles alone, so they see rounded copies; bounds of numbers are compared digit for digit. Throws a `SchemaError`.
 */
export function createFormRules(requestedSchema: JsonObject): FormRules {
  const schema = roundIntegers(withoutTitles(requestedSchema)) as JsonObject;
  const whole = compile(schema, MAX_STEPS);
  whole.prepare();
  let parts: CompiledSchema | undefined;

  return {
    whyBroken(content) {
      for (const [name, value] of Object.entries(content)) {
        const beyond = whyBeyond(name, value);
        if (beyond !== undefined) return `${quoted(name)} ${beyond}`;
      }
      return whole.validate(roundIntegers(content))?.message.replace(/\.$/, '');
    },
    fitsAsDefault(name, value) {
      try {
        parts ??= compileParts(schema);
        return parts.validate(roundIntegers({ [name]: value })) === undefined && whyBeyond(name, value) === undefined;
      } catch {
        // References that lead to what is left out here.
        return true;
      }
    },
  };

  function whyBeyond(name: string, value: unknown): string | undefined {
    return isNumeric(value) ? whyOutOfRange(fieldSchema(name, requestedSchema) ?? {}, value) : undefined;
  }
}

/** Nothing that is demanded of all values together, which one alone would break. */
function compileParts(schema: JsonObject): CompiledSchema {
  const { $schema, $id, $defs, definitions, properties = {} } = schema;
  const presets = Object.keys(properties as JsonObject).filter(
    (name) => fieldSchema(name, schema)?.['default'] !== undefined,
  );
  const parts = roundIntegers({ $schema, $id, $defs, definitions, properties });
  return compile(parts, MAX_STEPS_FOR_DEFAULTS / Math.max(1, presets.length));
}

function compile(schema: unknown, maxSteps: number): CompiledSchema {
  const limits = { maxSubschemas: MAX_SUBSCHEMAS, maxRefPaths: MAX_SUBSCHEMAS, maxSteps };
  return createSchemaCompiler({ limits }).compile(schema);
}

function withoutTitles(requestedSchema: JsonObject): JsonObject {
  const schema = { ...requestedSchema };
  for (const keyword of ['properties', '$defs', 'definitions']) {
    const members = schema[keyword];
    if (!isJsonObject(members)) continue;
    schema[keyword] = Object.fromEntries(
      Object.entries(members).map(([name, member]) => [name, untitledField(member)]),
    );
  }
  return schema;
}

function untitledField(property: unknown): unknown {
  if (!isJsonObject(property)) return property;
  const { items } = property;
  return untitled(isJsonObject(items) ? { ...property, items: untitled(items) } : property);
}
