import { Ajv2020 } from 'ajv/dist/2020.js';

export type JsonSchema = { readonly [key: string]: unknown };
export interface SchemaProblem {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}
export interface CompiledSchema {
  validate(value: unknown): SchemaProblem | undefined;
  readonly uncheckedPatterns: readonly string[];
}
export class SchemaError extends Error {
  readonly code: string;
  readonly pointer: string;
  constructor(code: string, pointer: string, message: string) {
    super(message);
    this.code = code;
    this.pointer = pointer;
  }
}
export function measureSchema(_schema: unknown): void {}
export function closeSchema(schema: JsonSchema): JsonSchema {
  return 'additionalProperties' in schema || !('properties' in schema) ? schema : { ...schema, additionalProperties: false };
}
export function createSchemaCompiler(options: { fillDefaults?: boolean } = {}): { compile(schema: unknown): CompiledSchema } {
  return {
    compile(schema) {
      const ajv = new Ajv2020({ strict: false, useDefaults: options.fillDefaults === true });
      const validate = ajv.compile(schema as object);
      return {
        uncheckedPatterns: [],
        validate(value) {
          if (validate(value)) return undefined;
          const [error] = validate.errors ?? [];
          const path = error?.instancePath ?? '';
          return { path, rule: error?.keyword ?? '', message: `${path} ${error?.message ?? ''} (${error?.keyword ?? ''})` };
        },
      };
    },
  };
}
