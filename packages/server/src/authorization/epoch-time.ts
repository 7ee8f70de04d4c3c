/**
 * Answers a time that was given.
 *
 * @throws TypeError when it is no number; the message calls it `name`. `Infinity` is one: it never comes.
 */
export function toEpochMs(name: string, given: unknown): number {
  if (typeof given === 'number' && !Number.isNaN(given)) return given;
  throw new TypeError(`${name} must be a time in milliseconds since 1970, not ${String(given)}`);
}
