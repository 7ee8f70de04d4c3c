import { createLineRedactor, MASK, redactSecrets, secrecyOf } from '@switchyard/guards';
import { isJsonObject, type JsonObject } from '@switchyard/protocol';

import { cleanString, textOfBase64 } from './clean-string.ts';
import { createLookBudget } from './look-budget.ts';
import { isPhoneName } from './phone-name.ts';
import type { PlaceholderKind, Placeholders } from './placeholders.ts';
import { MAX_JSON_DEPTH, replaceJson } from './replace-json.ts';

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
/** Members of a JSON Schema whose members are described by schemas, which are no values. */
const schemas = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Members of which a JSON Schema has one, where it says anything. */
const schemaWords = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'description', 'title', 'properties'];
/** Members of a JSON Schema that list names or choices, which are no pairs of a name and its value. */
const listsOfNames = new Set(['required', 'dependentRequired', 'enum']);
/** Members that may name what stands as the value beside them. */
const labels = ['name', 'key', 'k', 'header', 'field', 'id', 'label', 'title'];
const labelled = new Set(['value', 'val', 'v']);
/** Members of a JSON Schema that hold values. */
const sampled = new Set(['default', 'const', 'examples']);
/** Members of a JSON Web Key that only its owner knows (RFC 7518, section 6). */
const privateParts = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']);

/**
 * Answers a JSON value as it is kept: credentials, e-mail addresses, numbers of telephones, cards, accounts and persons
 * masked; states, cursors, ids of tasks, UUIDs, binary data, times and loopback addresses replaced by placeholders, the
 * same for the same value. What stands under a name that says it is secret is masked whatever it looks like.
 */
export function cleanValue(value: unknown, places: Placeholders, member = '', depth = 0): unknown {
  if (depth > MAX_DEPTH) return '<too deep>';
  if (secrecyOf(member) === 'all' && !Object.hasOwn(opaque, member)) return maskAll(value, places, depth);
  if (typeof value === 'string') return cleanMember(member, value, places, depth);
  if (typeof value === 'number') return cleanNumber(member, value, places);
  if (Array.isArray(value)) return cleanList(value as unknown[], places, member, depth);
  if (!isJsonObject(value)) return value;
  return cleanObject(value, places, depth, member);
}

/**
 * The same for a text: its JSON is cleaned as a value and stays as it was written where nothing is masked. A text in
 * JSON in a text counts as 32 levels, so that six of them are looked into. Takes time in proportion to the text:
 * what stands in another form is masked as a whole where looking into it would take longer.
 */
export function cleanText(text: string, places: Placeholders, depth = 0): string {
  const inner = depth + MAX_JSON_DEPTH;
  const looks = places.looks ?? createLookBudget(text.length);
  const within = { ...places, looks };
  const cleanJson = (part: string): string =>
    inner + MAX_JSON_DEPTH > MAX_DEPTH ? part : replaceJson(part, (value) => cleanValue(value, within, '', inner));
  return cleanString(text, { places, looks, cleanJson });
}

/** The same for an object; `member` is the name that it stands under, `subject` that of the value that it describes. */
export function cleanObject(value: JsonObject, places: Placeholders, depth = 0, member = '', subject = ''): JsonObject {
  const texts = [subject, ...labels.map((name) => value[name])].filter((text) => typeof text === 'string');
  const label = texts.find((text) => secrecyOf(text) !== undefined || isPhoneName(text));
  const isKey = typeof value['kty'] === 'string';
  const nameOf = (key: string, entry: unknown): string => {
    if (listsOfNames.has(member) && Array.isArray(entry)) return member;
    if (isKey && privateParts.has(key)) return 'privateKey';
    if (subject !== '' && sampled.has(key)) return subject;
    return labelled.has(key) ? (label ?? key) : key;
  };
  return cleanMembers(value, places, depth, (key, entry) =>
    schemas.has(member) && isSchema(entry)
      ? cleanObject(entry, places, depth + 1, '', key)
      : cleanValue(entry, places, nameOf(key, entry), depth + 1),
  );
}

function isSchema(value: unknown): value is JsonObject {
  return isJsonObject(value) && schemaWords.some((word) => Object.hasOwn(value, word));
}

/** Names are texts as well. Two of them may be cleaned to the same one, and none may take the place of the other. */
function cleanMembers(
  value: JsonObject,
  places: Placeholders,
  depth: number,
  clean: (key: string, entry: unknown) => unknown,
): JsonObject {
  const counts = new Map<string, number>();
  const kept = new Map<string, unknown>();
  for (const [key, entry] of Object.entries(value)) {
    const name = cleanText(key, places, depth);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    let free = count === 1 ? name : `${name} (${count})`;
    while (kept.has(free)) free += ' (again)';
    kept.set(free, clean(key, entry));
  }
  return Object.fromEntries<unknown>(kept);
}

function cleanList(list: readonly unknown[], places: Placeholders, member: string, depth: number): readonly unknown[] {
  const redactLine = createLineRedactor();
  return list.map((entry, at) => {
    // A line of a private key that began in an entry before.
    if (typeof entry === 'string' && redactLine(entry) !== redactSecrets(entry)) return MASK;
    const before = list[at - 1];
    const name = typeof before === 'string' && isNameInList(before, list, at - 1, member) ? before : member;
    return cleanValue(entry, places, name, depth + 1);
  });
}

/** Whether a text names the entry behind it as a secret: in a pair, in headers one after the other, as an option. */
function isNameInList(text: string, list: readonly unknown[], at: number, member: string): boolean {
  if (secrecyOf(text) === undefined || listsOfNames.has(member)) return false;
  const isPaired = at % 2 === 0 && (list.length === 2 || /headers?$/i.test(member));
  return text.startsWith('-') || isPaired;
}

/** Masks every text and number of a value. */
function maskAll(value: unknown, places: Placeholders, depth: number): unknown {
  if (depth > MAX_DEPTH) return '<too deep>';
  if (typeof value === 'string' || typeof value === 'number') return MASK;
  if (Array.isArray(value)) return (value as unknown[]).map((entry) => maskAll(entry, places, depth + 1));
  if (!isJsonObject(value)) return value;
  return cleanMembers(value, places, depth, (_key, entry) => maskAll(entry, places, depth + 1));
}

function cleanMember(member: string, value: string, places: Placeholders, depth: number): string {
  const kind = Object.hasOwn(opaque, member) ? opaque[member] : undefined;
  if (kind !== undefined) return places.of(kind, value);
  if (binary.has(member) && (value.length > MAX_DATA_CHARS || isCleaned(textOfBase64(value), places, depth)))
    return places.of(`data of ${value.length} characters`, value);
  const secrecy = secrecyOf(member);
  if (secrecy === 'all' || (secrecy === 'words' && isOneWord(value))) return MASK;
  if (isPhoneName(member) && (value.match(/\d/g)?.length ?? 0) >= MIN_PHONE_DIGITS) return '[phone]';
  const cleaned = cleanText(value, places, depth);
  if (cleaned !== value || member === '') return cleaned;
  // A value may be known for a secret by the name that it stands under alone.
  const named = `${JSON.stringify(member.slice(-MAX_NAME_CHARS))}: ${JSON.stringify(value)}`;
  return redactSecrets(named) === named ? value : MASK;
}

/** The end of a name tells what it names, and stands before each value of a list. */
const MAX_NAME_CHARS = 100;
const MIN_PHONE_DIGITS = 7;
/** A smaller number under a name that has other meanings is a count. */
const MIN_SECRET_NUMBER = 1_000;

function cleanNumber(member: string, value: number, places: Placeholders): unknown {
  if (isEpoch(value)) return '<time>';
  if (secrecyOf(member) === 'words' && !member.endsWith('s') && value >= MIN_SECRET_NUMBER) return MASK;
  const text = String(value);
  if (!Number.isInteger(value)) return value;
  if (isPhoneName(member) && text.length >= MIN_PHONE_DIGITS) return '[phone]';
  const cleaned = cleanText(text, places);
  return cleaned === text ? value : cleaned;
}

/** Secrets of people may have spaces; keys and ids have none, and sentences do. */
function isOneWord(text: string): boolean {
  return /^(?:(?:bearer|basic|dpop|digest|token)\s+)?\S+$/i.test(text);
}

/** Whether binary data stands for a text that would not be kept as it is. */
function isCleaned(decoded: string | undefined, places: Placeholders, depth: number): boolean {
  return decoded !== undefined && cleanText(decoded, places, depth) !== decoded;
}

/** Milliseconds since 1970, of the years 2017 to 2049. */
function isEpoch(value: number): boolean {
  return Number.isInteger(value) && value > 1_483_228_800_000 && value < 2_524_608_000_000;
}
