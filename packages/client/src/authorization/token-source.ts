import type { JWK } from 'jose';
import type { AuthorizationServer } from 'oauth4webapi';
import { ClientError } from '../peer/client-error.ts';
import { digestOf } from '../peer/digest.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { type BoundedFetch, httpOptionsOf } from './bounded-fetch.ts';
import { type ClientSources, findClient, registrationKey } from './client-registration.ts';
import { discover, type Discovery, findOriginServer } from './discovery.ts';
import { type DpopKey, openDpopKey } from './dpop-key.ts';
import type { Grant, GrantClient, GrantedTokens } from './grant.ts';
import type { Challenge } from '../http/parse-challenges.ts';
import { parseScope, unionOf } from './scopes.ts';
import { findServerMetadata, isNoServerMetadata } from './server-metadata.ts';
import { readStored, readTokens, storeKey, type StoredPlace, type StoredTokens } from './stored-tokens.ts';
import { requestToken } from './token-request.ts';
import type { TokenStore } from './token-store.ts';

/** Whether tokens are bound to a key. */
export type DpopUse = boolean | 'when-supported';

/** What tokens are obtained with. */
export interface TokenSourceOptions {
  readonly context: PeerContext;
  readonly fetch: BoundedFetch;
  readonly store: TokenStore;
  readonly server: URL;
  readonly grant: Grant;
  readonly sources: ClientSources;
  /** What is always asked for. */
  readonly scopes: readonly string[];
  readonly dpop: DpopUse;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A token that can be used. */
export interface LiveToken {
  readonly tokens: StoredTokens;
  readonly key: DpopKey | undefined;
  /** As `HttpCredentials.principal`. */
  readonly principal: string;
}

/** Why a token is obtained. */
export interface ObtainRequest {
  readonly challenges: readonly Challenge[];
  /** The scopes that the challenge names. */
  readonly challenged: readonly string[];
  /** The token that was refused, if any: one of another process, that is another one, is taken instead of asking. */
  readonly refused: string | undefined;
  /** Whether the refused token is good but for its scopes, or the user wants to sign in anew. */
  readonly mustAsk: boolean;
  readonly signal: AbortSignal;
}

/** The one place that obtains, refreshes and keeps tokens. Each function runs once at a time. */
export interface TokenSource {
  /** Answers what is used now. */
  live(): LiveToken | undefined;
  /** Takes what the store has, if it has anything. */
  load(): Promise<void>;
  /**
   * Refreshes the token, or takes what another process refreshed it to. Answers `false` where it cannot be: there is no
   * refresh token, or it is not taken any more. Rejects where that cannot be told.
   */
  refresh(signal: AbortSignal): Promise<boolean>;
  obtain(request: ObtainRequest): Promise<void>;
  /** Forgets the token, here and in the store, and where wanted what the client is registered as. */
  forget(options: { readonly forgetClient?: boolean }): Promise<void>;
}

const CONNECTION_KINDS = ['issuer', 'clientId', 'resource'] as const;

/** Creates the source of tokens for one server and one grant. */
export function createTokenSource(options: TokenSourceOptions): TokenSource {
  const { context, fetch, store, server, grant, sources, now } = options;
  // A query may hold a key, and names in a store are no secrets.
  const query = server.search === '' ? '' : `?${digestOf('server query', server.search)}`;
  const serverName = server.origin + server.pathname + query;
  const placeKey = storeKey('place', serverName, grant.type);
  const known = new Map<string, AuthorizationServer>();
  let live: LiveToken | undefined;

  return { live: () => live, load, refresh, obtain, forget };

  async function load(): Promise<void> {
    const place = readStored<StoredPlace>(await store.get(placeKey), CONNECTION_KINDS);
    const tokens = place === undefined ? undefined : readTokens(await store.get(tokensKey(place)));
    if (tokens !== undefined) await use(tokens);
  }

  async function forget({ forgetClient: withClient = false }: { readonly forgetClient?: boolean }): Promise<void> {
    // A token that cannot be read any more is deleted, too.
    const place = live?.tokens ?? readStored<StoredPlace>(await store.get(placeKey), CONNECTION_KINDS);
    if (place !== undefined) await store.delete(tokensKey(place));
    if (withClient && place !== undefined && grant.redirectUri !== undefined) {
      await store.delete(registrationKey(place.issuer, grant.redirectUri));
    }
    await store.delete(placeKey);
    live = undefined;
  }

  function tokensKey({ issuer, clientId, resource }: StoredPlace): string {
    return storeKey('tokens', issuer, clientId, resource, grant.type);
  }

  async function use(tokens: StoredTokens): Promise<void> {
    context.learnSecret(tokens.accessToken);
    if (tokens.refreshToken !== undefined) context.learnSecret(tokens.refreshToken);
    const { issuer, clientId, resource, accessToken, dpopJwk } = tokens;
    live = {
      tokens,
      key: dpopJwk === undefined ? undefined : await keyOf(dpopJwk),
      // Another access token is another authorization context: it may allow less than the one before.
      principal: digestOf('oauth principal', JSON.stringify([issuer, clientId, resource, grant.type, accessToken])),
    };
  }

  /** The key that is open already remembers the nonces that servers gave. */
  async function keyOf(jwk: JWK): Promise<DpopKey> {
    return live?.key !== undefined && live.key.jwk.d === jwk.d ? live.key : openDpopKey(jwk);
  }

  async function keep(tokens: StoredTokens): Promise<void> {
    const { issuer, clientId, resource } = tokens;
    await store.set(tokensKey(tokens), JSON.stringify(tokens));
    await store.set(placeKey, JSON.stringify({ issuer, clientId, resource } satisfies StoredPlace));
    await use(tokens);
  }

  function isExpired({ expiresAt }: StoredTokens): boolean {
    return expiresAt !== undefined && expiresAt <= now();
  }

  async function clientFor(authorizationServer: AuthorizationServer, signal: AbortSignal): Promise<GrantClient> {
    if (grant.client !== undefined) return grant.client(authorizationServer, context);
    const search = { context, fetch, store, now, server: serverName, signal };
    return findClient(search, authorizationServer, sources);
  }

  async function refresh(signal: AbortSignal): Promise<boolean> {
    if (live === undefined) return false;
    const { tokens: used } = live;
    const key = tokensKey(used);
    return store.exclusively(key, signal, async () => {
      const tokens = readTokens(await store.get(key));
      // Another process refreshed it, or the user was signed out there.
      if (tokens === undefined) return false;
      if (tokens.accessToken !== used.accessToken && !isExpired(tokens)) {
        await use(tokens);
        return true;
      }
      if (tokens.refreshToken === undefined) return false;
      const authorizationServer = await serverOf(tokens, signal);
      const client = await clientFor(authorizationServer, signal);
      if (client.client.client_id !== tokens.clientId) return false;
      const dpop = tokens.dpopJwk === undefined ? undefined : await keyOf(tokens.dpopJwk);
      try {
        const granted = await requestToken(context, fetch, {
          server: authorizationServer,
          client,
          grantType: 'refresh_token',
          parameters: { refresh_token: tokens.refreshToken, resource: tokens.resource },
          dpop,
          mustBeBound: tokens.tokenType === 'dpop',
          signal,
        });
        // The user signed in anew meanwhile.
        if (live !== undefined && live.tokens.accessToken !== used.accessToken) return true;
        const { expiresAt: _, ...rest } = tokens;
        await keep({ ...rest, ...timesOf(granted), ...membersOf(granted) });
        return true;
      } catch (error) {
        if (!isRefusedForGood(error)) throw error;
        await forgetClient(tokens.issuer, error);
        const { refreshToken: _, ...rest } = tokens;
        await keep(rest);
        return false;
      }
    });
  }

  /** A registration that the authorization server does not know any more is made anew the next time. */
  async function forgetClient(issuer: string, error: unknown): Promise<void> {
    const isUnknown = error instanceof ClientError && error.oauthError === 'invalid_client';
    if (isUnknown && grant.redirectUri !== undefined) await store.delete(registrationKey(issuer, grant.redirectUri));
  }

  async function serverOf({ issuer, isLegacy }: StoredTokens, signal: AbortSignal): Promise<AuthorizationServer> {
    const cached = known.get(issuer);
    if (cached !== undefined) return cached;
    if (isLegacy === true && issuer === server.origin) return findOriginServer(context, fetch, { server, signal });
    const found = await findServerMetadata(context, fetch, { issuer, server, signal });
    if (isNoServerMetadata(found)) {
      throw context.fail('authorization', `its authorization server is not usable: ${found.failure}`);
    }
    known.set(issuer, found);
    return found;
  }

  async function obtain(request: ObtainRequest): Promise<void> {
    const { signal } = request;
    const preferred = [grant.issuer, sources.preRegistered?.issuer, live?.tokens.issuer].filter(
      (issuer) => issuer !== undefined,
    );
    const found = await discover(context, fetch, { server, challenges: request.challenges, preferred, signal });
    const { issuer } = found.server;
    known.clear();
    known.set(issuer, found.server);
    const client = await clientFor(found.server, signal);
    const clientId = client.client.client_id;
    const place = { issuer, clientId, resource: found.resource };
    const earlier = readTokens(await store.get(tokensKey(place)));
    if (!request.mustAsk && earlier !== undefined && !isExpired(earlier) && earlier.accessToken !== request.refused) {
      return keep(earlier);
    }
    const scopes = scopesFor(request, found, earlier);
    const isBound = bindsToKey(found);
    const dpop = isBound ? await (earlier?.dpopJwk === undefined ? openDpopKey() : keyOf(earlier.dpopJwk)) : undefined;
    const granted = await ask({ found, client, dpop, scopes, signal });
    const dpopJwk = granted.tokenType === 'dpop' && dpop !== undefined ? { dpopJwk: dpop.jwk } : {};
    await keep({
      ...place,
      scopes,
      ...(found.isLegacy ? { isLegacy: true } : {}),
      ...dpopJwk,
      ...timesOf(granted),
      ...membersOf(granted),
    });
  }

  async function ask(asked: {
    readonly found: Discovery;
    readonly client: GrantClient;
    readonly dpop: DpopKey | undefined;
    readonly scopes: readonly string[];
    readonly signal: AbortSignal;
  }): Promise<GrantedTokens> {
    const { found, client, dpop, signal } = asked;
    const { server: authorizationServer, resource } = found;
    const offersOffline = authorizationServer.scopes_supported?.includes('offline_access') === true;
    const isForUser = grant.redirectUri !== undefined;
    const scopes = unionOf(asked.scopes, isForUser && offersOffline ? ['offline_access'] : []);
    const mustBeBound = options.dpop === true || found.requiresDpop;
    try {
      return await grant.obtain({
        server: authorizationServer,
        client,
        resource,
        scopes,
        signal,
        context,
        http: httpOptionsOf(fetch, signal),
        ...(dpop === undefined ? {} : { dpop: dpop.handle }),
        token(grantType, parameters, { withoutScope = false } = {}) {
          const scope = withoutScope || scopes.length === 0 ? {} : { scope: scopes.join(' ') };
          const all = { resource, ...scope, ...parameters };
          const to = { server: authorizationServer, client, dpop, mustBeBound, signal };
          return requestToken(context, fetch, { ...to, grantType, parameters: all });
        },
      });
    } catch (error) {
      await forgetClient(authorizationServer.issuer, error);
      throw error;
    }
  }

  function bindsToKey({ server: authorizationServer, acceptsDpop, requiresDpop }: Discovery): boolean {
    if (options.dpop === false) {
      if (!requiresDpop) return false;
      throw context.fail('authorization', 'it takes only tokens that are bound to a key: set dpop to true.');
    }
    const supported = authorizationServer['dpop_signing_alg_values_supported'];
    const isSupported = Array.isArray(supported) && supported.includes('ES256');
    if (options.dpop === true || requiresDpop) {
      if (isSupported || supported === undefined) return true;
      throw context.fail('authorization', 'its authorization server binds no token to an ES256 key (DPoP).');
    }
    return isSupported && acceptsDpop;
  }

  /** Spec: basic/authorization#scope-selection-strategy, #step-up-authorization-flow (2026-07-28). */
  function scopesFor(
    { challenged, mustAsk, refused }: ObtainRequest,
    { scopesSupported = [] }: Discovery,
    earlier: StoredTokens | undefined,
  ): readonly string[] {
    const asked = unionOf(earlier?.scopes ?? [], options.scopes, grant.scopes ?? [], challenged);
    // A server that wants more but does not say what can only want what it publishes.
    const wantsUnnamed = mustAsk && refused !== undefined && challenged.length === 0;
    return asked.length === 0 || wantsUnnamed ? unionOf(asked, scopesSupported) : asked;
  }

  function timesOf({ expiresIn }: GrantedTokens): Pick<StoredTokens, 'obtainedAt' | 'expiresAt'> {
    const obtainedAt = now();
    return expiresIn === undefined ? { obtainedAt } : { obtainedAt, expiresAt: obtainedAt + expiresIn * 1000 };
  }
}

function membersOf(
  granted: GrantedTokens,
): Pick<StoredTokens, 'accessToken' | 'tokenType' | 'refreshToken' | 'granted'> {
  const { accessToken, tokenType, refreshToken, scope } = granted;
  return {
    accessToken,
    tokenType,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(scope === undefined ? {} : { granted: parseScope(scope) }),
  };
}

/** What an authorization server says in words of OAuth it means; anything else may pass. */
function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof ClientError) || error.oauthError === undefined) return false;
  const { status = 400 } = error;
  const isBusy = error.oauthError === 'temporarily_unavailable' || error.oauthError === 'server_error';
  return status < 500 && status !== 429 && !isBusy;
}
