import { clip } from './clip.ts';

/**
 * Timers take 2^31-1 ms at most and fire at once where they get more, `Infinity` included; half of it leaves room for
 * sums.
 */
export const MAX_TIMER_MS = 2 ** 30;

/**
 * Answers a limit in bytes, characters or pieces that was given as an option.
 *
 * @throws TypeError when it is no integer from `least` to `most`; the message calls it `name`.
 */
export function toLimit(name: string, given: number, least: number, most: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isSafeInteger(given) && given >= least && given <= most) return given;
  const range = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new TypeError(`${name} must be an integer ${range}, not ${shown(given)}`);
}

/**
 * Answers a limit given as an option that need not be whole, and that `Infinity` takes away.
 *
 * @throws TypeError when it is no number of at least 1; the message calls it `name`.
 */
export function toBound(name: string, given: number): number {
  if (typeof given === 'number' && given >= 1) return given;
  throw new TypeError(`${name} must be a number of at least 1, not ${shown(given)}`);
}

/**
 * Answers a time given as an option, at least `leastMs`. What no timer can wait for is cut to about 12 days.
 *
 * @throws TypeError when it is no number of at least `leastMs`; the message calls it `name`.
 */
export function toMilliseconds(name: string, given: number, leastMs: number): number {
  if (typeof given === 'number' && given >= leastMs) return Math.min(given, MAX_TIMER_MS);
  throw new TypeError(`${name} must be a number of at least ${leastMs} milliseconds, not ${shown(given)}`);
}

/** An option as a message shows it: a text in quotes, so that it is not taken for the number that it looks like. */
function shown(given: unknown): string {
  if (typeof given === 'string') return JSON.stringify(clip(given, 40));
  return typeof given === 'object' && given !== null ? 'an object' : clip(String(given), 40);
}
