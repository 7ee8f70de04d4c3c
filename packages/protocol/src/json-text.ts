import { parseExactly } from './exact-integers.ts';

/** A part of ES2026, present from Node 22 on. */
interface RawJson {
  rawJSON(text: string): unknown;
}

const longDigits = /\d{16}/;

/**
 * Parses JSON text; throws a `SyntaxError` for what is not JSON. With `exactIntegers`, an integer that a double cannot
 * hold becomes a `bigint` instead of being rounded, so that an intermediary hands it on digit for digit; one of more
 * than 1,000 digits is rounded all the same. Text without a run of 16 digits takes the native path at no further cost.
 */
export function parseJson(text: string, options: { exactIntegers?: boolean } = {}): unknown {
  const isNative = options.exactIntegers !== true || !longDigits.test(text);
  return isNative ? (JSON.parse(text) as unknown) : parseExactly(text);
}

/**
 * Serialises a value that may hold the `bigint`s of {@link parseJson}; they are written digit for digit. Throws what
 * `JSON.stringify` throws: a `TypeError` for a cycle, and a `RangeError` for a value that is nested some thousands of
 * levels deep, which {@link parseJson} reads.
 */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!holdsBigint(value)) throw error;
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'bigint' ? (JSON as object as RawJson).rawJSON(member.toString()) : member,
    );
  }
}

/**
 * Answers a copy of a JSON value with every `bigint` rounded to a double, for validators that know numbers only. Throws
 * as {@link stringifyJson} does.
 */
export function roundIntegers(value: unknown): unknown {
  return JSON.parse(stringifyJson(value)) as unknown;
}

/** Answers whether a JSON value holds a `bigint`. It does not recurse; a cycle is walked once. */
export function holdsBigint(value: unknown): boolean {
  const seen = new Set<unknown>();
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'bigint') return true;
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    for (const member of Object.values(next)) waiting.push(member);
  }
  return false;
}
