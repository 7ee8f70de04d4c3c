import { assertKnownOptions, type JsonObject, type KnownOptions } from '@switchyard/protocol';

import { dpopAlgorithms } from './algorithms.ts';
import type { ReadClientCertificate } from './client-certificate.ts';
import { toSecureUrl } from './secure-url.ts';
import { createMissingScopes, type ImpliedScopes, toScopes } from './scopes.ts';

/** What a server is as a protected resource. */
export interface ProtectedResourceOptions {
  /**
   * The canonical URL under which clients know the server, for example `https://mcp.example.com/mcp`: the audience of
   * its tokens. Sent and compared as it is written, so a path-less one has no slash.
   */
  readonly resource: string;
  /** Issuers whose tokens are taken, at least one, exactly as they call themselves. */
  readonly authorizationServers: readonly string[];
  /** The scopes of basic use, as the metadata tells clients. Default: none are told. */
  readonly scopesSupported?: readonly string[];
  /** The scopes that a 401 asks for. Default: `scopesSupported`. */
  readonly challengeScopes?: readonly string[];
  /** Which scopes a broader one implies: `{ 'files:write': ['files:read'] }`. */
  readonly implies?: ImpliedScopes;
  /** The public URL of the MCP endpoint, which proofs of DPoP name, where it is not `resource`. */
  readonly endpointUrl?: string;
  /** Where clients find the metadata. Default: the well-known path that belongs to `resource`. */
  readonly metadataUrl?: string;
  /**
   * Whether tokens may or must be bound to a key of the client (RFC 9449). Default `allowed`: a bound token needs its
   * proof, one without a bond passes alone. With `off`, bound tokens are refused.
   */
  readonly dpop?: 'off' | 'allowed' | 'required';
  /**
   * Reads the certificate that a proxy in front verified, for tokens that are bound to one (RFC 8705). Default: those
   * are refused.
   */
  readonly clientCertificate?: ReadClientCertificate;
  /** A name to show. */
  readonly name?: string;
  /** Where developers read about the resource. */
  readonly documentationUrl?: string;
}

const protectedResourceOptions: KnownOptions<ProtectedResourceOptions> = {
  resource: true,
  authorizationServers: true,
  scopesSupported: true,
  challengeScopes: true,
  implies: true,
  endpointUrl: true,
  metadataUrl: true,
  dpop: true,
  clientCertificate: true,
  name: true,
  documentationUrl: true,
};

/** A server as a protected resource, checked. Made by {@link protectedResource}. */
export interface ProtectedResource {
  /** The canonical URL, as it was written: the audience of its tokens. */
  readonly resource: string;
  /** The issuers whose tokens are taken, at least one, as they were written. */
  readonly authorizationServers: readonly string[];
  /** The public URL of the MCP endpoint, which proofs of DPoP name. */
  readonly endpointUrl: string;
  /** Where clients find the metadata: a challenge names it. */
  readonly metadataUrl: string;
  /** The scopes that a 401 asks for; empty for none. */
  readonly challengeScopes: readonly string[];
  /** Whether tokens may or must be bound to a key of the client (RFC 9449). */
  readonly dpop: 'off' | 'allowed' | 'required';
  /** Reads the certificate that a proxy in front verified; `undefined`: tokens that are bound to one are refused. */
  readonly clientCertificate: ReadClientCertificate | undefined;
  /** The document of RFC 9728 section 2. */
  readonly metadata: JsonObject;
  /** Answers which required scopes are neither granted nor implied. */
  missingScopes(granted: readonly string[], required: readonly string[]): readonly string[];
}

/**
 * Says what a server is as a protected resource: for `authenticate`, which checks tokens against it, and for the
 * metadata that tells clients where to get them.
 *
 * Spec: basic/authorization/authorization-server-discovery (2026-07-28); RFC 9728 sections 2 and 3.1.
 *
 * @throws TypeError when an option is unknown, a URL is none or is not secure, no authorization server is named, or a
 *   scope is none or `offline_access`.
 */
export function protectedResource(options: ProtectedResourceOptions): ProtectedResource {
  assertKnownOptions('protectedResource', options, protectedResourceOptions);
  const resource = toSecureUrl('resource', options.resource);
  const authorizationServers = options.authorizationServers.map((issuer) =>
    toSecureUrl('authorizationServers', issuer),
  );
  if (authorizationServers.length === 0)
    throw new TypeError('authorizationServers must name at least one: clients could get a token nowhere');
  const { dpop = 'allowed', clientCertificate } = options;
  const scopesSupported = toScopes('scopesSupported', options.scopesSupported ?? []);
  return Object.freeze({
    resource,
    authorizationServers,
    endpointUrl: toSecureUrl('endpointUrl', options.endpointUrl ?? resource),
    metadataUrl:
      options.metadataUrl === undefined ? wellKnownUrl(resource) : toSecureUrl('metadataUrl', options.metadataUrl),
    challengeScopes: toScopes('challengeScopes', options.challengeScopes ?? scopesSupported),
    dpop,
    clientCertificate,
    metadata: {
      resource,
      authorization_servers: authorizationServers,
      bearer_methods_supported: ['header'],
      ...(scopesSupported.length === 0 ? {} : { scopes_supported: scopesSupported }),
      ...(options.name === undefined ? {} : { resource_name: options.name }),
      ...(options.documentationUrl === undefined
        ? {}
        : { resource_documentation: toSecureUrl('documentationUrl', options.documentationUrl) }),
      ...(dpop === 'off' ? {} : { dpop_signing_alg_values_supported: dpopAlgorithms }),
      ...(dpop === 'required' ? { dpop_bound_access_tokens_required: true } : {}),
      ...(clientCertificate === undefined ? {} : { tls_client_certificate_bound_access_tokens: true }),
    },
    missingScopes: createMissingScopes(options.implies),
  });
}

/** The path under which the metadata of a resource lies, before the path of the resource itself. */
export const WELL_KNOWN_PATH = '/.well-known/oauth-protected-resource';

/** Spec: RFC 9728 section 3.1: the well-known part stands between host and path. */
function wellKnownUrl(resource: string): string {
  const { origin, pathname, search } = new URL(resource);
  return `${origin}${WELL_KNOWN_PATH}${pathname === '/' ? '' : pathname}${search}`;
}
