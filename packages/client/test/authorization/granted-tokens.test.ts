import { describe, expect, it } from 'vitest';
import { clientCredentials, createOAuthCredentials } from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { createWorld, guard, scriptAuthorizationServer } from './scripted-world.ts';
import { setUpRotation } from './rotating-world.ts';

describe('a granted token', () => {
  it.each([
    ['a line break', 'tok-1\r\nX-Evil: 1'],
    ['a character beyond ASCII', 'tok-…-1'],
    ['a space', 'tok 1'],
    ['nothing in it', ''],
    ['more characters than a header may have', 'a'.repeat(16_385)],
  ])('with %s is neither used nor kept', async (_, accessToken) => {
    const { mcp, credentials, server, token, sentAnew } = setUpRotation();
    server.token = () => ({ access_token: accessToken, token_type: 'bearer' });
    const error = await failure(mcp.call(credentials));
    expect(error.code).toBe('authorization');
    if (accessToken !== '') expect(error.message).not.toContain(accessToken);
    expect(await sentAnew()).toEqual({});
    server.token = token;
    await credentials.login();
    expect(await mcp.call(credentials)).toBe(200);
  });

  it.each([
    ['1e308', 1e308],
    ['0 seconds', 0],
    ['a century', 3_153_600_000],
  ])('that is good for %s is kept, and found again by another process', async (_, expiresIn) => {
    const { mcp, credentials, server, token, state, sentAnew } = setUpRotation();
    server.token = (asked) => ({ ...(token(asked) as object), expires_in: expiresIn });
    expect(await mcp.call(credentials)).toBe(200);
    expect(await sentAnew()).toEqual({ authorization: `Bearer ${state.newest}` });
    expect(server.tokenRequests).toHaveLength(1);
  });

  it('that is bound to no key is not used where only bound ones are wanted', async () => {
    const { mcp, all, credentials, state } = setUpRotation();
    await mcp.call(credentials);
    mcp.seen.length = 0;
    state.tokenType = 'DPoP';
    expect(await mcp.call(createOAuthCredentials({ ...all, dpop: true }))).toBe(200);
    expect(mcp.seen).toEqual(['', `DPoP ${state.newest}`]);
  });

  it('of another client or another authorization server than the configured one is not used', async () => {
    const { mcp, all, credentials } = setUpRotation();
    await mcp.call(credentials);
    mcp.seen.length = 0;
    await mcp.call(createOAuthCredentials({ ...all, client: { clientId: 'pre-1' } }));
    expect(mcp.seen).toEqual(['', 'Bearer access-token-number-2']);
  });
});

describe('what is secret', () => {
  it('stays masked however many tokens came since: the secret of the client and the refresh token', async () => {
    const secret = 'a-client-secret-that-nobody-may-see';
    const { mcp, credentials, server, state, dropToken } = setUpRotation({ client: { clientId: 'pre-1', secret } });
    await mcp.call(credentials);
    const { refresh } = state;
    server.token = () => ({
      access_token: (state.newest = `later-access-token-${(state.count += 1)}`),
      token_type: 'Bearer',
    });
    for (let round = 0; round < 105; round += 1) {
      dropToken();
      await mcp.call(credentials);
    }
    dropToken();
    server.token = () =>
      Response.json({ error: 'slow_down', error_description: `${secret} and ${refresh}` }, { status: 400 });
    const { message } = await failure(mcp.call(credentials));
    expect(message).toContain('slow_down');
    expect(message).not.toContain(secret);
    expect(message).not.toContain(refresh);
  });

  it('is told to nobody who does not listen any more', async () => {
    const { mcp, credentials, dropToken } = setUpRotation();
    await mcp.call(credentials);
    const learned: string[] = [];
    const stop = credentials.onSecret?.((secret) => learned.push(secret));
    stop?.();
    const before = learned.length;
    dropToken();
    await mcp.call(credentials);
    expect(learned).toHaveLength(before);
  });
});

describe('scopes that a server names', () => {
  it('of refusals do not add up for a machine, while those that an operation lacked do', async () => {
    const world = createWorld();
    const server = scriptAuthorizationServer(world);
    server.token = () => ({ access_token: `token-${server.tokenRequests.length}`, token_type: 'bearer' });
    const state = { first: 1, status: 401 as 401 | 403 };
    const mcp = guard(world, (authorization) => {
      const count = server.tokenRequests.length;
      if (count >= state.first && authorization === `Bearer token-${count}`) return undefined;
      return { status: state.status, challenge: `Bearer error="insufficient_scope", scope="s${count}"` };
    });
    const grant = clientCredentials({ issuer: server.issuer, clientId: 'job', secret: 'a secret', scopes: ['base'] });
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, grant, fetch: world.fetch });
    for (const [first, status] of [
      [1, 401],
      [2, 401],
      [3, 403],
    ] as const) {
      Object.assign(state, { first, status });
      expect(await mcp.call(credentials)).toBe(200);
    }
    const scopes = server.tokenRequests.map((form) => form.get('scope'));
    expect(scopes).toEqual(['base s0', 'base s1', 'base s1 s2']);
  });

  it('do not add up for a machine, and never grow beyond what a request holds', async () => {
    const world = createWorld();
    const server = scriptAuthorizationServer(world);
    let round = 0;
    let newest = '';
    const give = server.token;
    server.token = (asked) => {
      const tokens = give(asked) as Readonly<Record<string, unknown>>;
      newest = String(tokens['access_token']);
      return { access_token: newest, token_type: 'bearer' };
    };
    const mcp = guard(world, (authorization) => {
      if (authorization === `Bearer ${newest}`) return undefined;
      round += 1;
      const scopes = Array.from({ length: 90 }, (_, index) => `scope-${round}-${index}-${'x'.repeat(100)}`);
      return { status: 401, challenge: `Bearer scope="${scopes.join(' ')}"` };
    });
    const grant = clientCredentials({ issuer: server.issuer, clientId: 'job', secret: 'a secret', scopes: ['base'] });
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, grant, fetch: world.fetch });
    for (let call = 0; call < 5; call += 1) {
      newest = 'dropped';
      expect(await mcp.call(credentials)).toBe(200);
      const scope = server.tokenRequests.at(-1)?.get('scope') ?? '';
      expect(scope.split(' ')[0]).toBe('base');
      expect(scope.length).toBeLessThan(8300);
      expect(
        new Set(
          scope
            .split(' ')
            .slice(1)
            .map((one) => one.split('-')[1]),
        ).size,
      ).toBe(1);
    }
  });
});

describe('a login', () => {
  it('where the MCP server is down says so', async () => {
    const { all } = setUpRotation();
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const error = await failure(createOAuthCredentials({ ...all, fetch }).login());
    expect(error.code).toBe('connect-failed');
    expect(error.message).toContain('ECONNREFUSED');
  });
});

describe('options', () => {
  it.each([
    { authorizationTimeoutMs: Infinity },
    { authorizationTimeoutMs: 2 ** 31 },
    { httpTimeoutMs: 2 ** 31 },
    { httpTimeoutMs: 0 },
    { maxStepUps: -1 },
    { maxStepUps: 1.5 },
  ])('that no timer and no count can keep are refused: %j', (options) => {
    const { all } = setUpRotation();
    expect(() => createOAuthCredentials({ ...all, ...options })).toThrow(/must be/);
  });
});
