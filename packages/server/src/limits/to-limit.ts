/**
 * Answers a limit in bytes or characters that was given as an option.
 *
 * @throws TypeError when it is no integer from `least` to `most`; the message calls it `name`.
 */
export function toLimit(name: string, given: number, least: number, most: number): number {
  if (!Number.isSafeInteger(given) || given < least || given > most)
    throw new TypeError(`${name} must be an integer from ${least} to ${most}, not ${String(given)}`);
  return given;
}
