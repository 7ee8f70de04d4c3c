import type { HeaderFields } from '../message/connection.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { encodeBasic } from './basic-credentials.ts';

/** Where an MCP server is reached over HTTP. */
export interface Endpoint {
  /** Without user, password and fragment. */
  readonly url: string;
  /** For messages: without query, too, since keys often stand there. */
  readonly shown: string;
  /** The headers of every request, names in lower case. */
  readonly headers: { readonly [name: string]: string };
}

/** Headers as a caller has them: by name, or as pairs, such as those of a `Headers` object. */
export type GivenHeaders = HeaderFields | Iterable<readonly [name: string, value: string]>;

const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** As long as most servers take all fields of a request together. */
const MAX_VALUE_LENGTH = 16 * 1024;
/** What frames a message and keeps its connection, which is the business of whoever writes to the socket. */
const fieldsOfHttp: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Answers a URL as a message may show it: scheme, host and path. What is no URL is not shown at all. */
export function describeUrl(url: string | URL): string {
  const parsed = parseUrl(url);
  return parsed === undefined ? 'an unreadable URL' : `${parsed.protocol}//${parsed.host}${excerpt(parsed.pathname)}`;
}

/**
 * Reads the URL and the headers of a server. User and password of the URL become a Basic `Authorization` header, unless
 * the headers have one. Throws a `ClientError` with code `invalid-argument` for what is no HTTP URL, and as {@link
 * readFields} does; the message holds neither the URL nor a value.
 */
export function readEndpoint(context: PeerContext, url: string | URL, headers: GivenHeaders): Endpoint {
  const parsed = parseUrl(url);
  if (parsed === undefined || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw context.fail(
      'invalid-argument',
      'its URL is not readable as http: or https:. Give the full URL of its MCP endpoint.',
    );
  }
  const login: { [name: string]: string } = {};
  if (parsed.username !== '' || parsed.password !== '') {
    login['authorization'] = `Basic ${basicCredentials(context, parsed)}`;
  }
  const fields = { ...login, ...readFields(context, headers) };
  const bare = new URL(parsed);
  bare.username = '';
  bare.password = '';
  bare.hash = '';
  return { url: bare.href, shown: describeUrl(bare), headers: fields };
}

/**
 * Answers configured headers with names in lower case. Throws a `ClientError` with code `invalid-argument` for a header
 * that HTTP cannot carry, that HTTP itself runs by, such as `Content-Length`, or that is over 16 KiB; the message holds no
 * value.
 */
export function readFields(context: PeerContext, headers: GivenHeaders): HeaderFields {
  const fields: { [name: string]: string } = {};
  for (const [name, value] of pairsOf(context, headers)) {
    const problem = problemOf(name, value);
    if (problem !== undefined) throw context.fail('invalid-argument', `the configured header ${problem}`);
    fields[name.toLowerCase()] = value;
  }
  return fields;
}

function problemOf(name: unknown, value: unknown): string | undefined {
  if (typeof name !== 'string' || !FIELD_NAME.test(name)) {
    return `name ${JSON.stringify(excerpt(String(name), 40))} is not valid in HTTP.`;
  }
  const shown = excerpt(name, 40);
  if (fieldsOfHttp.has(name.toLowerCase())) return `${shown} is one that HTTP itself runs by; leave it out.`;
  if (typeof value !== 'string') return `${shown} has a value that is no text.`;
  if (value.length > MAX_VALUE_LENGTH) return `${shown} has a value of more than ${MAX_VALUE_LENGTH} characters.`;
  if (/[\r\n]/.test(value)) {
    return `${shown} has a line break in its value; take it off, such as the one at the end of a file.`;
  }
  if (FIELD_VALUE.test(value)) return undefined;
  return `${shown} has characters in its value that HTTP cannot carry; encode what is beyond Latin-1.`;
}

function pairsOf(context: PeerContext, headers: GivenHeaders): readonly (readonly [string, string])[] {
  if (typeof headers === 'object' && headers !== null) {
    const pairs = tryPairs(headers);
    if (pairs === undefined) {
      throw context.fail(
        'invalid-argument',
        'its configured headers cannot be read, since a getter or an iterator of theirs throws; give plain texts.',
      );
    }
    if (pairs.every((pair) => Array.isArray(pair) && pair.length === 2)) return pairs;
  }
  throw context.fail(
    'invalid-argument',
    'its configured headers are no object of names and texts, such as { authorization: "Bearer …" }, and no Headers.',
  );
}

/** Answers the pairs of headers, or `undefined` where one of them throws when it is read. */
function tryPairs(headers: GivenHeaders): readonly (readonly [string, string])[] | undefined {
  try {
    return isIterable(headers) ? [...headers] : Object.entries(headers);
  } catch {
    // What it says may hold what it should have answered.
    return undefined;
  }
}

/** Answers configured headers by name as far as they can be read, without a failure. */
export function namedHeaders(headers: GivenHeaders): HeaderFields {
  if (typeof headers !== 'object' || headers === null) return {};
  return Object.fromEntries((tryPairs(headers) ?? []).filter((pair) => Array.isArray(pair)));
}

function isIterable(headers: GivenHeaders): headers is Iterable<readonly [string, string]> {
  return typeof (headers as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function';
}

function parseUrl(url: string | URL): URL | undefined {
  try {
    return new URL(url);
  } catch {
    // Not a URL; the caller says so without repeating it.
    return undefined;
  }
}

function basicCredentials(context: PeerContext, url: URL): string {
  try {
    return encodeBasic(decodeURIComponent(url.username), decodeURIComponent(url.password));
  } catch (error) {
    throw context.fail('invalid-argument', 'user and password in its URL are not properly percent-encoded.', {
      cause: error,
    });
  }
}
