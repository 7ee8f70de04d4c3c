import { stringifyJson } from '@switchyard/protocol';

/** Answers whether two JSON values are written alike; what nests too deep to be written is like nothing. */
export function isSameJson(one: unknown, other: unknown): boolean {
  try {
    return stringifyJson(one) === stringifyJson(other);
  } catch {
    // See above.
    return false;
  }
}
