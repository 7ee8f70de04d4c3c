const ESCAPE = /%[0-9a-f]{2}/gi;
const NOT_ASCII = /[^\0-\x7f]+/gu;
const SCHEME_AND_AUTHORITY = /^[a-z][a-z0-9+.-]*:(?:\/\/[^/?#]*)?/i;

/**
 * Answers a URI as it is usually spelled, for policies that must not be passed by under another spelling: scheme and
 * authority in lower case, dots, ports and escapes as a URL parser writes them, and no fragment and no empty query,
 * which ask for nothing. Of a `file:` URI, which names a path, doubled and escaped slashes are one slash, and there is
 * no query. What is no URL stays as it is.
 *
 * Spec: RFC 3986 section 6.2; the URL standard.
 */
export function usualSpelling(uri: string): string {
  const url = URL.parse(uri);
  if (url === null) return uri;
  url.hash = '';
  if (url.search === '' || url.protocol === 'file:') url.search = '';
  if (url.protocol === 'file:') url.pathname = url.pathname.replaceAll(/(?:\/|\\|%2f|%5c)+/gi, '/');
  return usualPattern(url.href);
}

/**
 * Answers what a pattern, in which `*` stands for any characters, is for URIs in their {@link usualSpelling}, as far as
 * that can be told of a part of a URI: scheme and authority in lower case, escapes in upper case, everything beyond
 * ASCII escaped.
 */
export function usualPattern(pattern: string): string {
  return pattern
    .toWellFormed()
    .replaceAll(NOT_ASCII, (text) => encodeURIComponent(text))
    .replace(SCHEME_AND_AUTHORITY, (head) => head.toLowerCase())
    .replaceAll(ESCAPE, (escape) => escape.toUpperCase());
}
