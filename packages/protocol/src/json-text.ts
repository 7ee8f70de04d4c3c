/** What `JSON.parse` tells a reviver about a primitive value; part of ES2026, present from Node 22 on. */
interface SourceContext {
  readonly source?: string;
}

interface ExactJson {
  parse(text: string, reviver: (key: string, value: unknown, context: SourceContext) => unknown): unknown;
  rawJSON(text: string): unknown;
}

const exactJson = JSON as unknown as ExactJson;
const longDigits = /\d{16}/;
const integerSource = /^-?\d+$/;

/**
 * Parses JSON text; throws a `SyntaxError` for what is not JSON. With `exactIntegers`, an integer that a double cannot hold
 * becomes a `bigint` instead of being rounded, so that an intermediary hands it on digit for digit. Text without a run of 16
 * digits takes the native path at no further cost.
 */
export function parseJson(text: string, options: { exactIntegers?: boolean } = {}): unknown {
  if (options.exactIntegers !== true || !longDigits.test(text)) return JSON.parse(text) as unknown;
  return exactJson.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && integerSource.test(source)
      ? BigInt(source)
      : value,
  );
}

/** Serialises a value that may hold the `bigint`s of {@link parseJson}; they are written digit for digit. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!holdsBigint(value)) throw error;
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === 'bigint' ? exactJson.rawJSON(member.toString()) : member,
    );
  }
}

/** Answers a copy of a JSON value with every `bigint` rounded to a double, for validators that know numbers only. */
export function roundIntegers(value: unknown): unknown {
  return JSON.parse(stringifyJson(value)) as unknown;
}

function holdsBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true;
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsBigint);
}
