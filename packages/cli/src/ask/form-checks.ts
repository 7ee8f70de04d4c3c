import type { FormContent } from '@switchyard/client';
import { isJsonObject, type JsonObject, roundIntegers } from '@switchyard/protocol';
import { type CompiledSchema, createSchemaCompiler } from '@switchyard/protocol/schema';
import { cleanLine } from '../terminal.ts';
import type { FieldValue } from './field-text.ts';

/** What is wrong with the answers to a form, in clean sentences; `undefined` where nothing is. Neither throws. */
export interface FormChecks {
  field(name: string, value: FieldValue): string | undefined;
  form(content: FormContent): string | undefined;
}

/**
 * Creates the checks of a form by its schema, which the client has compiled before. They are there to help a person: the
 * client checks the answer again, so that what cannot be checked here passes.
 */
export function createFormChecks(requestedSchema: JsonObject): FormChecks {
  const compiler = createSchemaCompiler();
  const schema = roundIntegers(requestedSchema) as JsonObject;
  const { properties } = schema;
  const named = isJsonObject(properties) ? properties : {};
  /** What is demanded of the form as a whole can wait until all of it is there; references into it still lead there. */
  const fields = lazily({ ...definitionsIn(schema), type: 'object', properties: named });
  const whole = lazily(schema);

  return {
    field: (name, value) => problemOf(fields, { [name]: value }),
    form: (content) => problemOf(whole, content),
  };

  function lazily(source: JsonObject): () => CompiledSchema {
    let compiled: CompiledSchema | undefined;
    return () => (compiled ??= compiler.compile(source));
  }
}

const definitions: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$dynamicAnchor',
  '$vocabulary',
  '$defs',
  'definitions',
]);

/** Keywords of a root that say what its references mean, and demand nothing. */
function definitionsIn(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => definitions.has(keyword)));
}

function problemOf(compiled: () => CompiledSchema, content: FormContent): string | undefined {
  try {
    const problem = compiled().validate(roundIntegers(content));
    return problem === undefined ? undefined : cleanLine(problem.message);
  } catch {
    // A schema that works as a whole alone.
    return undefined;
  }
}
