import { assertKnownOptions, type KnownOptions, toBound } from '@switchyard/protocol';

import { EndingEntries } from './ending-entries.ts';

/** Remembers what may happen once. Instances of a fleet share one, or a proof passes once at each. */
export interface ReplaySet {
  /**
   * Takes a key until a time in milliseconds since 1970, and answers whether it was not there. Rejects or throws where
   * it cannot take it, and is waited for at most 5 s; then nothing passes.
   */
  add(key: string, untilMs: number): boolean | Promise<boolean>;
}

/** Options of {@link createReplaySet}. */
export interface ReplaySetOptions {
  /** Default 100,000: some 1,500 proofs a second. */
  readonly maxEntries?: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly epochNow?: () => number;
}

const replaySetOptions: KnownOptions<ReplaySetOptions> = { maxEntries: true, epochNow: true };

/**
 * A replay set in memory. When it is full of keys that still count, it throws instead of forgetting one: a forgotten
 * key could be used again.
 *
 * @throws TypeError when an option is unknown, or `maxEntries` is no number of at least 1.
 */
export function createReplaySet(options: ReplaySetOptions = {}): ReplaySet {
  assertKnownOptions('createReplaySet', options, replaySetOptions);
  const { epochNow = Date.now } = options;
  const maxEntries = toBound('maxEntries', options.maxEntries ?? 100_000);
  const until = new EndingEntries<number>(maxEntries, (end) => end);

  return {
    add(key, untilMs) {
      const now = epochNow();
      const held = until.get(key);
      if (held !== undefined && held > now) return false;
      if (!until.set(key, untilMs, now)) throw new Error(`the replay set is full: ${maxEntries} keys still count`);
      return true;
    },
  };
}
