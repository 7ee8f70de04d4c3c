import { findSecrets, redactSecrets, secrecyOf } from '@switchyard/guards';
import { isJsonObject } from '@switchyard/protocol';
import { decodeBasic } from '../http/basic-credentials.ts';
import { secretsOfHeader, secretsOfLogin, secretsOfPair } from '../http/secrets-of.ts';

const MAX_DEPTH = 8;
/** More is a program or a document, of which only the whole is looked for. */
const MAX_SEARCHED_CHARS = 64 * 1024;
const URLS = /[a-z][a-z0-9+.-]{0,30}:\/\/[^\s"'<>]+/gi;
/** A login that holds what a URL cannot, such as a password with a number sign. */
const BROKEN_LOGIN = /^[^:]+:\/\/[^\s/:@]*:(\S+)@/;
const HEADER = /^([A-Za-z][\w-]{0,60}):[ \t]*(?!\/\/)(\S.*)$/;
const PAIR = /^\s*([\w .-]{1,60}?)\s*=\s*(.+?)\s*$/;
/** Names under which headers are given. */
const HEADERS = /^h$|headers?$/i;
const RANDOM = /^(?=.*\d)(?=.*[A-Za-z])(?![a-z]+\/[a-z0-9.+-]+$)[\w+=~-][\w+/=.~:-]{11,}$/;

/** What passwords hold that people chose and names do not: a digit within letters of both cases, or a sign beside digits. */
const MIXED = /^(?:(?=.*[a-z])(?=.*[A-Z])(?=.*\d.*[A-Za-z])|(?=.*[A-Za-z])(?=.*\d)(?=.*[!#$%&]))[^\s/\\]{8,}$/;
/** Versions, packages and images with one, times, addresses with ports, files, and what stands for a variable. */
const NO_PASSWORD = new RegExp(
  String.raw`^(?:v?\d+\.|[@\w./-]+[@:][~^v]?\d+\.[\w.+-]*$|\d{4}-\d\d-\d\dT|[\d.:]+(?:/\w+)?$|.*\.[a-z]{2,4}$|[$%])`,
);
/** Names under which programs take a user and his password, with a colon in between. */
const LOGINS = /(?:^|[^a-z])(?:u|user|username|userpwd|login|auth|creds?|credentials?)$/i;
/** No scheme or drive stands before the colon, and no path, port or short word behind it, as that of a group is. */
const LOGIN = /^(?!\w:[\\/]|(?:env|file):)([^\s:/]+):(?!\/\/|\d{1,5}(?:[:/]|$)|[a-z_-]{1,7}$)(\S.*)$/;
/** Schemes of tokens, with a token and no word about one. */
const BEARER = /^(?:bearer|dpop)[ \t]+(?!(?:auth\w*|tokens?|credentials?|schemes?)$)[\w.~+/-]{8,}=*$/i;

/** Whether a text is that of a key more than of anything else: letters and digits, at least twelve. */
function looksRandom(text: string): boolean {
  return RANDOM.test(text);
}

/** Whether a text is that of a key or of a password more than of anything else. */
export function looksLikePassword(text: string): boolean {
  return !NO_PASSWORD.test(text) && (looksRandom(text) || MIXED.test(text));
}

/**
 * Answers what is secret in a value, which may have a name: the value itself where the name says so, and each part of it
 * that a program may say by itself.
 */
export function secretsIn(value: string, name = ''): readonly string[] {
  const assignment = name === '' ? value : `${name}=${value}`;
  const looked = value.slice(0, MAX_SEARCHED_CHARS);
  return [
    ...(name !== '' && redactSecrets(assignment) !== assignment ? [value] : []),
    ...findSecrets(assignment),
    ...secretsOfNamed(name, value, false),
    ...(looked.match(URLS) ?? []).flatMap(secretsOfUrl),
    ...looked.split(/[\r\n]+/).flatMap((line) => secretsOfMatch(HEADER.exec(line), HEADERS.test(name))),
    ...[...looked.split(/[;\r\n]+/), ...looked.split(/\s+/)].flatMap((pair) => secretsOfMatch(PAIR.exec(pair), false)),
    ...secretsOfJson(parseJson(value), name, HEADERS.test(name), 0),
  ];
}

/** The forms of a whole value whose name says that it is secret, or may be, and which looks so. */
function secretsOfNamed(name: string, value: string, mayBeSecret: boolean): readonly string[] {
  const secrecy = secrecyOf(name);
  const isGuess = mayBeSecret || secrecy === 'words';
  const isSecret =
    secrecy === 'all' || isAuthorization(value) || (isGuess && looksRandom(value.replace(/^[\w-]+\s+/, '')));
  return [...(isSecret ? secretsOfHeader(name, value) : []), ...(LOGINS.test(name) ? secretsOfUser(value) : [])];
}

/** Whether a value is what an `Authorization` header holds, whatever its name. */
function isAuthorization(value: string): boolean {
  if (BEARER.test(value)) return true;
  const [, basic] = /^basic[ \t]+(\S+)$/i.exec(value) ?? [];
  return basic !== undefined && decodeBasic(basic) !== undefined;
}

/** The login as a whole and its password. A user and a group of the same name are none. */
function secretsOfUser(value: string): readonly string[] {
  const [, user, password] = LOGIN.exec(value) ?? [];
  return password === undefined || user === password ? [] : [value, password];
}

function secretsOfMatch(match: RegExpExecArray | null, mayBeSecret: boolean): readonly string[] {
  const [, name, value] = match ?? [];
  return name === undefined || value === undefined ? [] : secretsOfNamed(name, value, mayBeSecret);
}

function secretsOfUrl(text: string): readonly string[] {
  const url = URL.parse(text);
  if (url === null) return (BROKEN_LOGIN.exec(text) ?? []).slice(1);
  const pairs = url.search.slice(1).split('&');
  return [...secretsOfLogin(url), ...pairs.filter(isSecretPair).flatMap(secretsOfPair)];
}

/** Of a query most values are settings, which messages speak of. */
function isSecretPair(pair: string): boolean {
  const end = pair.indexOf('=');
  return secretsOfNamed(pair.slice(0, end), pair.slice(end + 1), true).length > 0 || findSecrets(`?${pair}`).length > 0;
}

function secretsOfJson(value: unknown, name: string, mayBeSecret: boolean, depth: number): readonly string[] {
  if (depth > MAX_DEPTH) return [];
  if (typeof value === 'string') {
    return depth === 0 ? [] : [...secretsOfNamed(name, value, mayBeSecret), ...secretsIn(value, name)];
  }
  if (Array.isArray(value)) return value.flatMap((entry) => secretsOfJson(entry, name, mayBeSecret, depth + 1));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    secretsOfJson(entry, key, mayBeSecret || HEADERS.test(key), depth + 1),
  );
}

function parseJson(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // It only begins like JSON.
    return undefined;
  }
}
