import type { Grant } from './grant.ts';
import { type IssuedClient, toIssuedClient } from './known-client.ts';

/** The credentials of a client that acts for itself, and what it asks for. */
export interface ClientCredentialsOptions extends IssuedClient {
  /** Scopes that are asked for where the server names none. */
  readonly scopes?: readonly string[];
}

/**
 * Creates the grant of a service that acts for itself: it shows who it is, by a signed assertion where it can and else
 * by its secret, and gets a token of its own. There is no refresh token: before a token ends, another one is obtained.
 * The client is registered beforehand with one authorization server, and no other one gets a credential.
 *
 * Errors (`ClientError`): `authorization` where the MCP server wants tokens of another authorization server, or that
 * one refuses, whose own code is then in `oauthError`; `invalid-argument` for a key that cannot sign.
 *
 * Spec: extensions/auth/oauth-client-credentials (2026-07-28); RFC 6749 section 4.4, RFC 7523 section 2.2.
 */
export function clientCredentials(options: ClientCredentialsOptions): Grant {
  const { issuer, scopes } = options;
  return {
    // Tokens of two clients in one store are told apart by it.
    type: `client_credentials ${options.clientId}`,
    ...(issuer === 'any' ? {} : { issuer }),
    ...(scopes === undefined ? {} : { scopes }),
    client: (server, context) => toIssuedClient(options, server, context),
    obtain: ({ token }) => token('client_credentials', {}),
  };
}
