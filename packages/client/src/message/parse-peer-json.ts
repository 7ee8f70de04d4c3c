import { parseJson } from '@switchyard/protocol';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/**
 * A number of 16 digits and more, where a member or an item may stand; in a text it may look like one, too. A greedy
 * count would need stack for each digit.
 */
const LONG_INTEGER = /[[:,]\s*-?\d{16}\d*?\s*?[,\]}]/;

/**
 * Parses JSON text of the peer; throws for what is not JSON. An integer that a double cannot hold is a `bigint` where
 * the context wants exact integers. Otherwise it is rounded, with one warning a message, since a rounded id is the id
 * of something else.
 */
export function parsePeerJson(context: PeerContext, text: string): unknown {
  const { exactIntegers } = context;
  const value = parseJson(text, { exactIntegers });
  if (exactIntegers || !LONG_INTEGER.test(text)) return value;
  const rounded = findRounded(text);
  if (rounded !== undefined) {
    // Millions of digits take seconds to write.
    const shown = Number.isFinite(Number(rounded)) ? excerpt(String(rounded), 40) : 'of more than 308 digits';
    context.warn(
      'rounded-integer',
      `sent the integer ${shown}, which is read as ${Number(rounded)}. Set exactIntegers to keep its digits.`,
    );
  }
  return value;
}

/** Answers the first integer of a JSON text that no double equals. */
function findRounded(text: string): bigint | undefined {
  let exact: unknown;
  try {
    exact = parseJson(text, { exactIntegers: true });
  } catch {
    // Too deep for the exact form, which the value itself is not; then no warning is worth a failure.
    return undefined;
  }
  const open: unknown[] = [exact];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'bigint' && !isDouble(next)) return next;
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) open.push(member ?? 0);
  }
  return undefined;
}

function isDouble(integer: bigint): boolean {
  const double = Number(integer);
  return Number.isFinite(double) && BigInt(double) === integer;
}
