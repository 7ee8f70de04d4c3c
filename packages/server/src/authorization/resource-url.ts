import { isSecureUrl } from './secure-url.ts';

const HTTP_URL = /^(https?):\/\/([^/?#]*)(.*)$/i;

/**
 * Answers the form in which identifiers of resources are compared: scheme and host of an HTTP URL in lower case, without the
 * scheme's own port and without a lone slash as path. Anything else is compared as it is; a longer path keeps its slash at the end.
 *
 * Spec: basic/authorization#canonical-server-uri (2026-07-28); RFC 3986 section 6.2.3.
 */
export function canonicalResource(identifier: string): string {
  const [, scheme = '', authority = '', rest = ''] = HTTP_URL.exec(identifier) ?? [];
  if (authority === '') return identifier;
  const ownPort = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/;
  return `${scheme}://${authority.replace(ownPort, '')}`.toLowerCase() + (rest === '/' ? '' : rest);
}

/**
 * Answers a URL as it was given.
 *
 * @throws TypeError when it is none, is neither HTTPS nor HTTP on a loopback host, or has user information or a fragment; the
 *   message calls it `name`.
 */
export function toSecureUrl(name: string, given: string): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !isSecureUrl(url) || url.username !== '' || url.password !== '' || given.includes('#'))
    throw new TypeError(
      `${name} must be an https URL without user and fragment (http on a loopback host only), not ${JSON.stringify(given)}`,
    );
  return given;
}
