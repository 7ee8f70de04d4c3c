import {
  createMemoryTokenStore,
  createOAuthCredentials,
  type OAuthCredentialsOptions,
  type TokenStore,
} from '../../src/authorization/index.ts';
import { createWorld, guard, scriptAuthorizationServer, type Verdict } from './scripted-world.ts';

/** An MCP server that takes the newest token only, and an authorization server whose refresh tokens are good once. */
export function setUpRotation(options: Partial<OAuthCredentialsOptions> = {}) {
  const world = createWorld();
  const server = scriptAuthorizationServer(world);
  const state = { newest: '', refresh: '', count: 0, asked: Promise.resolve(), tokenType: 'Bearer' };
  const token: typeof server.token = ({ form }) => {
    const isRefresh = form.get('grant_type') === 'refresh_token';
    if (isRefresh && form.get('refresh_token') !== state.refresh) {
      return Response.json({ error: 'invalid_grant' }, { status: 400 });
    }
    state.count += 1;
    state.newest = `access-token-number-${state.count}`;
    state.refresh = `refresh-token-number-${state.count}`;
    const tokens = { access_token: state.newest, refresh_token: state.refresh, token_type: state.tokenType };
    return { ...tokens, expires_in: 3600 };
  };
  server.token = token;
  const mcp = guard(world, (authorization): Verdict =>
    authorization.endsWith(` ${state.newest}`) ? undefined : { status: 401, challenge: 'Bearer' },
  );
  const store: TokenStore = createMemoryTokenStore();
  const all = { serverUrl: mcp.url, redirect: server.redirect, fetch: world.fetch, store, ...options };
  return {
    world,
    server,
    state,
    token,
    mcp,
    all,
    credentials: createOAuthCredentials(all),
    /** Has the MCP server refuse the newest token, so that the next call refreshes. */
    dropToken: () => (state.newest = `none of them ${state.count}`),
    /** What another process, which starts now, sends. */
    sentAnew: async () => {
      const { signal } = new AbortController();
      return createOAuthCredentials(all).fieldsFor({ httpMethod: 'POST', url: mcp.url, signal });
    },
  };
}

/** Has requests to a URL wait, and tells when one does. */
export function holdUp(fetch: ReturnType<typeof createWorld>['fetch'], url: string) {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let isOpen = true;
  const held: typeof fetch = async (asked, init) => {
    const answer = await fetch(asked, init);
    if (isOpen || asked !== url) return answer;
    reached.resolve();
    await gate.promise;
    return answer;
  };
  return {
    fetch: held,
    close: () => (isOpen = false),
    reached: reached.promise,
    open: () => ((isOpen = true), gate.resolve()),
  };
}
