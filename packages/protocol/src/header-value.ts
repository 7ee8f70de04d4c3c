import { decodeBase64, encodeBase64 } from './base64.ts';
import { isWellFormed } from './well-formed.ts';

const SENTINEL_PREFIX = '=?base64?';
const SENTINEL_SUFFIX = '?=';

/** The characters that the client sends unencoded. A tab inside a value is legal HTTP, but some peers refuse it. */
const PLAIN = /^[\x20-\x7e]*$/;
/** The characters that a field value may hold. Node gives raw non-ASCII bytes as U+0080..U+00FF, which fall outside. */
const FIELD_VALUE = /^[\t\x20-\x7e]*$/;

/**
 * A value that no HTTP header can carry unchanged: its message says which one and why. Local, never sent.
 *
 * Thrown by `encodeHeaderValue` and `mintParamHeaders`.
 */
export class HeaderValueError extends Error {
  override readonly name = 'HeaderValueError';
}

/**
 * Encodes a string as the value of an `Mcp-Name` or `Mcp-Param-*` header.
 *
 * Printable ASCII goes as it is, the empty string too. Everything else is wrapped as `=?base64?…?=` over its UTF-8
 * bytes: non-ASCII, control characters (always a tab, too), a leading or trailing space, and plain text that itself
 * begins and ends like the wrapper. Different strings get different values, and `decodeHeaderValue` gives each back.
 *
 * Throws `HeaderValueError` for a string with an unpaired surrogate: it has no UTF-8 form, and a replacement character
 * would let two strings share one header.
 *
 * Spec: basic/transports/streamable-http#value-encoding (2026-07-28)
 */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !value.startsWith(' ') && !value.endsWith(' ') && !looksEncoded(value)) return value;
  if (!isWellFormed(value)) {
    throw new HeaderValueError('The value holds an unpaired surrogate, so no header can carry it. Send valid Unicode.');
  }
  return SENTINEL_PREFIX + encodeBase64(new TextEncoder().encode(value)) + SENTINEL_SUFFIX;
}

/**
 * Decodes the raw value of an `Mcp-Name` or `Mcp-Param-*` header, as the HTTP library gives it, and answers `undefined`
 * to an invalid one.
 *
 * Spaces and tabs round the value are no part of it. A value with prefix and suffix of the wrapper is decoded once,
 * from canonical, padded Base64 and valid UTF-8 (a byte order mark is kept); any other value is literal, so a wrapper
 * in the wrong case is literal text. Invalid are control characters, non-ASCII, a broken wrapper, and `=?base64?=`, in
 * which prefix and suffix share a character and two readers could disagree.
 *
 * Spec: basic/transports/streamable-http#value-encoding and #server-validation (2026-07-28); RFC 9110 section 5.5
 */
export function decodeHeaderValue(raw: string): string | undefined {
  const value = stripOptionalWhitespace(raw);
  if (!FIELD_VALUE.test(value)) return undefined;
  if (!looksEncoded(value)) return value;
  if (value.length < SENTINEL_PREFIX.length + SENTINEL_SUFFIX.length) return undefined;
  const bytes = decodeBase64(value.slice(SENTINEL_PREFIX.length, -SENTINEL_SUFFIX.length));
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // A fatal decoder throws on invalid UTF-8 and on nothing else.
    return undefined;
  }
}

function looksEncoded(value: string): boolean {
  return value.startsWith(SENTINEL_PREFIX) && value.endsWith(SENTINEL_SUFFIX);
}

/**
 * Answers a header value without the spaces and tabs round it, which are no part of it. `trim` would also take
 * characters that are invalid there, and a regular expression takes quadratic time on a value with many spaces in its
 * middle.
 *
 * Spec: RFC 9110 section 5.5
 */
export function stripOptionalWhitespace(raw: string): string {
  let start = 0;
  let end = raw.length;
  while (start < end && isOptionalWhitespace(raw.charCodeAt(start))) start += 1;
  while (end > start && isOptionalWhitespace(raw.charCodeAt(end - 1))) end -= 1;
  return raw.slice(start, end);
}

function isOptionalWhitespace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
