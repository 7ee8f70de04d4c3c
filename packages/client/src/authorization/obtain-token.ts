import type { Challenge } from '../http/parse-challenges.ts';
import { httpOptionsOf } from './bounded-fetch.ts';
import { findClient, type FoundClient } from './client-registration.ts';
import { discover, type Discovery } from './discovery.ts';
import { type DpopKey, openDpopKey } from './dpop-key.ts';
import type { GrantedTokens, GrantRequest } from './grant.ts';
import { forgetUnknown, withDoubt } from './register-client.ts';
import { boundedUnion, unionOf } from './scopes.ts';
import { isExpired, membersOf, type StoredTokens } from './stored-tokens.ts';
import { requestToken } from './token-request.ts';
import type { TokenWork } from './token-work.ts';

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
  readonly asksUser: GrantRequest['asksUser'];
}

/** What an authorization server is asked for. */
interface Asked extends ObtainRequest {
  readonly found: Discovery;
  readonly client: FoundClient;
  readonly dpop: DpopKey | undefined;
  readonly scopes: readonly string[];
}

/** Creates the function that finds the authorization server, gets known there, and obtains and keeps a token. */
export function createObtain(work: TokenWork): (request: ObtainRequest) => Promise<void> {
  const { context, fetch, store, server, grant, sources, now, keeper, known, serverName } = work;
  const isForUser = grant.redirectUri !== undefined;

  return async (request) => {
    const { signal } = request;
    const logouts = keeper.logouts();
    const over = await keeper.begin(signal);
    const preferred = [grant.issuer, sources.preRegistered?.issuer, keeper.live()?.tokens.issuer].filter(
      (issuer) => issuer !== undefined,
    );
    const found = await discover(context, fetch, { server, challenges: request.challenges, preferred, signal });
    const { issuer } = found.server;
    known.clear();
    known.set(issuer, found.server);
    const client = await clientFor(found, signal);
    const place = { issuer, clientId: client.client.client_id, resource: found.resource };
    const earlier = await readEarlier(place);
    if (!request.mustAsk && earlier !== undefined && isOther(earlier, request)) return keeper.use(earlier, logouts);
    const scopes = scopesFor(request, found, earlier);
    const { dpopJwk } = earlier ?? {};
    const dpop = bindsToKey(found) ? await (dpopJwk === undefined ? openDpopKey() : keeper.keyOf(dpopJwk)) : undefined;
    const granted = await ask({ ...request, found, client, dpop, scopes });
    const tokens: StoredTokens = {
      ...place,
      scopes,
      ...(found.isLegacy ? { isLegacy: true } : {}),
      ...(granted.tokenType === 'dpop' && dpop !== undefined ? { dpopJwk: dpop.jwk } : {}),
      ...(client.registration === undefined ? {} : { registration: client.registration }),
      ...membersOf(granted, now()),
    };
    await keeper.keep(tokens, { over, wins: true, logouts, signal });
  };

  function clientFor(
    { server: authorizationServer }: Discovery,
    signal: AbortSignal,
  ): FoundClient | Promise<FoundClient> {
    if (grant.client !== undefined) return grant.client(authorizationServer, context);
    return findClient({ context, fetch, store, now, server: serverName, signal }, authorizationServer, sources);
  }

  /** What was granted elsewhere, to another client or for another resource says nothing here. */
  async function readEarlier(place: Pick<StoredTokens, 'issuer' | 'clientId' | 'resource'>) {
    const { tokens } = await keeper.read();
    const isHere = (['issuer', 'clientId', 'resource'] as const).every((name) => tokens?.[name] === place[name]);
    return isHere ? tokens : undefined;
  }

  function isOther(earlier: StoredTokens, { refused }: ObtainRequest): boolean {
    return !isExpired(earlier, now()) && earlier.accessToken !== refused;
  }

  async function ask(asked: Asked): Promise<GrantedTokens> {
    const { found, client, dpop, signal } = asked;
    const { server: authorizationServer, resource } = found;
    const { issuer } = authorizationServer;
    const offersOffline = authorizationServer.scopes_supported?.includes('offline_access') === true;
    const scopes = unionOf(asked.scopes, isForUser && offersOffline ? ['offline_access'] : []);
    const mustBeBound = work.dpop === true || found.requiresDpop;
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
        asksUser(signIn) {
          const { registration } = client;
          const { redirectUri } = grant;
          if (registration === undefined || redirectUri === undefined) return asked.asksUser(signIn);
          return withDoubt({ store, signal }, { issuer, redirectUri, registration }, () => asked.asksUser(signIn));
        },
        token(grantType, parameters, { withoutScope = false } = {}) {
          const scope = withoutScope || scopes.length === 0 ? {} : { scope: scopes.join(' ') };
          const all = { resource, ...scope, ...parameters };
          const to = { server: authorizationServer, client, dpop, mustBeBound, signal };
          return requestToken(context, fetch, { ...to, grantType, parameters: all });
        },
      });
    } catch (error) {
      await forgetUnknown(work, { issuer, clientId: client.client.client_id, redirectUri: grant.redirectUri }, error);
      throw error;
    }
  }

  function bindsToKey({ server: authorizationServer, acceptsDpop, requiresDpop }: Discovery): boolean {
    if (work.dpop === false) {
      if (!requiresDpop) return false;
      throw context.fail('authorization', 'it takes only tokens that are bound to a key: set dpop to true.');
    }
    const supported = authorizationServer['dpop_signing_alg_values_supported'];
    const isSupported = Array.isArray(supported) && supported.includes('ES256');
    if (work.dpop === true || requiresDpop) {
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
    // Without a user nobody sees how they add up, so only an operation that lacks one keeps those before.
    const kept = isForUser || mustAsk ? (earlier?.scopes ?? []) : [];
    const configured = unionOf(work.scopes, grant.scopes ?? []);
    const asked = unionOf(kept, configured, challenged);
    // A server that wants more but does not say what can only want what it publishes.
    const wantsUnnamed = mustAsk && refused !== undefined && challenged.length === 0;
    const all = asked.length === 0 || wantsUnnamed ? unionOf(asked, scopesSupported) : asked;
    const allowed = boundedUnion(configured, challenged, kept, scopesSupported);
    return all.filter((scope) => allowed.has(scope));
  }
}
