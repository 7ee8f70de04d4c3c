import { isJsonObject } from '../../shape.ts';
import { isKeyword } from '../keywords.ts';
import type { SchemaOutline } from '../schema-outline.ts';
import { type LinearPattern, compileLinearPattern, createPatternFamily } from './linear-pattern.ts';

/** Different patterns of one schema that are checked; what comes after them is not. */
const maxPatterns = 256;

/** The patterns of a schema by their source; undefined for one that cannot be checked. */
export type PatternSet = ReadonlyMap<string, LinearPattern | undefined>;

/** Compiles every pattern that stands in `pattern` or names members of `patternProperties`. */
export function compilePatterns({ dialect, nodes }: SchemaOutline): PatternSet {
  const patterns = new Map<string, LinearPattern | undefined>();
  const family = createPatternFamily();
  const add = (source: string): void => {
    if (patterns.has(source)) return;
    patterns.set(source, patterns.size < maxPatterns ? compileLinearPattern(source, family) : undefined);
  };
  for (const { schema } of nodes) {
    if (typeof schema === 'boolean' || !isKeyword(dialect, schema, 'pattern')) continue;
    if (typeof schema.pattern === 'string') add(schema.pattern);
    if (isJsonObject(schema.patternProperties)) for (const source of Object.keys(schema.patternProperties)) add(source);
  }
  return patterns;
}
