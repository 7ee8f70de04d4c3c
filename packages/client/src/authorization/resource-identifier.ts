/**
 * Answers the canonical URI of an MCP server by its URL: scheme and host in lower case, without query, fragment and
 * the scheme's own port; without the slash that stands for an empty path, while a longer path keeps its own.
 *
 * Spec: basic/authorization#canonical-server-uri (2026-07-28).
 */
export function resourceOfServer(server: URL): string {
  return server.origin + (server.pathname === '/' ? '' : server.pathname);
}

/** What a URI is made of: a reader that takes others for something else must not get them. */
const URI_CHARACTERS = /^(?:[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/;

/**
 * Answers whether a published resource identifier stands for the server: it is the server's URL, or that of a parent
 * path at the same origin, as a document at the root of the origin has it. Case of scheme and host, the scheme's own
 * port and one slash at the end make no difference; the rest is compared as it is. Since the identifier is asked for as
 * it is written, one that a URL parser would write otherwise (backslashes, spaces, `..`) stands for nothing.
 *
 * Spec: RFC 9728 section 3.3; RFC 3986 section 2; basic/authorization#canonical-server-uri (2026-07-28).
 */
export function isResourceOf(identifier: string, server: URL): boolean {
  const resource = URI_CHARACTERS.test(identifier) ? URL.parse(identifier) : null;
  if (resource === null || resource.origin !== server.origin) return false;
  if (resource.username !== '' || resource.password !== '') return false;
  if (!isWrittenAs(identifier, resource)) return false;
  if (resource.search !== '' && resource.search !== server.search) return false;
  const path = resource.pathname.replace(/\/$/, '');
  return `${server.pathname.replace(/\/$/, '')}/`.startsWith(`${path}/`);
}

function isWrittenAs(identifier: string, { pathname, search }: URL): boolean {
  const [, path = '', query = ''] = /^https?:\/\/[^/?]+([^?]*)(.*)$/i.exec(identifier) ?? [];
  return (path === pathname || (path === '' && pathname === '/')) && query === search;
}
