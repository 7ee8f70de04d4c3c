import { InputError } from '../handler/input-error.ts';

const encoder = new TextEncoder();

/**
 * Answers the JSON text of a value that comes back as it went in, `undefined` for `undefined`.
 *
 * @throws InputError `value` for what JSON cannot hold or would change in silence (a function, a bigint, NaN, a Map),
 *   nesting beyond 100 levels, and more than `maxBytes` of UTF-8; the message begins with `what`.
 */
export function toJsonCopy(what: string, value: unknown, maxBytes: number): string | undefined {
  if (value === undefined) return undefined;
  const problem = problemOf(value, '', 0);
  if (problem !== undefined) throw new InputError('value', `${what}: ${problem}`);
  const text = JSON.stringify(value);
  const bytes = text.length > maxBytes ? text.length : encoder.encode(text).length;
  if (bytes > maxBytes) {
    throw new InputError(
      'value',
      `${what}: it has ${bytes} bytes as JSON and at most ${maxBytes} are kept; keep large values in a store of your own and return a handle`,
    );
  }
  return text;
}

const MAX_DEPTH = 100;

function problemOf(value: unknown, at: string, depth: number): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : cannot(at, String(value));
  if (typeof value !== 'object') return cannot(at, value === undefined ? 'undefined' : `a ${typeof value}`);
  if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
  const written = writtenOf(value);
  // An invalid date writes null, and would come back as no date.
  if (written === null && value instanceof Date) return cannot(at, 'an invalid date');
  if (written !== value) return problemOf(written, at, depth + 1);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const problem = problemOf(item, `${at}[${index}]`, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
  const kind = Object.prototype.toString.call(value);
  if (kind !== '[object Object]') return cannot(at, kind);
  for (const [key, member] of Object.entries(value)) {
    const problem = member === undefined ? undefined : problemOf(member, `${at}.${key}`, depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What an object has itself written as. */
function writtenOf(value: object): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === 'function' ? (toJSON.call(value, '') as unknown) : value;
}

function cannot(at: string, what: string): string {
  return `JSON cannot hold ${what}${at === '' ? '' : ` at ${at.slice(0, 80)}`}`;
}
