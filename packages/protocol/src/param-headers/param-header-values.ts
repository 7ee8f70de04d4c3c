import { isSameDecimal } from '../decimal.ts';
import { decodeHeaderValue, encodeHeaderValue, HeaderValueError } from '../header-value.ts';
import { showPointer } from '../json-pointer.ts';
import { isJsonObject } from '../shape.ts';
import { isWellFormed } from '../well-formed.ts';
import type { ParamHeaders } from './plan-param-headers.ts';

const UNSAFE = 'an integer outside -(2^53)+1 to 2^53-1, which loses digits on the way';

const NOTHING_MINTED: Readonly<Record<string, string>> = Object.freeze({});

/**
 * Mints the `Mcp-Param-*` headers of a `tools/call` from its arguments, which must be plain JSON values; a `bigint`
 * counts as an integer.
 *
 * A value goes by its own type, not by the declared one, so that a wrong type reaches the server's validation: a string
 * as it is, a number in decimal, a boolean as `true` or `false`. `null`, an absent value and a number that JSON writes
 * as `null` have no header; the empty string, `0` and `false` have one.
 *
 * Throws `HeaderValueError`, which names the argument, for what no header may carry: an integer outside
 * -(2^53)+1 .. 2^53-1, an object, an array, text with an unpaired surrogate.
 *
 * Spec: basic/transports/streamable-http#value-encoding and #client-behavior (2026-07-28)
 */
export function mintParamHeaders(plan: ParamHeaders, args: unknown): Readonly<Record<string, string>> {
  if (plan.headers.length === 0) return NOTHING_MINTED;
  const minted: Record<string, string> = {};
  for (const header of plan.headers) {
    const value = readArgument(args, header.path);
    if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) continue;
    const mirrored = mirrorValue(value);
    if ('problem' in mirrored) {
      const where = showPointer(header.path);
      throw new HeaderValueError(
        `The argument at ${where} is mirrored into ${header.name}, and it is ${mirrored.problem}.`,
      );
    }
    minted[header.name] = encodeHeaderValue(mirrored.text);
  }
  return minted;
}

/**
 * Checks the `Mcp-Param-*` headers of a `tools/call` against its arguments, and answers the first difference in one
 * sentence, or `undefined` where all agree. A server answers a difference with -32020 and HTTP status 400.
 *
 * Each annotated argument that is neither absent nor `null` needs its header; any other must have none. Headers are
 * decoded first. Numbers are compared as exact decimals (`42.0` and `4.2e1` equal `42`), everything else as text with
 * its letter case. An argument that no header may carry (see `mintParamHeaders`) is a difference. `header` is asked for
 * names in lower case and answers the raw value. The sentence holds no argument and no header value.
 *
 * Spec: basic/transports/streamable-http#server-behavior-for-custom-headers and #server-validation (2026-07-28)
 */
export function checkParamHeaders(
  plan: ParamHeaders,
  args: unknown,
  header: (key: string) => string | undefined,
): string | undefined {
  for (const { name, key, path } of plan.headers) {
    const problem = describeDifference(readArgument(args, path), header(key));
    if (problem !== undefined) return `Header mismatch: ${name} ${problem} the argument at ${showPointer(path)}.`;
  }
  return undefined;
}

/** The value at a path of own members; `undefined` for `null` as well. */
function readArgument(args: unknown, path: readonly string[]): unknown {
  let value = args;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value ?? undefined;
}

function mirrorValue(value: unknown): { text: string } | { problem: string } {
  switch (typeof value) {
    case 'boolean':
      return { text: String(value) };
    case 'string':
      return isWellFormed(value)
        ? { text: value }
        : { problem: 'text with an unpaired surrogate, which has no UTF-8 form' };
    case 'number':
      return Number.isSafeInteger(value) || !Number.isInteger(value) ? { text: String(value) } : { problem: UNSAFE };
    case 'bigint':
      // What `parseJson` makes of an integer that a double cannot hold.
      return Number.isSafeInteger(Number(value)) ? { text: String(value) } : { problem: UNSAFE };
    default:
      return { problem: 'no string, integer or boolean' };
  }
}

/** A predicate between the header's name and "the argument at …", or `undefined` where both agree. */
function describeDifference(value: unknown, raw: string | undefined): string | undefined {
  if (value === undefined) return raw === undefined ? undefined : 'is present without';
  if (raw === undefined) return 'is missing beside';
  const mirrored = mirrorValue(value);
  if ('problem' in mirrored) return 'cannot carry';
  const text = decodeHeaderValue(raw);
  if (text === undefined) return 'holds invalid characters, Base64 or UTF-8 in place of';
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  const isSame = isNumber ? isSameDecimal(text, Number(value)) : text === mirrored.text;
  return isSame ? undefined : 'differs from';
}
