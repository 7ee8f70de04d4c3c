import {
  allowInsecureRequests,
  type AuthorizationServer,
  discoveryRequest,
  genericTokenEndpointRequest,
  processDiscoveryResponse,
  processGenericTokenEndpointResponse,
} from 'oauth4webapi';
import { quoted } from '../peer/excerpt.ts';
import type { Grant, GrantedTokens, GrantRequest } from './grant.ts';
import { type IssuedClient, type KnownClient, toGrantClient, toIssuedClient } from './known-client.ts';
import { toAuthorizationError } from './oauth-failure.ts';
import { withLists } from './server-metadata.ts';

/** The identity provider of an enterprise, and how the client is known there. */
export interface IdentityProvider extends KnownClient {
  /** Its issuer, exactly as its metadata writes it. */
  readonly issuer: string;
  /** Default: the one that its OpenID Connect metadata name. */
  readonly tokenEndpoint?: string;
  /** Of the client that the user logged in to. */
  readonly clientId: string;
}

/** What enterprise-managed authorization needs. */
export interface EnterpriseAuthorizationOptions {
  readonly identityProvider: IdentityProvider;
  /** The client as the authorization server of the MCP server knows it. */
  readonly client: IssuedClient;
  /** Names the user, and tells his tokens from those of others that share a store; not sent. */
  readonly user: string;
  /** Answers the ID token of the user's login at the identity provider; it is asked for each token. */
  readonly idToken: (options: { readonly signal: AbortSignal }) => string | Promise<string>;
  /** Scopes that are asked for where the server names none. */
  readonly scopes?: readonly string[];
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

/**
 * Creates the grant of an employee whose enterprise decides which MCP servers he may use: the identity provider, where
 * he is logged in, exchanges his ID token for an assertion (ID-JAG) for the authorization server of the MCP server, and
 * that one exchanges the assertion for a token. Nobody is asked in a browser, and nothing goes to the authorization
 * endpoint of the MCP server. The ID token goes to the identity provider only. Before a token ends, both exchanges are
 * done again.
 *
 * Errors (`ClientError`): `authorization` where the MCP server wants tokens of another authorization server, and where
 * either side refuses, whose own code is then in `oauthError`; a refusal is final for that attempt.
 *
 * Spec: extensions/auth/enterprise-managed-authorization#token-exchange (2026-07-28); RFC 8693, RFC 7523 section 2.1.
 */
export function enterpriseAuthorization(options: EnterpriseAuthorizationOptions): Grant {
  const { client, user, scopes } = options;
  return {
    // Tokens of two users in one store are told apart by it.
    type: `${ID_JAG} ${user}`,
    ...(client.issuer === 'any' ? {} : { issuer: client.issuer }),
    ...(scopes === undefined ? {} : { scopes }),
    client: (server, context) => toIssuedClient(client, server, context),
    obtain: (request) => obtain(options, request),
  };
}

async function obtain(options: EnterpriseAuthorizationOptions, request: GrantRequest): Promise<GrantedTokens> {
  const { context, signal } = request;
  const idToken: unknown = await options.idToken({ signal });
  if (typeof idToken !== 'string' || idToken === '')
    throw context.fail('authorization', `there is no ID token of the user ${quoted(options.user)}.`);
  const assertion = await exchange(options.identityProvider, idToken, request);
  return request.token(JWT_BEARER, { assertion });
}

async function exchange(provider: IdentityProvider, idToken: string, request: GrantRequest): Promise<string> {
  const { context, resource, scopes, server, http, signal } = request;
  // The fetch function has the rule which URLs may go without TLS.
  const bounded = { ...http, [allowInsecureRequests]: true as const };
  const parameters: Record<string, string> = {
    requested_token_type: ID_JAG,
    audience: server.issuer,
    subject_token: idToken,
    subject_token_type: ID_TOKEN,
    ...(resource === undefined ? {} : { resource }),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  };
  try {
    const idp = await findProvider(provider, bounded);
    const { client, authentication } = await toGrantClient(provider, idp, context);
    const response = await genericTokenEndpointRequest(
      idp,
      client,
      authentication,
      TOKEN_EXCHANGE,
      parameters,
      bounded,
    );
    const answer = await processGenericTokenEndpointResponse(idp, client, response, {
      // It is no access token, so it has no such type (RFC 8693 section 2.2.1).
      recognizedTokenTypes: { n_a: () => undefined },
    });
    if (answer['issued_token_type'] === ID_JAG) return answer.access_token;
    throw context.fail(
      'authorization',
      `the identity provider ${quoted(provider.issuer)} gave no identity assertion (${ID_JAG}). ` +
        'Look whether enterprise-managed authorization is switched on there.',
    );
  } catch (error) {
    throw toAuthorizationError(context, 'the request for an assertion for this server', error, signal, {
      who: `the identity provider ${quoted(provider.issuer)}`,
      advice: ' Ask its administrator, or log in there again.',
    });
  }
}

async function findProvider(
  { issuer, tokenEndpoint }: IdentityProvider,
  http: GrantRequest['http'] & { readonly [allowInsecureRequests]: true },
): Promise<AuthorizationServer> {
  if (tokenEndpoint !== undefined) return { issuer, token_endpoint: tokenEndpoint };
  const url = new URL(issuer);
  const found = await processDiscoveryResponse(url, await discoveryRequest(url, { ...http, algorithm: 'oidc' }));
  return withLists({ ...found }) as AuthorizationServer;
}
