import {
  allowInsecureRequests,
  type AuthorizationServer,
  type Client,
  ClientSecretPost,
  dynamicClientRegistrationRequest,
  None,
  processDynamicClientRegistrationResponse,
} from 'oauth4webapi';
import { ClientError } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { type BoundedFetch, httpOptionsOf } from './bounded-fetch.ts';
import { applicationTypeOf, isRedirectListed, redirectKey } from './client-metadata.ts';
import { clientSecretBasic } from './client-secret-basic.ts';
import type { GrantClient } from './grant.ts';
import { toAuthorizationError } from './oauth-failure.ts';
import { textsOf } from './resource-metadata.ts';
import { readStored, storeKey } from './stored-tokens.ts';
import type { TokenStore } from './token-store.ts';

/** How a client shows at the token endpoint who it is. */
export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none';

/** A client that was registered by hand. */
export interface PreRegisteredClient {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** The authorization server that knows it. Default: the first that it is used with, and that one only. */
  readonly issuer?: string;
  /** Default: what the authorization server supports, `client_secret_basic` first. */
  readonly authMethod?: ClientAuthMethod;
}

/** What a client can be found by. */
export interface ClientSources {
  readonly preRegistered?: PreRegisteredClient | undefined;
  /** The URL of the client's metadata, and the redirect URIs that stand there. */
  readonly metadata?: { readonly url: string; readonly redirectUris: readonly string[] } | undefined;
  readonly name: string;
  readonly redirectUri: string | undefined;
}

/** What finding a client goes through. */
export interface ClientSearch {
  readonly context: PeerContext;
  readonly fetch: BoundedFetch;
  readonly store: TokenStore;
  readonly now: () => number;
  /** What the MCP server is called in the store. */
  readonly server: string;
  readonly signal: AbortSignal;
}

/** A registration as it is stored. */
interface Registration {
  readonly clientId: string;
  readonly clientSecret?: string;
  /** Seconds since 1970; 0 for never. */
  readonly expiresAt?: number;
  readonly authMethod: ClientAuthMethod;
}

const METHODS: readonly ClientAuthMethod[] = ['client_secret_basic', 'client_secret_post', 'none'];

/**
 * Finds the client for an authorization server: the pre-registered one, else the one that its metadata URL names where
 * the server supports that, else one that is registered now, or was before, under this issuer (deprecated). Rejects
 * with a `ClientError` of code `authorization` where there is none.
 *
 * Spec: basic/authorization/client-registration (2026-07-28).
 */
export async function findClient(
  search: ClientSearch,
  server: AuthorizationServer,
  sources: ClientSources,
): Promise<GrantClient> {
  const { context } = search;
  if (sources.preRegistered !== undefined) {
    await assertIssuer(search, server.issuer, sources.preRegistered);
    return clientOf(server, { ...sources.preRegistered });
  }
  const { metadata, redirectUri } = sources;
  const offersMetadata = server['client_id_metadata_document_supported'] === true && metadata !== undefined;
  if (offersMetadata && (redirectUri === undefined || isRedirectListed(redirectUri, metadata.redirectUris))) {
    return clientOf(server, { clientId: metadata.url, authMethod: 'none' });
  }
  if (server.registration_endpoint !== undefined && redirectUri !== undefined) {
    return clientOf(server, await register(search, server, { name: sources.name, redirectUri }));
  }
  const reason = offersMetadata
    ? `the redirect URI ${excerpt(redirectUri ?? '')} is not in the client's metadata`
    : 'it takes neither the URL of metadata that this client has nor registrations';
  throw context.fail(
    'authorization',
    `the authorization server ${excerpt(server.issuer)} does not know this client: ${reason}. ` +
      'Register a client there and configure its client id.',
  );
}

/** Answers the key under which a registration is stored: an issuer and where its codes go. */
export function registrationKey(issuer: string, redirectUri: string): string {
  return storeKey('client', issuer, redirectKey(redirectUri));
}

/** Spec: basic/authorization/client-registration#authorization-server-binding (2026-07-28). */
async function assertIssuer(
  { context, store, server }: ClientSearch,
  issuer: string,
  { clientId, issuer: configured }: PreRegisteredClient,
): Promise<void> {
  const key = storeKey('pre-registered', server, clientId);
  const expected = configured ?? (await store.get(key));
  if (expected === undefined) return store.set(key, issuer);
  if (expected === issuer) return;
  throw context.fail(
    'authorization',
    `its authorization server is "${excerpt(issuer)}", but the configured client is registered with ` +
      `"${excerpt(expected)}". It is not used elsewhere: register a client with the new one and configure that.`,
  );
}

function clientOf(
  server: AuthorizationServer,
  { clientId, clientSecret, authMethod }: Omit<PreRegisteredClient, 'issuer'>,
): GrantClient {
  const client: Client = { client_id: clientId };
  if (clientSecret === undefined || authMethod === 'none') return { client, authentication: None() };
  const method = authMethod ?? secretMethodOf(server);
  const authentication = method === 'client_secret_post' ? ClientSecretPost : clientSecretBasic;
  return { client, authentication: authentication(clientSecret) };
}

/** Absent, the list stands for Basic: RFC 8414 section 2. */
function secretMethodOf(server: AuthorizationServer): ClientAuthMethod {
  const supported = textsOf(server.token_endpoint_auth_methods_supported) ?? ['client_secret_basic'];
  return supported.includes('client_secret_basic') || !supported.includes('client_secret_post')
    ? 'client_secret_basic'
    : 'client_secret_post';
}

async function register(
  search: ClientSearch,
  server: AuthorizationServer,
  { name, redirectUri }: { readonly name: string; readonly redirectUri: string },
): Promise<Registration> {
  const { context, store, now, signal } = search;
  const key = registrationKey(server.issuer, redirectUri);
  return store.exclusively(key, signal, async () => {
    const known = readStored<Registration>(await store.get(key), ['clientId', 'authMethod']);
    if (known !== undefined && (known.expiresAt === undefined || known.expiresAt * 1000 > now())) {
      if (known.clientSecret !== undefined) context.learnSecret(known.clientSecret);
      return known;
    }
    const registration = await requestRegistration(search, server, { name, redirectUri });
    if (registration.clientSecret !== undefined) context.learnSecret(registration.clientSecret);
    await store.set(key, JSON.stringify(registration));
    return registration;
  });
}

async function requestRegistration(
  { context, fetch, signal }: ClientSearch,
  server: AuthorizationServer,
  { name, redirectUri }: { readonly name: string; readonly redirectUri: string },
): Promise<Registration> {
  const supported = textsOf(server.token_endpoint_auth_methods_supported);
  // A client on a user's machine keeps no secret, so it asks for none where it may.
  const asked = supported === undefined || supported.includes('none') ? 'none' : secretMethodOf(server);
  const metadata = {
    client_name: name,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: asked,
    application_type: applicationTypeOf(redirectUri),
  };
  try {
    const response = await dynamicClientRegistrationRequest(server, metadata, {
      ...httpOptionsOf(fetch, signal),
      [allowInsecureRequests]: true,
    });
    const answer = await processDynamicClientRegistrationResponse(await asCreated(response));
    const { client_id: clientId, client_secret: clientSecret, client_secret_expires_at: expiresAt } = answer;
    const given = METHODS.find((method) => method === answer.token_endpoint_auth_method);
    return {
      clientId,
      ...(typeof clientSecret === 'string' && clientSecret !== '' ? { clientSecret } : {}),
      ...(typeof expiresAt === 'number' && expiresAt > 0 ? { expiresAt } : {}),
      authMethod: clientSecret === undefined || clientSecret === '' ? 'none' : (given ?? secretMethodOf(server)),
    };
  } catch (error) {
    throw withRedirectAdvice(context, toAuthorizationError(context, 'the registration', error, signal), redirectUri);
  }
}

/** Spec: basic/authorization/client-registration#application-type-and-redirect-uri-constraints (2026-07-28). */
function withRedirectAdvice(context: PeerContext, error: unknown, redirectUri: string): unknown {
  const isAboutRedirect =
    error instanceof ClientError &&
    (error.oauthError === 'invalid_redirect_uri' || error.oauthError === 'invalid_client_metadata');
  if (!isAboutRedirect) return error;
  const said = error.message.replace(/^MCP server ".*?": /, '');
  return context.fail(
    'authorization',
    `${said} It was told of the redirect URI ${excerpt(redirectUri)} of a ${applicationTypeOf(redirectUri)} application: ` +
      'use one that it takes, or register a client there and configure its client id.',
    error.oauthError === undefined ? {} : { oauthError: error.oauthError },
  );
}

/** Some answer 200, and leave out that a secret does not expire; what they gave is as good. */
async function asCreated(response: Response): Promise<Response> {
  if (response.status !== 200 && response.status !== 201) return response;
  let body: unknown;
  try {
    body = await response.clone().json();
  } catch {
    // Said by who reads it.
    return response;
  }
  return new Response(JSON.stringify({ client_secret_expires_at: 0, ...(body as object) }), {
    status: 201,
    headers: response.headers,
  });
}
