import { assertKnownOptions, type KnownOptions } from '@switchyard/protocol';
import type { SchemaLimits } from '@switchyard/protocol/schema';
import type { PeerContext } from '../peer/peer-context.ts';

/** What happens where a server breaks a rule: the call fails, it goes on with a warning, or nobody looks. */
export type Reaction = 'reject' | 'warn' | 'off';

/** What is checked of a server's tools and their results. `warn` tells `onWarning` and goes on. */
export interface CheckOptions {
  /**
   * Tools with a schema over a limit (`schemaLimits`), or with a reference that leads out of its document. `reject`, the
   * default: they are in `leftOut`, and calling one fails with code `invalid-argument`.
   */
  readonly schemas?: Reaction;
  /**
   * Tools with a schema that says something that cannot be read: of another dialect than 2020-12 and draft-07, with a
   * keyword that is not as its dialect has it, with a reference to nothing. `warn`, the default: they stay, what that
   * schema says is not checked, and there is the warning `unchecked-tool`. `reject`: as with `schemas`.
   */
  readonly unreadableSchemas?: Reaction;
  /**
   * Results whose `structuredContent` breaks the `outputSchema` of the tool, as it was last listed, or is missing; a
   * `format` is not checked. `reject`, the default: code `result-rejected`. Results with `isError` and of tools that were
   * not listed pass. Where the server has said since that its tools changed, `reject` is `warn`: the call took effect,
   * and the schema is known to be old.
   */
  readonly outputSchema?: Reaction;
  /** Results whose text is JSON and says something else than `structuredContent`. Default `warn`. */
  readonly agreement?: Reaction;
  /**
   * Arguments that break the `inputSchema` of the tool, as it was last listed; a `format` is not checked. Default `off`,
   * since the server must check them and its words help a model more; `reject`: code `invalid-argument`, and nothing is
   * sent; `warn` in its place where the schema is known to be old, as with `outputSchema`.
   */
  readonly arguments?: Reaction;
  /** Limits of schemas that differ from 256 KiB, depth 64, 2,000 subschemas and 10,000 ways through references. */
  readonly schemaLimits?: Partial<SchemaLimits>;
}

/** {@link CheckOptions} with their defaults. */
export type Checks = Required<CheckOptions>;

const defaults: Checks = {
  schemas: 'reject',
  unreadableSchemas: 'warn',
  outputSchema: 'reject',
  agreement: 'warn',
  arguments: 'off',
  schemaLimits: {},
};

const checkOptions: KnownOptions<CheckOptions> = {
  schemas: true,
  unreadableSchemas: true,
  outputSchema: true,
  agreement: true,
  arguments: true,
  schemaLimits: true,
};

const schemaLimits: KnownOptions<SchemaLimits> = {
  maxBytes: true,
  maxDepth: true,
  maxSubschemas: true,
  maxRefPaths: true,
  maxSteps: true,
};

const reactions: ReadonlySet<unknown> = new Set<Reaction>(['reject', 'warn', 'off']);

/**
 * Fills the defaults in; `false` switches all checks off. Throws a `ClientError` with code `invalid-argument` for a
 * reaction that there is none of, and a `TypeError` for such a check.
 */
export function readChecks(context: PeerContext, options: CheckOptions | false = {}): Checks {
  if (options === false) {
    return {
      schemas: 'off',
      unreadableSchemas: 'off',
      outputSchema: 'off',
      agreement: 'off',
      arguments: 'off',
      schemaLimits: {},
    };
  }
  assertKnownOptions('connect, checks', options, checkOptions);
  if (options.schemaLimits !== undefined) {
    assertKnownOptions('connect, checks.schemaLimits', options.schemaLimits, schemaLimits);
  }
  for (const [name, value] of Object.entries(options)) {
    if (name === 'schemaLimits' || value === undefined || reactions.has(value)) continue;
    throw context.fail('invalid-argument', `checks.${name} must be "reject", "warn" or "off".`);
  }
  return { ...defaults, ...Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) };
}
