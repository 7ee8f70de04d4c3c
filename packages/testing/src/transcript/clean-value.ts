import { redactSecrets } from '@switchyard/guards';
import { decodeBase64, isJsonObject, type JsonObject } from '@switchyard/protocol';

import type { PlaceholderKind, Placeholders } from './placeholders.ts';

const MASK = '[redacted]';
const MAX_DATA_CHARS = 256;
const MAX_DEPTH = 256;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const LOOPBACK = /\b(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?/gi;
/** Also quoted, at an address literal, with a full-width or an encoded at-sign. */
const EMAIL =
  /(?:"[^"\n]{1,64}"|(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+)(?:[@＠]|%40)(?:\[[\w.:]{2,64}\]|localhost\b|[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8})/gu;
/** International numbers, and those that are grouped as telephones are: versions, dates and order numbers are neither. */
const PHONE =
  /(?<![\w+])(?:(?:\+|00(?=\d{1,3}[ .-]))\d[\d ()./-]{7,18}\d|\(0?\d{2,4}\) ?\d{3,4}[-. ]\d{3,4}|\d{3}[-. ]\d{3}[-. ]\d{4}|0\d(?:[-. ]\d\d){4})(?![\w-])/g;

/** Numbers of payment cards, which a check digit tells from others, and of accounts and persons in forms that nothing else has. */
const CARD = /(?<![\d-]|\d[.,])\d(?:[ -]?\d){12,18}(?![\d-]|[.,]\d)/g;
const IBAN = /\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b/g;
const SSN = /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g;

/** Runs that may be text in another form: base64 of at least 12 bytes, and whatever has encoded separators in it. */
const BASE64 = /(?<![\w+/-])[\w+/-]{16,}={0,2}/g;
const PERCENT = /(?<![^\s"'<>])[^\s"'<>]*?%(?:2[0-9a-f]|3[ad]|40)[^\s"'<>]*/gi;

/** Members whose values only their server reads, by the word for their placeholder. */
const opaque: { readonly [member: string]: PlaceholderKind } = {
  requestState: 'state',
  nextCursor: 'cursor',
  cursor: 'cursor',
  taskId: 'task',
};
/** Members that hold binary data as text. */
const binary = new Set(['data', 'blob']);

/**
 * Answers a JSON value as it is kept: credentials, e-mail addresses, numbers of telephones, cards, accounts and persons masked; states, cursors, UUIDs, binary data, times and
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
  return cleanPlain(text, places)
    .replace(PERCENT, (run) => (hidesSecret(decodePercent(run), places) ? MASK : run))
    .replace(BASE64, (run) => (hidesSecret(decodeText(run), places) ? MASK : run));
}

function cleanPlain(text: string, places: Placeholders): string {
  return redactSecrets(text)
    .replace(UUID, (uuid) => places.of('uuid', uuid.toLowerCase()))
    .replace(TIME, '<time>')
    .replace(LOOPBACK, '$1<loopback>')
    .replace(EMAIL, '[email]')
    .replace(CARD, (digits) => (isCardNumber(digits) ? '[card]' : digits))
    .replace(IBAN, (account) => (isAccountNumber(account) ? '[account]' : account))
    .replace(SSN, '[person]')
    .replace(PHONE, '[phone]');
}

function cleanMember(member: string, value: string, places: Placeholders): string {
  const kind = Object.hasOwn(opaque, member) ? opaque[member] : undefined;
  if (kind !== undefined) return places.of(kind, value);
  if (binary.has(member) && (value.length > MAX_DATA_CHARS || isCleaned(decodeText(value), places)))
    return places.of(`data of ${value.length} characters`, value);
  const cleaned = cleanString(value, places);
  if (cleaned !== value || member === '') return cleaned;
  // A value may be known for a secret by the name that it stands under alone.
  const named = `${JSON.stringify(member)}: ${JSON.stringify(value)}`;
  return redactSecrets(named) === named ? value : MASK;
}

/** Whether a text that stood in another form would not be kept as it is. */
function hidesSecret(decoded: string | undefined, places: Placeholders): boolean {
  return decoded !== undefined && cleanPlain(decoded, places) !== decoded;
}

/** The same for binary data, whose text may have such forms in it. */
function isCleaned(decoded: string | undefined, places: Placeholders): boolean {
  return decoded !== undefined && cleanString(decoded, places) !== decoded;
}

/** The text that base64 of either alphabet stands for; `undefined` where it is none. */
function decodeText(encoded: string): string | undefined {
  const digits = encoded.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  const bytes = decodeBase64(digits.padEnd(Math.ceil(digits.length / 4) * 4, '='));
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function decodePercent(encoded: string): string | undefined {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/** By the check digit of Luhn. */
function isCardNumber(text: string): boolean {
  const digits = text.replace(/\D/g, '');
  let sum = 0;
  for (const [index, digit] of [...digits].reverse().entries()) {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0 && !/^(\d)\1*$/.test(digits);
}

/** By the check digits of ISO 13616. */
function isAccountNumber(text: string): boolean {
  const account = text.replaceAll(' ', '');
  let rest = 0;
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}

/** Milliseconds since 1970, of the years 2017 to 2049. */
function isEpoch(value: number): boolean {
  return Number.isInteger(value) && value > 1_483_228_800_000 && value < 2_524_608_000_000;
}
