import { describe, expect, it } from 'vitest';
import { createMemoryTokenStore, createOAuthCredentials, type TokenStore } from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { createWorld, guard, scriptAuthorizationServer, wantsToken } from './scripted-world.ts';
import { holdUp, setUpRotation } from './rotating-world.ts';

const tokenUrl = 'https://as.kiln.test/token';

/** A store of which every key can be seen. */
function watchedStore() {
  const memory = createMemoryTokenStore();
  const keys = new Set<string>();
  const store: TokenStore = {
    ...memory,
    set: (key, value) => (keys.add(key), memory.set(key, value)),
    delete: (key) => (keys.delete(key), memory.delete(key)),
  };
  return { store, keys, memory };
}

describe('a logout', () => {
  it.each(['the same process', 'another process'])('of %s ends in no token while one is refreshed', async (which) => {
    const { world, server, mcp, all, dropToken, sentAnew } = setUpRotation();
    const held = holdUp(world.fetch, tokenUrl);
    const credentials = createOAuthCredentials({ ...all, fetch: held.fetch });
    await mcp.call(credentials);
    dropToken();
    held.close();
    const call = failure(mcp.call(credentials));
    await held.reached;
    await (which === 'the same process' ? credentials : createOAuthCredentials(all)).logout();
    held.open();
    expect((await call).message).toContain('logged out');
    expect(await sentAnew()).toEqual({});
    expect(credentials.principal()).toBeUndefined();
    expect(server.authorizations).toHaveLength(1);
  });

  it.each([
    ['the same process', 'a token'],
    ['the same process', 'no token'],
    ['another process', 'a token'],
    ['another process', 'no token'],
  ])('of %s, where there is %s, ends in no token while the user signs in', async (which, kept) => {
    const { world, all, mcp, sentAnew } = setUpRotation();
    const held = holdUp(world.fetch, tokenUrl);
    const credentials = createOAuthCredentials({ ...all, fetch: held.fetch });
    if (kept === 'a token') await mcp.call(credentials);
    held.close();
    const login = failure(credentials.login());
    await held.reached;
    await (which === 'the same process' ? credentials : createOAuthCredentials(all)).logout();
    held.open();
    expect((await login).message).toContain('logged out');
    expect(await sentAnew()).toEqual({});
    expect(credentials.principal()).toBeUndefined();
  });

  it('of another process ends in its next token, where the user signs in anew after it while he signs in', async () => {
    const { world, all, state, sentAnew } = setUpRotation();
    const held = holdUp(world.fetch, tokenUrl);
    const credentials = createOAuthCredentials({ ...all, fetch: held.fetch });
    held.close();
    const login = credentials.login();
    await held.reached;
    const other = createOAuthCredentials(all);
    await other.logout();
    await other.login();
    held.open();
    await login;
    expect(await sentAnew()).toEqual({ authorization: `Bearer ${state.newest}` });
    expect(credentials.principal()).toBe(other.principal());
  });

  it('forgets the token also where nothing can be written', async () => {
    const { store, memory } = watchedStore();
    const { mcp, all, credentials, sentAnew } = setUpRotation({ store });
    await mcp.call(credentials);
    const full: TokenStore = { ...memory, set: () => Promise.reject(new Error('ENOSPC: no space')) };
    await createOAuthCredentials({ ...all, store: full }).logout();
    expect(await sentAnew()).toEqual({});
  });

  it('leaves no token of an authorization server that the MCP server was at before', async () => {
    const { store, keys } = watchedStore();
    const world = createWorld();
    const first = scriptAuthorizationServer(world);
    const second = scriptAuthorizationServer(world, { issuer: 'https://as-two.test' });
    const mcp = guard(world, wantsToken);
    const redirect = {
      uri: first.redirect.uri,
      authorize: (...asked: Parameters<typeof first.redirect.authorize>) =>
        (asked[0].host === 'as-two.test' ? second : first).redirect.authorize(...asked),
    };
    const open = () => createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch, store });
    const move = (issuer: string): void =>
      world.route('https://mcp.kiln.test/.well-known/oauth-protected-resource/mcp', {
        resource: mcp.url,
        authorization_servers: [issuer],
      });
    await open().login();
    move(second.issuer);
    await open().login();
    await open().logout();
    expect([...keys].filter((key) => /^(?:tokens|login)/.test(key))).toEqual([]);
    move(first.issuer);
    await mcp.call(open());
    expect(first.authorizations).toHaveLength(2);
  });

  it('deletes what cannot be read, and the next sign-in works', async () => {
    const { store, keys } = watchedStore();
    const { mcp, all, server } = setUpRotation({ store });
    await createOAuthCredentials(all).login();
    let isDamaged = true;
    const damaged: TokenStore = {
      ...store,
      get: (key) =>
        isDamaged ? Promise.reject(Object.assign(new Error('damaged'), { code: 'corrupt' })) : store.get(key),
    };
    const credentials = createOAuthCredentials({ ...all, store: damaged });
    expect((await failure(mcp.call(credentials))).message).toContain('damaged');
    await credentials.logout({ forgetClient: true });
    expect([...keys].filter((key) => key.startsWith('tokens'))).toEqual([]);
    isDamaged = false;
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations).toHaveLength(2);
  });

  it('with forgetClient costs no other server its refresh token, and forgets the issuer of a client by hand', async () => {
    const { store, keys } = watchedStore();
    const { world, server, mcp, all, dropToken } = setUpRotation({ store });
    const other = guard(world, wantsToken, { url: 'https://other.kiln.test/mcp' });
    await createOAuthCredentials({ ...all, serverUrl: other.url }).login();
    const credentials = createOAuthCredentials(all);
    await mcp.call(credentials);
    await createOAuthCredentials({ ...all, serverUrl: other.url }).logout({ forgetClient: true });
    dropToken();
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.tokenRequests.at(-1)?.get('grant_type')).toBe('refresh_token');
    expect(server.registrations).toHaveLength(1);
    const byHand = createOAuthCredentials({ ...all, client: { clientId: 'by-hand' } });
    await byHand.login();
    expect([...keys].some((key) => key.startsWith('pre-registered'))).toBe(true);
    await byHand.logout({ forgetClient: true });
    expect([...keys].some((key) => key.startsWith('pre-registered'))).toBe(false);
  });
});
