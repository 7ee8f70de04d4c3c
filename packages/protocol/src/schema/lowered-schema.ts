import { keywordsOf } from './keywords.ts';

/**
 * A schema as ajv gets it: 2020-12 whatever the dialect was, only keywords that decide validity, names of definitions
 * in `$ref`, no identifiers, handles in place of patterns, and the keywords that count steps.
 */
export type LoweredSchema = { [keyword: string]: unknown };

/** Anything that can stand for a schema there. */
export type LoweredValue = LoweredSchema | boolean;

/** The definitions of a schema by their names; the schema itself is called `#`. */
export type LoweredDocument = Map<string, LoweredValue>;

/** Lists the subschemas of a lowered schema that are objects, with the keywords they stand in. */
export function loweredChildren(schema: LoweredValue): { readonly keyword: string; readonly child: LoweredSchema }[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const form = keywordsOf['2020-12'].get(keyword)?.form;
    if (form === undefined || typeof value !== 'object' || value === null) return [];
    const found =
      form === 'schema' ? [value] : form === 'schema-list' || form === 'schema-map' ? Object.values(value) : [];
    return (found as readonly LoweredValue[]).flatMap((child) =>
      typeof child === 'object' ? [{ keyword, child }] : [],
    );
  });
}
