/**
 * Answers the canonical URI of an MCP server by its URL: scheme and host in lower case, without query, fragment and
 * the scheme's own port; without the slash that stands for an empty path, while a longer path keeps its own.
 *
 * Spec: basic/authorization#canonical-server-uri (2026-07-28).
 */
export function resourceOfServer(server: URL): string {
  return server.origin + (server.pathname === '/' ? '' : server.pathname);
}

/**
 * Answers whether a published resource identifier stands for the server: it is the server's URL, or that of a parent
 * path at the same origin, as a document at the root of the origin has it. Case of scheme and host, the scheme's own
 * port and one slash at the end make no difference; the rest is compared as it is.
 *
 * Spec: RFC 9728 section 3.3; basic/authorization#canonical-server-uri (2026-07-28).
 */
export function isResourceOf(identifier: string, server: URL): boolean {
  const resource = URL.parse(identifier);
  if (resource === null || resource.origin !== server.origin || identifier.includes('#')) return false;
  if (resource.username !== '' || resource.password !== '') return false;
  if (resource.search !== '' && resource.search !== server.search) return false;
  const path = resource.pathname.replace(/\/$/, '');
  return `${server.pathname.replace(/\/$/, '')}/`.startsWith(`${path}/`);
}
