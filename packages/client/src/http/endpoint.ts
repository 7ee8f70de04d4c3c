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

/** Answers a URL as a message may show it: scheme, host and path. What is no URL is not shown at all. */
export function describeUrl(url: string | URL): string {
  const parsed = parseUrl(url);
  return parsed === undefined ? 'an unreadable URL' : `${parsed.protocol}//${parsed.host}${excerpt(parsed.pathname)}`;
}

/**
 * Reads the URL and the headers of a server. User and password of the URL become a Basic `Authorization` header, unless
 * the headers have one. Throws a `ClientError` with code `invalid-argument` for what is no HTTP URL and for a header
 * that HTTP cannot carry; the message holds neither the URL nor a value.
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
 * that HTTP cannot carry; the message holds no value.
 */
export function readFields(context: PeerContext, headers: GivenHeaders): HeaderFields {
  const fields: { [name: string]: string } = {};
  for (const [name, value] of pairsOf(context, headers)) {
    if (typeof name !== 'string' || !FIELD_NAME.test(name)) {
      throw context.fail(
        'invalid-argument',
        `the configured header name ${JSON.stringify(excerpt(name, 40))} is not valid in HTTP.`,
      );
    }
    if (typeof value !== 'string' || !FIELD_VALUE.test(value)) {
      throw context.fail(
        'invalid-argument',
        `the value of the configured header ${name} is no text that HTTP can carry.`,
      );
    }
    fields[name.toLowerCase()] = value;
  }
  return fields;
}

function pairsOf(context: PeerContext, headers: GivenHeaders): readonly (readonly [string, string])[] {
  if (typeof headers === 'object' && headers !== null) {
    if (!isIterable(headers)) return Object.entries(headers);
    const pairs = [...headers];
    if (pairs.every((pair) => Array.isArray(pair) && pair.length === 2)) return pairs;
  }
  throw context.fail(
    'invalid-argument',
    'its configured headers are no object of names and texts, such as { authorization: "Bearer …" }, and no Headers.',
  );
}

/** Answers configured headers by name as far as they can be read, without a failure. */
export function namedHeaders(headers: GivenHeaders): HeaderFields {
  if (typeof headers !== 'object' || headers === null) return {};
  if (!isIterable(headers)) return headers;
  return Object.fromEntries([...headers].filter((pair) => Array.isArray(pair)));
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
