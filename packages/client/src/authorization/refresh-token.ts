import type { AuthorizationServer } from 'oauth4webapi';
import { ClientError } from '../peer/client-error.ts';
import type { Challenge } from '../http/parse-challenges.ts';
import { findClient, type FoundClient, toRegisteredClient } from './client-registration.ts';
import { findOriginServer } from './discovery.ts';
import type { GrantedTokens } from './grant.ts';
import { forgetUnknown } from './register-client.ts';
import { findResourceMetadata } from './resource-metadata.ts';
import { findServerMetadata, isNoServerMetadata } from './server-metadata.ts';
import { isExpired, membersOf, type StoredTokens } from './stored-tokens.ts';
import { requestToken } from './token-request.ts';
import type { TokenWork } from './token-work.ts';

/** What a refresh starts from. */
export interface RefreshRequest {
  /** Those of the refusal that led to it, which say where metadata is. */
  readonly challenges: readonly Challenge[];
  readonly signal: AbortSignal;
}

/**
 * With these an authorization server says that the refresh token or the client is not good any more; the rest may pass.
 */
const FOR_GOOD: ReadonlySet<unknown> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/**
 * Creates the function that refreshes the token, or takes what another process refreshed it to. It answers `false`
 * where it cannot be: there is no refresh token, it is not taken any more, or the MCP server has moved to another
 * authorization server. Where that cannot be told, it looks where the server and the token endpoint are now, and tries
 * once more where they moved; else it rejects, and the refresh token stays.
 *
 * Spec: RFC 6749 section 6; basic/authorization/authorization-server-discovery (2026-07-28).
 */
export function createRefresh(work: TokenWork): (request: RefreshRequest) => Promise<boolean> {
  const { context, fetch, store, server, grant, sources, now, keeper, known, serverName } = work;
  let movedAway: string | undefined;

  return async (request) => {
    const { signal } = request;
    const logouts = keeper.logouts();
    const used = keeper.live()?.tokens;
    if (used === undefined || used.accessToken === movedAway) return false;
    return store.exclusively(keeper.key, signal, async () => {
      const over = await keeper.read();
      const { tokens } = over;
      if (tokens === undefined) {
        // The user logged out in another process.
        if (logouts === keeper.logouts()) keeper.drop();
        return false;
      }
      if (tokens.accessToken !== used.accessToken && !isExpired(tokens, now())) {
        await keeper.use(tokens, logouts);
        return true;
      }
      const { refreshToken, expiresAt: _, ...rest } = tokens;
      if (refreshToken === undefined) return false;
      try {
        const granted = await askTwice({ ...tokens, refreshToken }, request);
        if (granted === undefined) return false;
        const fresh = { ...rest, refreshToken, ...membersOf(granted, now()) };
        await keeper.keep(fresh, { over, wins: false, logouts, signal });
        return true;
      } catch (error) {
        if (!isRefusedForGood(error)) throw error;
        await forgetUnknown(work, { ...tokens, redirectUri: grant.redirectUri }, error);
        const { refreshToken: _spent, ...spent } = tokens;
        await keeper.keep(spent, { over, wins: false, logouts, signal });
        // Unless the user has signed in anew meanwhile, elsewhere.
        return keeper.live()?.tokens.accessToken !== tokens.accessToken;
      }
    });
  };

  /** Answers `undefined` where there is nobody to ask. */
  async function askTwice(
    tokens: StoredTokens & { readonly refreshToken: string },
    request: RefreshRequest,
  ): Promise<GrantedTokens | undefined> {
    try {
      return await ask(tokens, await serverOf(tokens, request.signal), request.signal);
    } catch (error) {
      if (request.signal.aborted || isRefusedForGood(error)) throw error;
      const before = known.get(tokens.issuer)?.token_endpoint;
      const found = await findAgain(tokens, request);
      if (found === 'moved away') {
        movedAway = tokens.accessToken;
        return undefined;
      }
      if (found === undefined || found.token_endpoint === before) throw error;
      known.set(tokens.issuer, found);
      return ask(tokens, found, request.signal);
    }
  }

  async function ask(
    tokens: StoredTokens & { readonly refreshToken: string },
    authorizationServer: AuthorizationServer,
    signal: AbortSignal,
  ): Promise<GrantedTokens | undefined> {
    const client = await clientOf(tokens, authorizationServer, signal);
    if (client.client.client_id !== tokens.clientId) return undefined;
    return requestToken(context, fetch, {
      server: authorizationServer,
      client,
      grantType: 'refresh_token',
      parameters: { refresh_token: tokens.refreshToken, resource: tokens.resource },
      dpop: tokens.dpopJwk === undefined ? undefined : await keeper.keyOf(tokens.dpopJwk),
      mustBeBound: tokens.tokenType === 'dpop',
      signal,
    });
  }

  async function clientOf(
    { registration }: StoredTokens,
    authorizationServer: AuthorizationServer,
    signal: AbortSignal,
  ): Promise<FoundClient> {
    if (grant.client !== undefined) return grant.client(authorizationServer, context);
    if (registration !== undefined && sources.preRegistered === undefined) {
      return toRegisteredClient(registration, authorizationServer, context);
    }
    return findClient({ context, fetch, store, now, server: serverName, signal }, authorizationServer, sources);
  }

  async function serverOf(tokens: StoredTokens, signal: AbortSignal): Promise<AuthorizationServer> {
    const { issuer, isLegacy } = tokens;
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

  /** Answers where the authorization server is now; `undefined` where that cannot be told, either. */
  async function findAgain(
    { issuer }: StoredTokens,
    { challenges, signal }: RefreshRequest,
  ): Promise<AuthorizationServer | 'moved away' | undefined> {
    try {
      const metadata = await findResourceMetadata(context, fetch, { server, challenges, signal });
      if (!('failures' in metadata) && !metadata.authorizationServers.includes(issuer)) return 'moved away';
      const found = await findServerMetadata(context, fetch, { issuer, server, signal });
      return isNoServerMetadata(found) ? undefined : found;
    } catch {
      signal.throwIfAborted();
      // Why the refresh failed says more.
      return undefined;
    }
  }
}

function isRefusedForGood(error: unknown): boolean {
  if (!(error instanceof ClientError) || !FOR_GOOD.has(error.oauthError)) return false;
  const { status = 400 } = error;
  return status < 500 && status !== 429;
}
