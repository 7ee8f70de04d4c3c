import { excerpt } from '../peer/excerpt.ts';
import { describeUrl } from '../http/endpoint.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import { type Failure, getDocument } from './get-document.ts';
import { type Challenge, parameterOf } from '../http/parse-challenges.ts';
import { isResourceOf, resourceOfServer } from './resource-identifier.ts';
import { textsOf } from './texts-of.ts';

/** What an MCP server publishes about who may use it. */
export interface ResourceMetadata {
  /** As it was published. */
  readonly resource: string;
  /** Issuers, in the order of the document; at least one. */
  readonly authorizationServers: readonly string[];
  /** Absent where the document has none. */
  readonly scopesSupported?: readonly string[];
  /** Whether the server takes tokens that are bound to an ES256 key. */
  readonly acceptsDpop: boolean;
  /** Whether it takes no others. */
  readonly requiresDpop: boolean;
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';
/** Of a challenge: a proxy may add one, a flood of them is not followed. */
const MAX_NAMED = 3;

/**
 * Finds the metadata of a protected resource: at the URLs that the challenge names, where it names any, then at the
 * well-known URL of the server's path and query, then without its query and the slash at its end, then at that of its
 * root. A place that has no document is passed over; a document for another resource ends the search with a
 * `ClientError` of code `authorization`, as does one that names no authorization server. Answers the reasons where there
 * is no document at all.
 *
 * Spec: basic/authorization/authorization-server-discovery#protected-resource-metadata-discovery-requirements
 * (2026-07-28); RFC 9728 sections 3.1, 3.3 and 5.1.
 */
export async function findResourceMetadata(
  context: PeerContext,
  fetch: BoundedFetch,
  options: { readonly server: URL; readonly challenges: readonly Challenge[]; readonly signal: AbortSignal },
): Promise<ResourceMetadata | { readonly failures: readonly Failure[] }> {
  const { server, challenges, signal } = options;
  const named = parameterOf(challenges, 'resource_metadata').slice(0, MAX_NAMED);
  const path = server.pathname === '/' ? '' : server.pathname;
  const base = `${server.origin}${WELL_KNOWN}`;
  const candidates = [...named, `${base}${path}${server.search}`, `${base}${path.replace(/\/$/, '')}`, base];
  const failures: Failure[] = [];
  for (const url of new Set(candidates)) {
    const { document, failure } = await getDocument(fetch, url, signal);
    if (document !== undefined) return readResourceMetadata(context, { document, url, server });
    failures.push(failure);
  }
  return { failures };
}

function readResourceMetadata(
  context: PeerContext,
  {
    document,
    url,
    server,
  }: { readonly document: Readonly<Record<string, unknown>>; readonly url: string; readonly server: URL },
): ResourceMetadata {
  const resource = document['resource'];
  if (typeof resource !== 'string' || !isResourceOf(resource, server)) {
    const shown = typeof resource === 'string' ? `for the resource "${excerpt(resource)}"` : 'without a resource';
    throw context.fail(
      'authorization',
      `${describeUrl(url)} is a document ${shown}, but "${resourceOfServer(server)}" is what is reached. ` +
        'A token for something else is not asked for: configure the URL that the server publishes, or have it corrected there.',
    );
  }
  const authorizationServers = textsOf(document['authorization_servers']) ?? [];
  if (authorizationServers.length === 0) {
    throw context.fail('authorization', `${describeUrl(url)} names no authorization server, which it must.`);
  }
  const scopesSupported = textsOf(document['scopes_supported']);
  const requiresDpop = document['dpop_bound_access_tokens_required'] === true;
  return {
    resource,
    authorizationServers,
    ...(scopesSupported === undefined ? {} : { scopesSupported }),
    acceptsDpop: requiresDpop || textsOf(document['dpop_signing_alg_values_supported'])?.includes('ES256') === true,
    requiresDpop,
  };
}
