import {
  allowInsecureRequests,
  type AuthorizationServer,
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
} from 'oauth4webapi';
import { ClientError } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { type BoundedFetch, httpOptionsOf } from './bounded-fetch.ts';
import { applicationTypeOf, redirectKey } from './client-metadata.ts';
import { type ClientAuthMethod, secretMethodOf } from './known-client.ts';
import { toAuthorizationError } from './oauth-failure.ts';
import type { Registration } from './registration.ts';
import { readStored, storeKey } from './stored-tokens.ts';
import type { TokenStore } from './token-store.ts';

/** A registration as it is stored. */
interface StoredRegistration extends Registration {
  /** The redirect URI of a sign-in that has not come back: the server may have forgotten the client. */
  readonly doubtedFrom?: string;
  /** Whether the server may compare redirect URIs with their ports, which RFC 8252 section 7.3 has it not do. */
  readonly isExact?: boolean;
}

/** What registering goes through. */
export interface RegistrationSearch {
  readonly context: PeerContext;
  readonly fetch: BoundedFetch;
  readonly store: TokenStore;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** What users are shown, and where the browser goes. */
interface RegistrationRequest {
  readonly name: string;
  readonly redirectUri: string;
}

const METHODS: readonly ClientAuthMethod[] = ['client_secret_basic', 'client_secret_post', 'none'];

/** Answers the key under which a registration is stored: an issuer and where its codes go. */
export function registrationKey(issuer: string, redirectUri: string): string {
  return storeKey('client', issuer, redirectKey(redirectUri));
}

/**
 * Answers the registration of this client with an authorization server, which is made where there is none that can be
 * used: it has expired, the last sign-in with it never came back, or what the store has is damaged. Rejects with a
 * `ClientError` of code `authorization`.
 */
export async function registerClient(
  search: RegistrationSearch,
  server: AuthorizationServer,
  { name, redirectUri }: RegistrationRequest,
): Promise<Registration> {
  const { context, store, now, signal } = search;
  const key = registrationKey(server.issuer, redirectUri);
  return store.exclusively(key, signal, async () => {
    const known = await readRegistration(store, key);
    if (known !== undefined && isUsable(known, redirectUri, now())) {
      if (known.clientSecret !== undefined) context.learnSecret(known.clientSecret);
      return toRegistration(known);
    }
    const registration = await requestRegistration(search, server, { name, redirectUri });
    if (registration.clientSecret !== undefined) context.learnSecret(registration.clientSecret);
    const isExact = known?.isExact === true || (known?.doubtedFrom ?? known?.redirectUri) !== known?.redirectUri;
    await store.set(key, JSON.stringify({ ...registration, isExact } satisfies StoredRegistration));
    return registration;
  });
}

/**
 * Runs a user's sign-in with a registration. Until he comes back the registration is in doubt, also where this process
 * ends before: an authorization server shows those whom it does not know an error page and sends nobody back.
 */
export async function withDoubt<T>(
  { store, signal }: Pick<RegistrationSearch, 'store' | 'signal'>,
  { issuer, redirectUri, registration }: { issuer: string; redirectUri: string; registration: Registration },
  signIn: () => Promise<T>,
): Promise<T> {
  const key = registrationKey(issuer, redirectUri);
  await mark({ doubtedFrom: redirectUri });
  const answer = await signIn();
  // What the user did counts more than what can be written; in doubt the client is registered anew the next time.
  await mark({}).catch(() => undefined);
  return answer;

  function mark(doubt: Pick<StoredRegistration, 'doubtedFrom'>): Promise<void> {
    return store.exclusively(key, signal, async () => {
      const known = await readRegistration(store, key);
      if (known?.clientId !== registration.clientId) return;
      const { doubtedFrom: _, ...rest } = known;
      await store.set(key, JSON.stringify({ ...rest, ...doubt } satisfies StoredRegistration));
    });
  }
}

/**
 * Forgets the registration of a client that its authorization server says it does not know, so that it is made anew.
 */
export async function forgetUnknown(
  { store }: Pick<RegistrationSearch, 'store'>,
  { issuer, clientId, redirectUri }: { issuer: string; clientId: string; redirectUri: string | undefined },
  error: unknown,
): Promise<void> {
  if (!(error instanceof ClientError) || error.oauthError !== 'invalid_client' || redirectUri === undefined) return;
  const key = registrationKey(issuer, redirectUri);
  if ((await readRegistration(store, key))?.clientId === clientId) await store.delete(key);
}

/** What is damaged is as good as gone: a client can be registered anew. */
async function readRegistration(store: TokenStore, key: string): Promise<StoredRegistration | undefined> {
  try {
    return readStored<StoredRegistration>(await store.get(key), ['clientId', 'authMethod', 'redirectUri']);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'corrupt') throw error;
    await store.delete(key);
    return undefined;
  }
}

function isUsable(known: StoredRegistration, redirectUri: string, now: number): boolean {
  const { expiresAt, doubtedFrom, isExact, redirectUri: registered } = known;
  if (doubtedFrom !== undefined || (isExact === true && registered !== redirectUri)) return false;
  return expiresAt === undefined || expiresAt * 1000 > now;
}

function toRegistration({ doubtedFrom: _doubt, isExact: _exact, ...registration }: StoredRegistration): Registration {
  return registration;
}

async function requestRegistration(
  { context, fetch, signal }: RegistrationSearch,
  server: AuthorizationServer,
  { name, redirectUri }: RegistrationRequest,
): Promise<Registration> {
  const supported = server.token_endpoint_auth_methods_supported;
  // A client on a user's machine keeps no secret, so it asks for none where it may.
  const isPublic = supported === undefined || supported.includes('none');
  const method = secretMethodOf(server) ?? 'client_secret_basic';
  const metadata = {
    client_name: name,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: isPublic ? 'none' : method,
    application_type: applicationTypeOf(redirectUri),
  };
  try {
    const response = await dynamicClientRegistrationRequest(server, metadata, {
      ...httpOptionsOf(fetch, signal),
      [allowInsecureRequests]: true,
    });
    const answer = await processDynamicClientRegistrationResponse(await asCreated(response));
    const { client_id: clientId, client_secret: clientSecret, client_secret_expires_at: expiresAt } = answer;
    const given = METHODS.find((each) => each === answer.token_endpoint_auth_method);
    return {
      clientId,
      ...(typeof clientSecret === 'string' && clientSecret !== '' ? { clientSecret } : {}),
      ...(typeof expiresAt === 'number' && expiresAt > 0 ? { expiresAt } : {}),
      authMethod: clientSecret === undefined || clientSecret === '' ? 'none' : (given ?? method),
      redirectUri,
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
  return context.fail(
    'authorization',
    `${error.reason} It was told of the redirect URI ${excerpt(redirectUri)} of a ${applicationTypeOf(redirectUri)} application: ` +
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
