import { clip } from '../clip.ts';
import { SchemaError } from './schema-error.ts';

/** A dialect of JSON Schema that can be validated. */
export type SchemaDialect = '2020-12' | 'draft-07';

/** The `$schema` of each supported dialect. */
export const supportedDialects: { readonly [Dialect in SchemaDialect]: string } = {
  '2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
};

/**
 * Tells the dialect by the value of `$schema`: 2020-12 where it is absent. http and https, with and without a trailing
 * `#`, are the same.
 *
 * Throws a `SchemaError` with the code `unsupported-dialect` for every other value.
 *
 * Spec: basic/index#schema-dialect (2026-07-28)
 */
export function detectDialect(declared: unknown, pointer = ''): SchemaDialect {
  if (declared === undefined) return '2020-12';
  if (typeof declared === 'string') {
    const plain = plainUri(declared);
    if (plain === plainUri(supportedDialects['2020-12'])) return '2020-12';
    if (plain === plainUri(supportedDialects['draft-07'])) return 'draft-07';
  }
  const found = typeof declared === 'string' ? JSON.stringify(clip(declared)) : `a value of type ${typeof declared}`;
  throw new SchemaError(
    'unsupported-dialect',
    `${pointer}/$schema`,
    `the dialect is ${found}, which is not supported; expected ${Object.values(supportedDialects).join(' or ')}, or no $schema for the first`,
  );
}

function plainUri(uri: string): string {
  return uri.replace(/^https?:/, '').replace(/#$/, '');
}
