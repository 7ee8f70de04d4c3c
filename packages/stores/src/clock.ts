import type { KnownOptions } from '@switchyard/protocol';

/** Where a store takes the time from. */
export interface ClockOptions {
  /** Milliseconds since the epoch. Default: `Date.now`; in PostgreSQL and Redis the clock of the server. */
  readonly epochNow?: () => number;
}

export const clockOptions: KnownOptions<ClockOptions> = { epochNow: true };

/**
 * Answers the clock that the options name, else `otherwise`.
 *
 * @throws TypeError when `epochNow` is no function.
 */
export function toClock<T>({ epochNow }: ClockOptions, otherwise: T): (() => number) | T {
  if (epochNow === undefined) return otherwise;
  if (typeof epochNow === 'function') return epochNow;
  throw new TypeError(
    `epochNow must be a function that answers milliseconds since the epoch, not ${JSON.stringify(epochNow)}`,
  );
}
