import { exposedServerName } from './exposed-name.ts';

const SCHEME = 'mcp://';
const VERBATIM = '+/';

/**
 * Answers the URI that means a resource of one server whatever others claim:
 * `mcp://<server>/<encodeURIComponent(uri)>`, with the server's exposed name.
 */
export function qualifiedUri(server: string, uri: string): string {
  return `${SCHEME}${exposedServerName(server)}/${encodeURIComponent(uri.toWellFormed())}`;
}

/**
 * Answers the URI template that means a server's template whatever others claim: `mcp://<server>/+/<uriTemplate>`, the
 * template verbatim, so that what a caller expands from it holds the server's own URI verbatim, too.
 */
export function qualifiedUriTemplate(server: string, uriTemplate: string): string {
  return `${SCHEME}${exposedServerName(server)}/${VERBATIM}${uriTemplate}`;
}

/**
 * The longest URI or URI template that is exposed, in bytes of its JSON text: what a cursor between two pages of a list
 * can name.
 */
export const MAX_ADDRESS_BYTES = 3000;

/** The longest name, URI or URI template that is looked up, in characters. Whatever is longer means nothing. */
export const MAX_SUBJECT_CHARS = 8192;

/** Answers whether a server's resource can be exposed, under its own URI and under the qualified one. */
export function isUriExposable(server: string, uri: string): boolean {
  return fits(uri) && fits(qualifiedUri(server, uri));
}

/** Answers whether a server's resource template can be exposed, as it is and in the qualified form. */
export function isUriTemplateExposable(server: string, uriTemplate: string): boolean {
  return fits(qualifiedUriTemplate(server, uriTemplate));
}

function fits(address: string): boolean {
  // No character takes less than a byte, so what is far too long is not written out.
  return address.length <= MAX_ADDRESS_BYTES && Buffer.byteLength(JSON.stringify(address)) <= MAX_ADDRESS_BYTES;
}

/** Answers whether a URI is in the scheme of qualified URIs, which belongs to the host whatever a server lists. */
export function isQualified(uri: string): boolean {
  return uri.slice(0, SCHEME.length).toLowerCase() === SCHEME;
}

/**
 * Takes a qualified URI apart: the exposed name of the server, and the server's own URI. `undefined` for any other
 * text.
 */
export function parseQualifiedUri(uri: string): { readonly exposedServer: string; readonly uri: string } | undefined {
  if (!uri.startsWith(SCHEME)) return undefined;
  const end = uri.indexOf('/', SCHEME.length);
  if (end < 0) return undefined;
  const exposedServer = uri.slice(SCHEME.length, end);
  const rest = uri.slice(end + 1);
  if (rest.startsWith(VERBATIM)) return { exposedServer, uri: rest.slice(VERBATIM.length) };
  try {
    return { exposedServer, uri: decodeURIComponent(rest) };
  } catch {
    // An escape that is no UTF-8: not a URI that `qualifiedUri` made.
    return undefined;
  }
}

const DOT_SEGMENT = /(?:^|[/\\]|^[a-z][a-z0-9+.-]*:)\.{1,2}(?:$|[/\\?#])/i;
const ESCAPED_UNRESERVED = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i;
const NO_URI_CHARACTER = /[\p{Cc}\p{Z}\p{Cs}\\]/u;

/**
 * Answers whether a URI has one spelling as far as can be told without its server: no segment `.` or `..`, no escaped
 * letter, digit, `-`, `.`, `_` or `~`, no escaped slash before dots, and no control character, space or backslash.
 * Policies compare URIs as they are written, so a caller's other spelling of a URI is not taken.
 */
export function hasOneSpelling(uri: string): boolean {
  if (ESCAPED_UNRESERVED.test(uri) || NO_URI_CHARACTER.test(uri)) return false;
  return !DOT_SEGMENT.test(uri.replaceAll(/%2f|%5c/gi, '/'));
}
