import type { AuthorizationServer } from 'oauth4webapi';
import { excerpt } from '../peer/excerpt.ts';
import { isRedirectListed } from './client-metadata.ts';
import type { GrantClient } from './grant.ts';
import { type KnownClient, toGrantClient } from './known-client.ts';
import { registerClient, type RegistrationSearch } from './register-client.ts';
import type { Registration } from './registration.ts';
import { storeKey } from './stored-tokens.ts';

/** A client that was registered by hand. */
export interface PreRegisteredClient extends KnownClient {
  /** The authorization server that knows it. Default: the first that it is used with, and that one only. */
  readonly issuer?: string;
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
export interface ClientSearch extends RegistrationSearch {
  /** What the MCP server is called in the store. */
  readonly server: string;
}

/** A client, with its registration where it made one. */
export interface FoundClient extends GrantClient {
  readonly registration?: Registration;
}

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
): Promise<FoundClient> {
  const { context } = search;
  const { preRegistered, metadata, redirectUri } = sources;
  if (preRegistered !== undefined) {
    await assertIssuer(search, server.issuer, preRegistered);
    return toGrantClient(preRegistered, server, context);
  }
  const offersMetadata = server['client_id_metadata_document_supported'] === true && metadata !== undefined;
  if (offersMetadata && (redirectUri === undefined || isRedirectListed(redirectUri, metadata.redirectUris))) {
    return toGrantClient({ clientId: metadata.url }, server, context);
  }
  if (server.registration_endpoint !== undefined && redirectUri !== undefined) {
    return toRegisteredClient(
      await registerClient(search, server, { name: sources.name, redirectUri }),
      server,
      context,
    );
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

/** Answers a client that has registered itself. */
export async function toRegisteredClient(
  registration: Registration,
  server: AuthorizationServer,
  context: ClientSearch['context'],
): Promise<FoundClient> {
  const { clientId, clientSecret, authMethod } = registration;
  const secret = clientSecret === undefined ? {} : { secret: clientSecret };
  return { ...(await toGrantClient({ clientId, authMethod, ...secret }, server, context)), registration };
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
