/** Where a store takes the time from. */
export interface ClockOptions {
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Answers the clock of a store.
 *
 * @throws TypeError when `now` is no function.
 */
export function toClock({ now = Date.now }: ClockOptions): () => number {
  if (typeof now !== 'function')
    throw new TypeError(`now must be a function that answers milliseconds since the epoch, not ${JSON.stringify(now)}`);
  return now;
}
