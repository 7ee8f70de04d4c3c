/** Timers take 2^31-1 ms at most and fire at once where they get more, `Infinity` included; half of it leaves room for sums. */
const MAX_TIMER_MS = 2 ** 30;

/**
 * Answers a time given as an option, at least `leastMs`. What no timer can wait for is cut to about 12 days.
 *
 * @throws TypeError when it is no number of at least `leastMs`; the message calls it `name`.
 */
export function toMilliseconds(name: string, given: number, leastMs: number): number {
  if (typeof given !== 'number' || !(given >= leastMs))
    throw new TypeError(
      `${name} must be a number of at least ${leastMs} milliseconds, not ${typeof given === 'number' ? given : JSON.stringify(given)}`,
    );
  return Math.min(given, MAX_TIMER_MS);
}

/**
 * Calls back after some milliseconds from now on: at once for a negative number, after about 12 days for what no timer can wait for, and never
 * for `Infinity`. Answers the timer, for `clearTimeout`.
 */
export function callAfter(ms: number, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms === Infinity ? undefined : setTimeout(callback, Math.min(Math.max(0, ms), MAX_TIMER_MS));
}
