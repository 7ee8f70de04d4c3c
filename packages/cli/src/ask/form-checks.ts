import type { FormContent } from '@switchyard/client';
import { isJsonObject, type JsonObject, roundIntegers } from '@switchyard/protocol';
import { type CompiledSchema, createSchemaCompiler } from '@switchyard/protocol/schema';
import { cleanLine } from '../terminal.ts';
import type { FieldValue } from './field-text.ts';

/** What is wrong with the answers to a form, in clean sentences; `undefined` where nothing is. */
export interface FormChecks {
  field(name: string, value: FieldValue): string | undefined;
  form(content: FormContent): string | undefined;
}

/** Creates the checks of a form by its schema, which the client has compiled before. */
export function createFormChecks(requestedSchema: JsonObject): FormChecks {
  const compiler = createSchemaCompiler();
  const schema = roundIntegers(requestedSchema) as JsonObject;
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const fields = new Map<string, CompiledSchema>();
  let whole: CompiledSchema | undefined;

  return {
    field(name, value) {
      const compiled = fields.get(name) ?? compileField(name);
      fields.set(name, compiled);
      return problemOf(compiled, { [name]: value });
    },
    form(content) {
      whole ??= compiler.compile(schema);
      return problemOf(whole, content);
    },
  };

  /** What is demanded of the form as a whole can wait until all of it is there. */
  function compileField(name: string): CompiledSchema {
    const { $schema, $defs, definitions } = schema;
    return compiler.compile({
      ...($schema === undefined ? {} : { $schema }),
      ...($defs === undefined ? {} : { $defs }),
      ...(definitions === undefined ? {} : { definitions }),
      type: 'object',
      properties: { [name]: properties[name] },
    });
  }
}

function problemOf(compiled: CompiledSchema, content: FormContent): string | undefined {
  const problem = compiled.validate(content);
  return problem === undefined ? undefined : cleanLine(problem.message);
}
