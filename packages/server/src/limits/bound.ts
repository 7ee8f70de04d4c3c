/**
 * Answers a bound that was given as an option; `Infinity` takes it away.
 *
 * @throws TypeError when it is no number of at least 1; the message calls it `name`.
 */
export function toBound(name: string, given: number): number {
  if (typeof given === 'number' && given >= 1) return given;
  throw new TypeError(`${name} must be a number of at least 1, not ${String(given)}`);
}
