import { clip } from '../clip.ts';

/**
 * Why a schema is refused:
 *
 * - `too-large`, `too-deep`, `too-many-subschemas`, `too-many-ref-paths`: a limit of `SchemaLimits`
 * - `unsupported-dialect`: `$schema` names something other than 2020-12 and draft-07
 * - `network-ref`: a reference leads out of the document; nothing is ever fetched
 * - `unresolved-ref`: a reference leads to a place in the document that is not there or is no schema
 * - `not-a-schema`: something other than an object or a boolean stands where a schema belongs
 * - `invalid`: a keyword has a value that its dialect does not allow
 */
export type SchemaErrorCode =
  | 'too-large'
  | 'too-deep'
  | 'too-many-subschemas'
  | 'too-many-ref-paths'
  | 'unsupported-dialect'
  | 'network-ref'
  | 'unresolved-ref'
  | 'not-a-schema'
  | 'invalid';

/** The codes of schemas that ask for more than anybody should give, or for something out of reach. */
const outOfBounds: ReadonlySet<SchemaErrorCode> = new Set<SchemaErrorCode>([
  'too-large',
  'too-deep',
  'too-many-subschemas',
  'too-many-ref-paths',
  'network-ref',
]);

/**
 * The only error of this module: the schema itself is refused. A value that breaks a schema is no error but a
 * `SchemaProblem`.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  readonly code: SchemaErrorCode;
  /** JSON pointer to the place in the schema, '' for the whole. */
  readonly pointer: string;
  /**
   * Whether the schema is over a limit or leads out of its document. Where it is not, the schema says something that
   * cannot be read (another dialect, a keyword of another form, a reference to nothing); who need not check can go on
   * without it.
   */
  readonly isOutOfBounds: boolean;

  constructor(code: SchemaErrorCode, pointer: string, reason: string, options?: ErrorOptions) {
    super(`Schema${pointer === '' ? '' : ` at ${JSON.stringify(clip(pointer, 200))}`}: ${reason}`, options);
    this.code = code;
    this.pointer = pointer;
    this.isOutOfBounds = outOfBounds.has(code);
  }
}
