export { decodePointer, encodePointer } from '../json-pointer.ts';
export type { JsonSchema } from './json-schema.ts';
export { type SchemaLimits, defaultSchemaLimits } from './schema-limits.ts';
export { SchemaError, type SchemaErrorCode } from './schema-error.ts';
export { type SchemaDialect, detectDialect, supportedDialects } from './dialect.ts';
export { type SchemaMeasure, measureSchema } from './measure-schema.ts';
export { closeSchema } from './close-schema.ts';
export type { SchemaProblem } from './describe-problem.ts';
export {
  type CompiledSchema,
  type SchemaCompiler,
  type SchemaCompilerOptions,
  createSchemaCompiler,
} from './schema-compiler.ts';
