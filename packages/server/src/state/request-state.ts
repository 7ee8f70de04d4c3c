import { type KnownOptions, type Logger, toLimit, toMilliseconds } from '@switchyard/protocol';

import { createKeyRing, developmentStateKeys, parseStateKeys, type StateKeySource } from './state-keys.ts';
import { createStateSealer, type StateSealer } from './state-sealer.ts';

/** How what a request carries from round to round is sealed. */
export interface RequestStateOptions {
  /**
   * The keys, or where they come from (an async function may ask a secret store). Default: served by Node, the
   * environment variable `SWITCHYARD_STATE_KEYS` where it is set; else a development key of this process alone, with
   * which no address and no allowed host but loopback ones is served.
   */
  readonly keys?: readonly string[] | StateKeySource;
  /** How long a client may take to answer one round, in milliseconds: default 600,000. */
  readonly ttlMs?: number;
  /** How often one request may ask for input: default 10. */
  readonly maxRounds?: number;
  /**
   * Whom states are for: default the server's name. Instances behind one address have the same; other servers another.
   */
  readonly audience?: string;
}

/** The members of {@link RequestStateOptions}. */
export const requestStateOptions: KnownOptions<RequestStateOptions> = {
  keys: true,
  ttlMs: true,
  maxRounds: true,
  audience: true,
};

/** Request state as one endpoint seals and opens it. */
export interface RequestState {
  readonly sealer: StateSealer;
  readonly audience: string;
  readonly stateTtlMs: number;
  readonly maxRounds: number;
  /**
   * Reads the keys before anything is served. Rejects with a TypeError when there is no good key, or when only the
   * development key would seal what others than this machine's clients get.
   */
  prepare(isLoopback: boolean): Promise<void>;
}

/** @throws TypeError when an option is out of range or a key is too short. */
export function createRequestState(
  { keys, ttlMs = 600_000, maxRounds = 10, audience }: RequestStateOptions,
  context: {
    readonly name: string;
    /** Where the keys come from unless an option says so. */
    readonly otherwise: StateKeySource | undefined;
    readonly now: () => number;
    /** It must not throw. */
    readonly logger: Logger;
  },
): RequestState {
  const source = typeof keys === 'function' ? keys : keys === undefined ? context.otherwise : constant(keys);
  const ring = createKeyRing(source ?? developmentStateKeys(), {
    now: context.now,
    onFailure: (err) =>
      context.logger.error({ err }, 'the keys for request state cannot be read again: the old ones stay'),
  });
  return {
    sealer: createStateSealer(ring),
    audience: audience ?? context.name,
    stateTtlMs: toMilliseconds('state.ttlMs', ttlMs, 1),
    maxRounds: toLimit('state.maxRounds', maxRounds, 1),
    async prepare(isLoopback) {
      if (source === undefined && !isLoopback) throw new TypeError(NO_KEYS);
      await ring.first();
    },
  };
}

const NO_KEYS =
  'refusing to serve beyond loopback without keys for request state: set SWITCHYARD_STATE_KEYS (or the option `state.keys`) to 32 random bytes as base64url, the same for every instance, or pass `state: false` when no handler asks for input';

function constant(keys: readonly string[]): StateKeySource {
  parseStateKeys(keys, 'state.keys');
  return () => keys;
}
