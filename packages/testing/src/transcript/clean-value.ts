import { redactSecrets } from '@switchyard/guards';
import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import { cleanString, MASK, textOfBase64 } from './clean-string.ts';
import type { PlaceholderKind, Placeholders } from './placeholders.ts';
import { isPhoneName, secrecyOf } from './secret-name.ts';

const MAX_DATA_CHARS = 256;
const MAX_DEPTH = 256;

/** Members whose values only their server reads, by the word for their placeholder. */
const opaque: { readonly [member: string]: PlaceholderKind } = {
  requestState: 'state',
  nextCursor: 'cursor',
  cursor: 'cursor',
  taskId: 'task',
};
/** Members that hold binary data as text. */
const binary = new Set(['data', 'blob']);
/** Members whose members are names of something that is described, not values. */
const schemas = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentRequired']);
/** Members that name what stands as the `value` beside them. */
const labels = ['name', 'key', 'header', 'field'];

/**
 * Answers a JSON value as it is kept: credentials, e-mail addresses, numbers of telephones, cards, accounts and persons masked; states, cursors, UUIDs, binary data, times and
 * loopback addresses replaced by placeholders, the same for the same value. What stands under a name that says it is secret is masked whatever
 * it looks like.
 */
export function cleanValue(value: unknown, places: Placeholders, member = '', depth = 0): unknown {
  if (depth > MAX_DEPTH) return '<too deep>';
  if (secrecyOf(member) === 'all' && !Object.hasOwn(opaque, member)) return maskAll(value, places, depth);
  if (typeof value === 'string') return cleanMember(member, value, places);
  if (typeof value === 'number') return cleanNumber(member, value, places);
  if (Array.isArray(value)) return cleanList(value as unknown[], places, member, depth);
  if (!isJsonObject(value)) return value;
  return cleanObject(value, places, depth, member);
}

/** The same for an object; `member` is the name that it stands under. */
export function cleanObject(value: JsonObject, places: Placeholders, depth = 0, member = ''): JsonObject {
  const label = labels.map((name) => value[name]).find((text) => typeof text === 'string');
  const nameOf = (key: string): string =>
    schemas.has(member) ? '' : key === 'value' && label !== undefined ? label : key;
  return cleanMembers(value, places, (key, entry) => cleanValue(entry, places, nameOf(key), depth + 1));
}

/** Names are texts as well. Two of them may be cleaned to the same one, and none may take the place of the other. */
function cleanMembers(
  value: JsonObject,
  places: Placeholders,
  clean: (key: string, entry: unknown) => unknown,
): JsonObject {
  const counts = new Map<string, number>();
  const kept = new Map<string, unknown>();
  for (const [key, entry] of Object.entries(value)) {
    const name = cleanString(key, places);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    let free = count === 1 ? name : `${name} (${count})`;
    while (kept.has(free)) free += ' (again)';
    kept.set(free, clean(key, entry));
  }
  return Object.fromEntries<unknown>(kept);
}

function cleanList(list: readonly unknown[], places: Placeholders, member: string, depth: number): readonly unknown[] {
  const [name, secret] = list;
  // A pair of a name and its value, as headers are often listed.
  if (list.length === 2 && typeof name === 'string' && typeof secret === 'string' && secrecyOf(name) !== undefined)
    return [cleanString(name, places), cleanMember(name, secret, places)];
  return list.map((entry) => cleanValue(entry, places, member, depth + 1));
}

/** Masks every text and number of a value. */
function maskAll(value: unknown, places: Placeholders, depth: number): unknown {
  if (depth > MAX_DEPTH) return '<too deep>';
  if (typeof value === 'string' || typeof value === 'number') return MASK;
  if (Array.isArray(value)) return (value as unknown[]).map((entry) => maskAll(entry, places, depth + 1));
  if (!isJsonObject(value)) return value;
  return cleanMembers(value, places, (_key, entry) => maskAll(entry, places, depth + 1));
}

function cleanMember(member: string, value: string, places: Placeholders): string {
  const kind = Object.hasOwn(opaque, member) ? opaque[member] : undefined;
  if (kind !== undefined) return places.of(kind, value);
  if (binary.has(member) && (value.length > MAX_DATA_CHARS || isCleaned(textOfBase64(value), places)))
    return places.of(`data of ${value.length} characters`, value);
  const secrecy = secrecyOf(member);
  if (secrecy === 'all' || (secrecy === 'words' && isOneWord(value))) return MASK;
  if (isPhoneName(member) && (value.match(/\d/g)?.length ?? 0) >= MIN_PHONE_DIGITS) return '[phone]';
  const cleaned = cleanString(value, places);
  if (cleaned !== value || member === '') return cleaned;
  // A value may be known for a secret by the name that it stands under alone.
  const named = `${JSON.stringify(member)}: ${JSON.stringify(value)}`;
  return redactSecrets(named) === named ? value : MASK;
}

const MIN_PHONE_DIGITS = 7;
/** A smaller number under a name that has other meanings is a count. */
const MIN_SECRET_NUMBER = 1_000;

function cleanNumber(member: string, value: number, places: Placeholders): unknown {
  if (isEpoch(value)) return '<time>';
  if (secrecyOf(member) === 'words' && !member.endsWith('s') && value >= MIN_SECRET_NUMBER) return MASK;
  const text = String(value);
  if (!Number.isInteger(value)) return value;
  if (isPhoneName(member) && text.length >= MIN_PHONE_DIGITS) return '[phone]';
  const cleaned = cleanString(text, places);
  return cleaned === text ? value : cleaned;
}

/** Secrets of people may have spaces; keys and ids have none, and sentences do. */
function isOneWord(text: string): boolean {
  return /^(?:(?:bearer|basic|dpop|digest|token)\s+)?\S+$/i.test(text);
}

/** Whether binary data stands for a text that would not be kept as it is. */
function isCleaned(decoded: string | undefined, places: Placeholders): boolean {
  return decoded !== undefined && cleanString(decoded, places) !== decoded;
}

/** Milliseconds since 1970, of the years 2017 to 2049. */
function isEpoch(value: number): boolean {
  return Number.isInteger(value) && value > 1_483_228_800_000 && value < 2_524_608_000_000;
}
