const HTTP_URL = /^(https?):\/\/([^/?#]*)(.*)$/i;

/**
 * Answers the form in which identifiers of resources are compared: scheme and host of an HTTP URL in lower case,
 * without the scheme's own port and without a lone slash as path. Anything else is compared as it is; a longer path
 * keeps its slash at the end.
 *
 * Spec: basic/authorization#canonical-server-uri (2026-07-28); RFC 3986 section 6.2.3.
 */
export function canonicalResource(identifier: string): string {
  const [, scheme = '', authority = '', rest = ''] = HTTP_URL.exec(identifier) ?? [];
  if (authority === '') return identifier;
  const ownPort = scheme.toLowerCase() === 'https' ? /:443$/ : /:80$/;
  return `${scheme}://${authority.replace(ownPort, '')}`.toLowerCase() + (rest === '/' ? '' : rest);
}
