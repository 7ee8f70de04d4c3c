import { MASK, redactSecrets } from '@switchyard/guards';
import { decodeBase64 } from '@switchyard/protocol';

import type { LookBudget } from './look-budget.ts';
import type { Placeholders } from './placeholders.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const LOOPBACK = /\b(https?:\/\/)(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?/gi;
/**
 * Also quoted, at an address literal, with a full-width or an encoded at-sign. The last label of a domain begins with a
 * letter, unlike that of the version of a package.
 */
const EMAIL =
  /(?:"[^"\n]{1,64}"|(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]+)(?:[@＠]|%40)(?:\[[\w.:]{2,64}\]|localhost\b|\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\w)|(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}[\p{L}\p{N}-]{0,62})/gu;
/**
 * International numbers, and those that are grouped as telephones are: versions, dates and order numbers are neither.
 */
const PHONE =
  /(?<![\w+])(?:(?:\+|00(?=\d{1,3}[ .-]))\d[\d ()./-]{7,18}\d|\(0?\d{2,4}\) ?\d{3,4}[-. ]\d{3,4}|[2-9]\d\d[-. ]\d{3}[-. ]\d{4}|0\d(?:[-. ]\d\d){4}|0\d{1,4} \d{3,4} \d{3,4}|0\d{1,4}[ /]\d{6,8}|\(0\d{1,4}\)(?: \d{2,4}){2,4})(?![\w-])/g;

/**
 * Numbers of payment cards, which a check digit tells from others, and of accounts and persons in forms that nothing
 * else has.
 */
const CARD = /(?<![\d-]|\d[.,])(?:\d(?:[ -]?\d){12,18}|\d{4}(?:\.\d{4}){3})(?![\d-]|[.,]\d)/g;
const IBAN = /\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b/gi;
const SSN = /(?<![\d-])\d{3}[- ]\d{2}[- ]\d{4}(?![\d-])/g;

/**
 * Credentials in forms that transcripts hold and logs seldom do: each with what stands before the secret as group 1.
 */
const credentials: readonly RegExp[] = [
  // A slash in a password ends no authority there, whatever a URL parser says.
  /(\b[a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/@:"'<>]{0,256}:(?!\d{1,5}(?:[/?#]|$))[^\s@"'<>]{1,256}(?=@)/gi,
  /([?&;](?:sid|session(?:[_-]?id)?|jsessionid|phpsessid|auth|pass|pin|otp|key|credential)=)[^\s&#"'<>;]{1,4096}/gi,
];

/**
 * Runs that may be text in another form: base64 of at least 12 bytes, also in lines, and whatever has encoded
 * separators in it.
 */
const WRAPPED = /(?<![\w+/-])(?:[\w+/-]{40,}(?:\s|\\{1,8}[rt]){0,9}(?:\n|\\{1,8}n)[ \t]{0,40})+[\w+/-]+={0,2}/g;
const LINE_BREAKS = /(?:\s|\\{1,8}[nrt])+/g;
const BASE64 = /(?<![\w+/-])[\w+/-]{16,}={0,2}/g;
const MIN_BASE64_CHARS = 16;
const PERCENT = /(?<![^\s"'<>])[^\s"'<>]*?%(?:2[0-9a-f]|3[ad]|40)[^\s"'<>]*/gi;

/** What stands between lines in HTML, and between the quoted lines of source code. */
const LINE_MARKUP =
  /<\/?(?:br|p|div|li|span|code)\b[^<>]{0,100}>|(?:\\n)?(["'])\s{0,80}[+.]\s{0,80}\1|\\n(["'])\s{1,80}\2/gi;

/** Characters that split a word without being seen, or stand for a plain one; and plain ones that are spelled out. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const DASHES = /[\u2010-\u2015\u2212]/g;
const SPELLED = /&#(\d{2,6});|&#x([0-9a-f]{2,5});|\\u([0-9a-f]{4})|&(quot|amp|lt|gt|commat);/gi;
const named: { readonly [name: string]: string } = { quot: '"', amp: '&', lt: '<', gt: '>', commat: '@' };

/** What texts of one transcript are cleaned with. */
export interface StringCleaning {
  readonly places: Placeholders;
  readonly looks: LookBudget;
  /** Cleans the JSON in a text. */
  cleanJson(text: string): string;
}

/**
 * Answers a text as it is kept, see `cleanValue`. What hides behind invisible characters or other spellings is found as
 * well. A text that the budget has nothing left for is masked as a whole.
 */
export function cleanString(text: string, cleaning: StringCleaning): string {
  if (!cleaning.looks.take(text.length)) return MASK;
  // First, while it is still JSON.
  const source = cleaning.cleanJson(text);
  const cleaned = cleanPlain(source, cleaning.places);
  const folded = fold(source);
  // As it stands, unless more is found where it is spelled plainly.
  const found = folded === source ? cleaned : cleanDecoded(folded, cleaning);
  return (found === cleaned || found === fold(cleaned) ? cleaned : found)
    .replace(PERCENT, (run) => (hidesSecret(decodePercent(run), cleaning) || hidesInForm(run, cleaning) ? MASK : run))
    .replace(WRAPPED, (run) => (hidesInBase64(run.replace(LINE_BREAKS, ''), cleaning) ? MASK : run))
    .replace(BASE64, (run) => cleanBase64(run, cleaning));
}

function cleanDecoded(text: string, cleaning: StringCleaning): string {
  return cleaning.looks.take(text.length) ? cleanPlain(cleaning.cleanJson(text), cleaning.places) : MASK;
}

function cleanPlain(text: string, places: Placeholders): string {
  return credentials
    .reduce((masked, expression) => masked.replace(expression, `$1${MASK}`), redactLines(text))
    .replace(UUID, (uuid) => places.of('uuid', uuid.toLowerCase()))
    .replace(TIME, '<time>')
    .replace(LOOPBACK, '$1<loopback>')
    .replace(EMAIL, '[email]')
    .replace(CARD, (digits) => (isCardNumber(digits) ? '[card]' : digits))
    .replace(IBAN, (account) => (isAccountNumber(account) ? '[account]' : account))
    .replace(SSN, '[person]')
    .replace(PHONE, '[phone]');
}

/** Masks credentials, also one whose lines stand in HTML or in source code. */
function redactLines(text: string): string {
  const masked = redactSecrets(text);
  const lines = masked.replace(LINE_MARKUP, '\n');
  const found = lines === masked ? masked : redactSecrets(lines);
  return found === lines ? masked : found;
}

function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(INVISIBLE, '')
    .replace(DASHES, '-')
    .replace(SPELLED, (_whole, decimal?: string, hex?: string, escaped?: string, name?: string) => {
      if (name !== undefined) return named[name.toLowerCase()] ?? '';
      const point = decimal === undefined ? Number.parseInt(hex ?? escaped ?? '', 16) : Number(decimal);
      return String.fromCodePoint(Math.min(point, 0x10ffff));
    });
}

/** Whether a text that stood in another form would not be kept as it is. */
function hidesSecret(decoded: string | undefined, cleaning: StringCleaning): boolean {
  return decoded !== undefined && cleanDecoded(decoded, cleaning) !== decoded;
}

/** In the form of HTML, where a plus stands for a blank. */
function hidesInForm(run: string, cleaning: StringCleaning): boolean {
  return run.includes('+') && hidesSecret(decodePercent(run.replaceAll('+', ' ')), cleaning);
}

/** A slash is a digit of base64 or ends it, so that a run is looked at in parts and as a whole. */
function cleanBase64(run: string, cleaning: StringCleaning): string {
  const parts = run.replace(/[^/]+/g, (part) =>
    part.length >= MIN_BASE64_CHARS && hidesInBase64(part, cleaning) ? MASK : part,
  );
  return parts === run && run.includes('/') && hidesInBase64(run, cleaning) ? MASK : parts;
}

/** What stands before base64 may look like a part of it, and shifts its beginning. */
function hidesInBase64(run: string, cleaning: StringCleaning): boolean {
  return [0, 1, 2, 3].some((offset) => hidesSecret(textOfBase64(run.slice(offset)), cleaning));
}

/** The text that base64 of either alphabet stands for; `undefined` where it is none, or other bytes than text. */
export function textOfBase64(encoded: string): string | undefined {
  const digits = encoded.replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/');
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  const bytes = decodeBase64(whole.padEnd(Math.ceil(whole.length / 4) * 4, '='));
  if (bytes === undefined) return undefined;
  const text = new TextDecoder().decode(bytes);
  const odd = text.match(/[\0-\x08\x0e-\x1f\x7f\ufffd]/g)?.length ?? 0;
  return odd * 8 > text.length ? undefined : text;
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
  const account = text.replace(/[ -]/g, '');
  let rest = 0;
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest === 1;
}
