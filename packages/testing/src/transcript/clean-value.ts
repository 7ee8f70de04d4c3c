import { redactSecrets } from '@switchyard/guards';
import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import type { Placeholders } from './placeholders.ts';

const MASK = '[redacted]';
const MAX_DATA_CHARS = 256;
const MAX_DEPTH = 256;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const LOOPBACK = /\b(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?/gi;
const EMAIL = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu;
/** International numbers, and those that are grouped as telephones are: versions, dates and order numbers are neither. */
const PHONE = /(?<![\w+])(?:\+\d[\d ()./-]{7,18}\d|\(\d{3}\) ?\d{3}[-. ]\d{4}|\d{3}[-. ]\d{3}[-. ]\d{4})(?![\w-])/g;

/** Members whose values only their server reads, by the word for their placeholder. */
const opaque: { readonly [member: string]: string } = { requestState: 'state', nextCursor: 'cursor', cursor: 'cursor' };
/** Members that hold binary data as text. */
const binary = new Set(['data', 'blob']);

/**
 * Answers a JSON value as it is kept: credentials, e-mail addresses and telephone numbers masked; states, cursors, UUIDs, binary data, times and
 * loopback addresses replaced by placeholders, the same for the same value.
 */
export function cleanValue(value: unknown, places: Placeholders, member = '', depth = 0): unknown {
  if (depth > MAX_DEPTH) return '<too deep>';
  if (typeof value === 'string') return cleanMember(member, value, places);
  if (typeof value === 'number') return isEpoch(value) ? '<time>' : value;
  if (Array.isArray(value)) return (value as unknown[]).map((entry) => cleanValue(entry, places, member, depth + 1));
  if (!isJsonObject(value)) return value;
  return cleanObject(value, places, depth);
}

/** The same for an object. */
export function cleanObject(value: JsonObject, places: Placeholders, depth = 0): JsonObject {
  const entries = Object.entries(value).map(([key, entry]) => [
    cleanString(key, places),
    cleanValue(entry, places, key, depth + 1),
  ]);
  return Object.fromEntries(entries) as JsonObject;
}

/** The same for a text alone. */
export function cleanString(text: string, places: Placeholders): string {
  return redactSecrets(text)
    .replace(UUID, (uuid) => places.of('uuid', uuid.toLowerCase()))
    .replace(TIME, '<time>')
    .replace(LOOPBACK, '$1<loopback>')
    .replace(EMAIL, '[email]')
    .replace(PHONE, '[phone]');
}

function cleanMember(member: string, value: string, places: Placeholders): string {
  const kind = Object.hasOwn(opaque, member) ? opaque[member] : undefined;
  if (kind !== undefined) return places.of(kind, value);
  if (binary.has(member) && value.length > MAX_DATA_CHARS)
    return places.of(`data of ${value.length} characters`, value);
  const cleaned = cleanString(value, places);
  if (cleaned !== value || member === '') return cleaned;
  // A value may be known for a secret by the name that it stands under alone.
  const named = `${JSON.stringify(member)}: ${JSON.stringify(value)}`;
  return redactSecrets(named) === named ? value : MASK;
}

/** Milliseconds since 1970, of the years 2017 to 2049. */
function isEpoch(value: number): boolean {
  return Number.isInteger(value) && value > 1_483_228_800_000 && value < 2_524_608_000_000;
}
