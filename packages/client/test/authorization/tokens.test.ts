import { describe, expect, it } from 'vitest';
import {
  createMemoryTokenStore,
  createOAuthCredentials,
  type Grant,
  type OAuthCredentialsOptions,
  type TokenStore,
} from '../../src/authorization/index.ts';
import { None } from 'oauth4webapi';
import { failure } from '../expect-failure.ts';
import { createWorld, guard, scriptAuthorizationServer, type Verdict } from './scripted-world.ts';

/** An MCP server that takes the newest token only, while it is not expired, and an authorization server that rotates. */
function setUp(options: Partial<OAuthCredentialsOptions> = {}) {
  const world = createWorld();
  const server = scriptAuthorizationServer(world);
  const state = { now: 1_700_000_000_000, newest: '', refresh: '', expiresAt: 0, count: 0, lifetime: 3600 };
  server.token = ({ form }) => {
    const isRefresh = form.get('grant_type') === 'refresh_token';
    if (isRefresh && form.get('refresh_token') !== state.refresh) {
      state.refresh = '';
      return Response.json({ error: 'invalid_grant', error_description: 'reused' }, { status: 400 });
    }
    state.count += 1;
    state.newest = `access-token-number-${state.count}`;
    state.refresh = `refresh-token-number-${state.count}`;
    state.expiresAt = state.now + state.lifetime * 1000;
    const tokens = { access_token: state.newest, refresh_token: state.refresh, token_type: 'bearer' };
    return { ...tokens, expires_in: state.lifetime };
  };
  const verdict = (authorization: string): Verdict =>
    authorization === `Bearer ${state.newest}` && state.now < state.expiresAt ? undefined : { status: 401 };
  const mcp = guard(world, verdict);
  const store: TokenStore = createMemoryTokenStore();
  const { redirect } = server;
  const all = { serverUrl: mcp.url, redirect, fetch: world.fetch, store, epochNow: () => state.now, ...options };
  return { world, server, state, mcp, store, all, credentials: createOAuthCredentials(all) };
}

const grantsOf = ({ tokenRequests }: { readonly tokenRequests: readonly URLSearchParams[] }) =>
  tokenRequests.map((form) => form.get('grant_type'));

describe('a token', () => {
  it('[AUTHCL-02] [AUTHCL-03] [AUTHCL-04] goes into the header of every request to the server, and to no other place', async () => {
    const { credentials, mcp, world, server } = setUp();
    await mcp.call(credentials);
    const { signal } = new AbortController();
    const [, token] = mcp.seen;
    expect(token).toBe('Bearer access-token-number-1');
    for (const url of [mcp.url, 'https://mcp.kiln.test/elsewhere?x=1']) {
      expect(await credentials.fieldsFor({ httpMethod: 'GET', url, signal })).toEqual({ authorization: token });
    }
    for (const url of [
      'https://evil.test/mcp',
      'https://mcp.kiln.test:8443/mcp',
      'http://mcp.kiln.test/mcp',
      'https://mcp.kiln.test.evil.test/mcp',
      'https://mcp.kiln.test@evil.test/mcp',
      'no url',
    ]) {
      expect(await credentials.fieldsFor({ httpMethod: 'POST', url, signal })).toEqual({});
    }
    expect(world.asked.filter(({ url, body }) => `${url}${body}`.includes('access-token'))).toEqual([]);
    expect(server.tokenRequests).toHaveLength(1);
  });

  it('is kept and used again by another process, under the same principal', async () => {
    const { credentials, mcp, all, server } = setUp();
    await mcp.call(credentials);
    const again = createOAuthCredentials(all);
    // Until the store was asked nobody knows.
    expect(again.principal()).toBeNull();
    expect(await mcp.call(again)).toBe(200);
    expect(again.principal()).toBe(credentials.principal());
    expect(server.authorizations).toHaveLength(1);
    await again.logout();
    expect(again.principal()).toBeUndefined();
    await mcp.call(createOAuthCredentials(all));
    expect(server.authorizations).toHaveLength(2);
    expect(server.registrations).toHaveLength(1);
    await createOAuthCredentials(all).logout({ forgetClient: true });
    await mcp.call(createOAuthCredentials(all));
    expect(server.registrations).toHaveLength(2);
  });

  it('is refreshed before it expires, which is another principal', async () => {
    const { credentials, mcp, state, server } = setUp();
    await mcp.call(credentials);
    const before = credentials.principal();
    state.now += 3541_000;
    expect(await mcp.call(credentials)).toBe(200);
    expect(mcp.seen.at(-1)).toBe('Bearer access-token-number-2');
    expect(grantsOf(server)).toEqual(['authorization_code', 'refresh_token']);
    expect(server.tokenRequests[1]?.get('resource')).toBe('https://mcp.kiln.test/mcp');
    expect(credentials.principal()).not.toBe(before);
    expect(before).toMatch(/^[0-9a-f]{32}$/);
  });

  it('stands for somebody else after another sign-in', async () => {
    const { credentials, mcp } = setUp();
    await mcp.call(credentials);
    const before = credentials.principal();
    await credentials.login();
    expect(credentials.principal()).not.toBe(before);
  });

  it('[auth-08] is refreshed once for all calls that find it expired', async () => {
    const { credentials, mcp, state, server } = setUp();
    await mcp.call(credentials);
    for (const [ahead, expected] of [
      [3601_000, 2],
      [0, 3],
    ] as const) {
      state.now += ahead;
      // The second time the server has dropped it, and only says so.
      if (ahead === 0) state.newest = 'dropped';
      const statuses = await Promise.all(Array.from({ length: 8 }, () => mcp.call(credentials)));
      expect(statuses).toEqual(Array.from({ length: 8 }, () => 200));
      expect(server.tokenRequests).toHaveLength(expected);
    }
    expect(server.authorizations).toHaveLength(1);
  });

  it('[auth-08] is not refreshed for the refusal of the one before', async () => {
    const { credentials, mcp, state, server } = setUp();
    await mcp.call(credentials);
    const { signal } = new AbortController();
    const late = { status: 401, challenge: 'Bearer', header: () => undefined, operation: 'ping', signal };
    state.now += 3601_000;
    await mcp.call(credentials);
    const fields = { authorization: 'Bearer access-token-number-1' };
    expect(await credentials.onRefusal?.({ ...late, fields })).toBe(true);
    expect(server.tokenRequests).toHaveLength(2);
  });

  it('is refreshed by one of two processes, and the other one takes it over', async () => {
    const { credentials, mcp, all, state, server } = setUp();
    await mcp.call(credentials);
    const other = createOAuthCredentials(all);
    await mcp.call(other);
    state.now += 3601_000;
    expect(await Promise.all([mcp.call(credentials), mcp.call(other)])).toEqual([200, 200]);
    expect(grantsOf(server)).toEqual(['authorization_code', 'refresh_token']);
  });

  it('that cannot be refreshed any more makes the user sign in again', async () => {
    const { credentials, mcp, state, server } = setUp();
    await mcp.call(credentials);
    state.refresh = 'revoked';
    state.now += 3601_000;
    expect(await mcp.call(credentials)).toBe(200);
    expect(grantsOf(server)).toEqual(['authorization_code', 'refresh_token', 'authorization_code']);
  });

  it('[AUTHCL-24] without a refresh token is used to its end, and then the user signs in again', async () => {
    const { credentials, mcp, state, server } = setUp();
    const withRefresh = server.token;
    server.token = (asked) => {
      const { refresh_token: _, ...rest } = withRefresh(asked) as Record<string, unknown>;
      return rest;
    };
    await mcp.call(credentials);
    state.now += 3599_000;
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.tokenRequests).toHaveLength(1);
    state.now += 2000;
    expect(await mcp.call(credentials)).toBe(200);
    expect(grantsOf(server)).toEqual(['authorization_code', 'authorization_code']);
  });

  it('keeps its refresh token where the authorization server gives no new one', async () => {
    const { credentials, mcp, state, server } = setUp();
    await mcp.call(credentials);
    server.token = () => ({ access_token: (state.newest = `later-${state.now}`), token_type: 'Bearer' });
    state.expiresAt = Infinity;
    state.newest = 'dropped';
    await mcp.call(credentials);
    state.newest = 'dropped again';
    await mcp.call(credentials);
    expect(server.tokenRequests.slice(1).map((form) => form.get('refresh_token'))).toEqual([
      'refresh-token-number-1',
      'refresh-token-number-1',
    ]);
  });

  it('is kept when the authorization server is down, and used while it lasts', async () => {
    const { credentials, mcp, state, server } = setUp();
    await mcp.call(credentials);
    const token = server.token;
    server.token = () => 503;
    state.now += 3550_000;
    expect(await mcp.call(credentials)).toBe(200);
    state.now += 60_000;
    expect((await failure(mcp.call(credentials))).message).toContain('503');
    server.token = token;
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations).toHaveLength(1);
  });

  it('that is refused although it is new is not replaced for ever', async () => {
    const world = createWorld();
    const server = scriptAuthorizationServer(world);
    const mcp = guard(world, () => ({ status: 401, challenge: 'Bearer error="invalid_token"' }));
    const { redirect } = server;
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch });
    const errors = await Promise.all(Array.from({ length: 4 }, () => failure(mcp.call(credentials))));
    for (const error of errors) {
      expect(error.code).toBe('unauthorized');
      expect(error.message).toContain('https://as.kiln.test');
      expect(error.message).toContain('has just given for it (HTTP 401, invalid_token)');
    }
    expect(server.authorizations).toHaveLength(1);
    // Nor by the next calls: each would open a browser.
    expect((await failure(mcp.call(credentials, 'later'))).code).toBe('unauthorized');
    expect(server.authorizations).toHaveLength(1);
  });

  it('is not sent again and again where a request is refused without it', async () => {
    const { credentials, mcp } = setUp();
    await mcp.call(credentials);
    const { signal } = new AbortController();
    const refusal = {
      status: 401,
      challenge: 'Bearer',
      header: () => undefined,
      operation: 'ping',
      signal,
      fields: {},
    };
    for (const expected of [true, true, false]) expect(await credentials.onRefusal?.(refusal)).toBe(expected);
  });

  it.each([
    ['no token', {}],
    ['another type', { access_token: 'a-token-of-another-type', token_type: 'mac' }],
    ['a text', new Response('surprise')],
    ['an error page', new Response('<html>', { status: 502 })],
    ['an error', Response.json({ error: 'invalid_client' }, { status: 401, headers: { 'www-authenticate': 'Basic' } })],
    ['a redirect', new Response(null, { status: 307, headers: { location: 'https://evil.test/token' } })],
  ])('is not made of %s', async (_, answer) => {
    const { credentials, mcp, server, world } = setUp();
    server.token = () => answer;
    const error = await failure(mcp.call(credentials));
    expect(error.code).toBe('authorization');
    expect(world.urls().filter((url) => url.includes('evil'))).toEqual([]);
  });

  it('is refused with the words of the authorization server, whatever challenge stands beside them', async () => {
    const { credentials, mcp, server } = setUp();
    const headers = { 'www-authenticate': 'Basic realm="as"' };
    server.token = () => Response.json({ error: 'invalid_client' }, { status: 401, headers });
    expect((await failure(mcp.call(credentials))).oauthError).toBe('invalid_client');
  });
});

describe('what is secret', () => {
  it('stands in no name in the store', async () => {
    const names: string[] = [];
    const memory = createMemoryTokenStore();
    const spied: TokenStore = {
      ...memory,
      set(key, value) {
        names.push(key);
        return memory.set(key, value);
      },
    };
    const serverUrl = 'https://user:password-of-somebody@mcp.kiln.test/mcp?key=key-of-somebody';
    const client = { clientId: 'pre-1', secret: 'pre-registered-secret' };
    const { credentials, mcp } = setUp({ store: spied, serverUrl, client });
    await mcp.call(credentials);
    expect(names).toHaveLength(3);
    expect(decodeURIComponent(names.join(' '))).not.toMatch(/somebody|secret|access-token|refresh-token/);
  });

  it('[AUTHCL-21] [AUTHCL-27] stands in no error and in no principal', async () => {
    const secrets =
      /an-authorization-code|access-token-number|refresh-token-number|pre-registered-secret|code_verifier/;
    const client = { clientId: 'pre-1', secret: 'pre-registered-secret' };
    const { credentials, mcp, state, server } = setUp({ client });
    const answers = [
      () =>
        Response.json(
          { error: 'invalid_grant', error_description: 'an-authorization-code pre-registered-secret' },
          { status: 400 },
        ),
      () =>
        Response.json(
          { error: 'server_error', error_description: 'access-token-number-1 refresh-token-number-1' },
          { status: 500 },
        ),
      () => new Response('access-token-number-1 an-authorization-code', { status: 200 }),
    ];
    await mcp.call(credentials);
    const good = server.token;
    for (const answer of answers) {
      state.newest = 'dropped';
      server.token = answer;
      const error = await failure(mcp.call(credentials).then(() => credentials.login()));
      const shown = [
        error.message,
        error.oauthError,
        error.challenge,
        error.stack,
        String(error.cause),
        JSON.stringify(error),
      ];
      expect(shown.join(' ')).not.toMatch(secrets);
      server.token = good;
      await credentials.login();
    }
    expect(credentials.principal()).not.toMatch(secrets);
  });

  it('is told to who masks it', async () => {
    const { credentials, mcp, state } = setUp();
    const learned: string[] = [];
    await mcp.call(credentials);
    credentials.onSecret?.((secret) => learned.push(secret));
    state.now += 3601_000;
    await mcp.call(credentials);
    for (const count of [1, 2]) {
      expect(learned).toContain(`access-token-number-${count}`);
      expect(learned).toContain(`refresh-token-number-${count}`);
    }
  });
});

describe('a machine', () => {
  it('gets a new token before the old one ends, and asks no user', async () => {
    const { state, world, mcp, all, server } = setUp();
    const grant: Grant = {
      type: 'client_credentials',
      client: () => ({ client: { client_id: 'job-1' }, authentication: None() }),
      obtain: (request) => request.token('client_credentials', {}),
    };
    const { redirect: _, ...rest } = all;
    const credentials = createOAuthCredentials({ ...rest, grant, scope: 'orders:read' });
    server.token = () => {
      state.count += 1;
      state.newest = `machine-token-number-${state.count}`;
      state.expiresAt = state.now + 3600_000;
      return { access_token: state.newest, token_type: 'bearer', expires_in: 3600 };
    };
    await mcp.call(credentials);
    const before = credentials.principal();
    state.now += 3590_000;
    expect(await mcp.call(credentials)).toBe(200);
    expect(mcp.seen).toEqual(['', 'Bearer machine-token-number-1', 'Bearer machine-token-number-2']);
    expect(credentials.principal()).not.toBe(before);
    expect(server.tokenRequests.map((form) => [form.get('scope'), form.get('resource')])).toEqual([
      ['orders:read', mcp.url],
      ['orders:read', mcp.url],
    ]);
    expect([server.authorizations, server.registrations]).toEqual([[], []]);
    expect(world.urls()).not.toContain('https://as.kiln.test/register');
  });
});

describe('the store', () => {
  it('that fails gives an error that names the server', async () => {
    const store: TokenStore = {
      ...createMemoryTokenStore(),
      get: () => Promise.reject(new Error('the disk is on fire')),
    };
    const { credentials, mcp } = setUp({ store });
    const error = await failure(mcp.call(credentials));
    expect(error.code).toBe('authorization');
    expect(error.message).toContain('mcp.kiln.test');
    expect(error.message).toContain('the disk is on fire');
  });

  it.each(['', '{', '[]', '{"issuer":1}', 'null'])('that holds "%s" holds nothing', async (text) => {
    const memory = createMemoryTokenStore();
    const { mcp, all } = setUp({ store: { ...memory, get: () => Promise.resolve(text) } });
    expect(await mcp.call(createOAuthCredentials(all))).toBe(200);
  });
});
