import type { AuthorizationServer } from 'oauth4webapi';
import type { PeerContext } from '../peer/peer-context.ts';
import { describeUrl } from '../http/endpoint.ts';
import type { BoundedFetch } from './bounded-fetch.ts';
import type { Challenge } from '../http/parse-challenges.ts';
import { resourceOfServer } from './resource-identifier.ts';
import { findResourceMetadata } from './resource-metadata.ts';
import { defaultServerMetadata, findServerMetadata, isNoServerMetadata } from './server-metadata.ts';

/** Who gives tokens for an MCP server, and for what. */
export interface Discovery {
  readonly server: AuthorizationServer;
  /** What tokens are asked for. */
  readonly resource: string;
  /** What the MCP server says that it needs at least; absent where it says nothing. */
  readonly scopesSupported?: readonly string[];
  /** Whether the MCP server takes tokens that are bound to a key. */
  readonly acceptsDpop: boolean;
  readonly requiresDpop: boolean;
  /** Whether the server is of revision 2025-03-26, which has the authorization server at its own origin. */
  readonly isLegacy: boolean;
}

/** What a search starts from. */
export interface DiscoveryRequest {
  readonly server: URL;
  readonly challenges: readonly Challenge[];
  /** The issuers that are taken, where the server names several, before the first of them. */
  readonly preferred: readonly string[];
  readonly signal: AbortSignal;
}

const MAX_AUTHORIZATION_SERVERS = 4;

/**
 * Finds the authorization server of an MCP server. Where it publishes no metadata at all, it is taken for one of
 * revision 2025-03-26: then its origin is the authorization server, with default endpoints where it describes none.
 * Rejects with a `ClientError` of code `authorization` that says what was looked for and found.
 *
 * Spec: basic/authorization/authorization-server-discovery (2026-07-28).
 */
export async function discover(
  context: PeerContext,
  fetch: BoundedFetch,
  request: DiscoveryRequest,
): Promise<Discovery> {
  const { server, signal } = request;
  const metadata = await findResourceMetadata(context, fetch, request);
  if ('failures' in metadata) {
    const { failures } = metadata;
    if (failures.some(({ isOutage }) => isOutage)) {
      const reasons = failures.map(({ reason }) => reason).join('; ');
      throw context.fail('authorization', `its protected resource metadata cannot be had now: ${reasons}`);
    }
    const found = await findOriginServer(context, fetch, { server, signal });
    return {
      server: found,
      resource: resourceOfServer(server),
      acceptsDpop: false,
      requiresDpop: false,
      isLegacy: true,
    };
  }
  const { resource, authorizationServers, scopesSupported, acceptsDpop, requiresDpop } = metadata;
  const chosen = request.preferred.filter((issuer) => authorizationServers.includes(issuer));
  const issuers = [...new Set([...chosen, ...authorizationServers])].slice(0, MAX_AUTHORIZATION_SERVERS);
  const failures: string[] = [];
  for (const issuer of issuers) {
    const found = await findServerMetadata(context, fetch, { issuer, server, signal });
    if (!isNoServerMetadata(found)) {
      const scopes = scopesSupported === undefined ? {} : { scopesSupported };
      return { server: found, resource, ...scopes, acceptsDpop, requiresDpop, isLegacy: false };
    }
    failures.push(found.failure);
  }
  throw context.fail('authorization', `none of its authorization servers is usable: ${failures.join('; ')}`);
}

/** Finds the authorization server of revision 2025-03-26. Spec: basic/authorization#server-metadata-discovery (2025-03-26). */
export async function findOriginServer(
  context: PeerContext,
  fetch: BoundedFetch,
  { server, signal }: { readonly server: URL; readonly signal: AbortSignal },
): Promise<AuthorizationServer> {
  const found = await findServerMetadata(context, fetch, { issuer: server.origin, server, signal });
  if (!isNoServerMetadata(found)) return found;
  if (found.isMissing) return defaultServerMetadata(server);
  throw context.fail(
    'authorization',
    `it publishes no protected resource metadata, and its origin ${describeUrl(server.origin)} is not usable, either: ${found.failure}`,
  );
}
