import { type ProtectedResource, WELL_KNOWN_PATH } from './protected-resource.ts';

/** One whole HTTP response. */
export interface MetadataAnswer {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
  readonly body: string;
}

/**
 * Makes the function that answers a request for the metadata of a resource by its method. The document is public, so
 * every origin may read it; clients in a browser need it before they have a token.
 *
 * Spec: basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
 * (2026-07-28); RFC 9728 sections 3.1 and 3.2.
 */
export function createMetadataHandler(resource: ProtectedResource): (method: string) => MetadataAnswer {
  const document = JSON.stringify(resource.metadata);
  const cors = { 'access-control-allow-origin': '*' };
  const found = { ...cors, 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };
  return (method) => {
    if (method === 'GET') return { status: 200, headers: found, body: document };
    if (method === 'HEAD') return { status: 200, headers: found, body: '' };
    // A browser asks first when the page's client sends MCP-Protocol-Version.
    if (method === 'OPTIONS')
      return {
        status: 204,
        headers: { ...cors, 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' },
        body: '',
      };
    return { status: 405, headers: { ...cors, allow: 'GET, HEAD, OPTIONS' }, body: '' };
  };
}

/**
 * Answers the paths under which a server has the metadata: those that belong to the resource and to the endpoint, which
 * differ behind a proxy that cuts off a prefix, and the root one.
 */
export function metadataPaths(resource: ProtectedResource, endpointPath: string): ReadonlySet<string> {
  const { pathname } = new URL(resource.resource);
  return new Set(['/', pathname, endpointPath].map((path) => WELL_KNOWN_PATH + (path === '/' ? '' : path)));
}

/**
 * Serves the metadata of a resource on a fetch runtime, at whatever path it is mounted: that of `resource.metadataUrl`.
 */
export function metadataToFetch(resource: ProtectedResource): (request: Request) => Response {
  const answer = createMetadataHandler(resource);
  return ({ method }) => {
    const { status, headers, body } = answer(method);
    return new Response(body === '' ? null : body, { status, headers });
  };
}
