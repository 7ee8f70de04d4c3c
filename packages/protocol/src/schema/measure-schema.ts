import type { SchemaDialect } from './dialect.ts';
import { countRefPaths } from './ref-graph.ts';
import { type SchemaLimits, defaultSchemaLimits } from './schema-limits.ts';
import { type SchemaOutline, outlineSchema } from './schema-outline.ts';

/** What a schema costs: its dialect, and the numbers that `SchemaLimits` bounds. */
export interface SchemaMeasure {
  readonly dialect: SchemaDialect;
  readonly bytes: number;
  readonly subschemas: number;
  /** The deepest nesting of subschemas; 1 where there is only the root. */
  readonly depth: number;
  readonly refPaths: number;
}

/**
 * Measures and checks a schema from outside, before anything is compiled from it: limits, dialect, the form of every
 * keyword, and that every reference stays inside the document and leads somewhere. Recursive schemas are fine. Needs no
 * recursion, does work in proportion to the limits at most, and fetches nothing.
 *
 * Throws a `SchemaError` with the JSON pointer of the place.
 *
 * Spec: basic/index#ref-resolution, basic/index#composition-keyword-resource-use (2026-07-28)
 */
export function measureSchema(schema: unknown, limits: Partial<SchemaLimits> = {}): SchemaMeasure {
  return outlineWithinLimits(schema, limits).measure;
}

/** Measures like `measureSchema` and also hands on the outline that was measured. */
export function outlineWithinLimits(
  schema: unknown,
  limits: Partial<SchemaLimits> = {},
): { readonly outline: SchemaOutline; readonly measure: SchemaMeasure } {
  const bounds = { ...defaultSchemaLimits, ...limits };
  const outline = outlineSchema(schema, bounds);
  const { dialect, bytes, nodes } = outline;
  const depth = nodes.reduce((deepest, node) => Math.max(deepest, node.depth), 0);
  const refPaths = countRefPaths(outline, bounds.maxRefPaths);
  return { outline, measure: { dialect, bytes, subschemas: nodes.length, depth, refPaths } };
}
