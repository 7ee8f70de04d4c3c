import type { SchemaLimits } from '@switchyard/protocol/schema';
import type { PeerContext } from '../peer/peer-context.ts';

/** What happens where a server breaks a rule: the call fails, it goes on with a warning, or nobody looks. */
export type Reaction = 'reject' | 'warn' | 'off';

/** What is checked of a server's tools and their results. `warn` tells `onWarning` and goes on. */
export interface CheckOptions {
  /**
   * Tools whose schemas cannot be used: too large by `schemaLimits`, of an unknown dialect, with a reference that leads
   * out of the document or to nothing. `reject`, the default: they are in `leftOut`, and calling one fails with code
   * `invalid-argument`.
   */
  readonly schemas?: Reaction;
  /**
   * Results whose `structuredContent` breaks the `outputSchema` of the tool, as it was last listed, or is missing.
   * `reject`, the default: code `result-rejected`. Results with `isError` and of tools that were not listed pass.
   */
  readonly outputSchema?: Reaction;
  /** Results whose text is JSON and says something else than `structuredContent`. Default `warn`. */
  readonly agreement?: Reaction;
  /**
   * Arguments that break the `inputSchema` of the tool, as it was last listed. Default `off`, since the server must
   * check them and its words help a model more; `reject`: code `invalid-argument`, and nothing is sent.
   */
  readonly arguments?: Reaction;
  /** Limits of schemas that differ from 256 KiB, depth 64, 2,000 subschemas and 10,000 ways through references. */
  readonly schemaLimits?: Partial<SchemaLimits>;
}

/** {@link CheckOptions} with their defaults. */
export type Checks = Required<CheckOptions>;

const defaults: Checks = {
  schemas: 'reject',
  outputSchema: 'reject',
  agreement: 'warn',
  arguments: 'off',
  schemaLimits: {},
};

const reactions: ReadonlySet<unknown> = new Set<Reaction>(['reject', 'warn', 'off']);

/**
 * Fills the defaults in; `false` switches all checks off. Throws a `ClientError` with code `invalid-argument` for a
 * check or a reaction that there is none of.
 */
export function readChecks(context: PeerContext, options: CheckOptions | false = {}): Checks {
  if (options === false) {
    return { schemas: 'off', outputSchema: 'off', agreement: 'off', arguments: 'off', schemaLimits: {} };
  }
  for (const [name, value] of Object.entries(options)) {
    const isKnown = Object.hasOwn(defaults, name);
    if (isKnown && (name === 'schemaLimits' || value === undefined || reactions.has(value))) continue;
    throw context.fail(
      'invalid-argument',
      isKnown
        ? `checks.${name} must be "reject", "warn" or "off".`
        : `checks has no member "${name}"; there are ${Object.keys(defaults).join(', ')}.`,
    );
  }
  return { ...defaults, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
}
