/**
 * What a schema may cost. All but the last are checked when a schema is measured, before anything is compiled; the last
 * one bounds every single validation.
 *
 * Spec: basic/index#composition-keyword-resource-use (2026-07-28)
 */
export interface SchemaLimits {
  /** UTF-8 bytes of the schema as JSON text. */
  readonly maxBytes: number;
  /** Subschemas inside one another. The JSON text as a whole may be nested four times as deep. */
  readonly maxDepth: number;
  /** Subschemas altogether, booleans and unused definitions included. */
  readonly maxSubschemas: number;
  /** Different ways through `$ref`s from the root. A `$ref` back into its own definition counts once. */
  readonly maxRefPaths: number;
  /**
   * Work of one validation, in steps of very roughly ten nanoseconds: keywords of a subschema entered anew, characters
   * read by patterns. A value that would need more is refused.
   */
  readonly maxSteps: number;
}

/** The limits where none are given: 256 KiB, depth 64, 2,000 subschemas, 10,000 `$ref` paths, 50 million steps. */
export const defaultSchemaLimits: SchemaLimits = {
  maxBytes: 256 * 1024,
  maxDepth: 64,
  maxSubschemas: 2_000,
  maxRefPaths: 10_000,
  maxSteps: 50_000_000,
};
