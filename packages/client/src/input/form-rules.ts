import { isJsonObject, type JsonObject, roundIntegers } from '@switchyard/protocol';
import { type CompiledSchema, createSchemaCompiler } from '@switchyard/protocol/schema';
import { quoted } from '../peer/excerpt.ts';
import { isNumeric, whyOutOfRange } from './number-range.ts';

/** What the schema of a form demands of its values. Neither function throws. */
export interface FormRules {
  /** Answers what the values of a form break, as a sentence without its full stop, or `undefined`. */
  whyBroken(content: JsonObject): string | undefined;
  /**
   * Answers whether a value keeps the rules of its field, whatever the others are. `true` where that cannot be told of
   * a field alone.
   */
  fits(name: string, value: unknown): boolean;
}

const compiler = createSchemaCompiler();

/**
 * Compiles the schema of a form. Validators know doubles alone, so they see rounded copies; bounds of numbers are
 * compared digit for digit. Throws a `SchemaError`.
 */
export function createFormRules(requestedSchema: JsonObject): FormRules {
  const { $schema, $id, $defs, definitions } = requestedSchema;
  const properties = isJsonObject(requestedSchema['properties']) ? requestedSchema['properties'] : {};
  const whole = compiler.compile(roundIntegers(requestedSchema));
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
    fits(name, value) {
      try {
        // Nothing that is demanded of all values together, which one alone would break.
        parts ??= compiler.compile(roundIntegers({ $schema, $id, $defs, definitions, properties }));
        return parts.validate(roundIntegers({ [name]: value })) === undefined && whyBeyond(name, value) === undefined;
      } catch {
        // References that lead to what is left out here.
        return true;
      }
    },
  };

  function whyBeyond(name: string, value: unknown): string | undefined {
    const property = properties[name];
    return isNumeric(value) && isJsonObject(property) ? whyOutOfRange(property, value) : undefined;
  }
}
