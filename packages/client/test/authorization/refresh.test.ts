import { describe, expect, it } from 'vitest';
import {
  createMemoryTokenStore,
  createOAuthCredentials,
  type OAuthCredentialsOptions,
  type TokenStore,
} from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock } from '../manual-clock.ts';
import { scriptAuthorizationServer } from './scripted-world.ts';
import { holdUp, setUpRotation } from './rotating-world.ts';

const metadataUrl = 'https://as.kiln.test/.well-known/oauth-authorization-server';

const grantsOf = ({ tokenRequests }: { readonly tokenRequests: readonly URLSearchParams[] }) =>
  tokenRequests.map((form) => form.get('grant_type'));

/** A store that keeps nothing while it is full. */
function fillableStore() {
  const memory = createMemoryTokenStore();
  const disk = { isFull: false };
  const store: TokenStore = {
    ...memory,
    set: (key, value) => (disk.isFull ? Promise.reject(new Error('ENOSPC: no space')) : memory.set(key, value)),
  };
  return { disk, store };
}

describe('a refreshed token that the store does not keep', () => {
  it('is used and refreshed all the same, warned of, and written when the store can', async () => {
    const { disk, store } = fillableStore();
    const clock = createManualClock();
    const warnings: string[] = [];
    const onWarning: OAuthCredentialsOptions['onWarning'] = ({ code }) => warnings.push(code);
    const { mcp, credentials, server, state, dropToken, sentAnew } = setUpRotation({ store, clock, onWarning });
    await mcp.call(credentials);
    disk.isFull = true;
    dropToken();
    expect(await mcp.call(credentials)).toBe(200);
    expect(warnings).toEqual(['token-not-stored']);
    dropToken();
    expect(await mcp.call(credentials)).toBe(200);
    disk.isFull = false;
    await clock.advance(5000);
    expect(await mcp.call(credentials)).toBe(200);
    expect(await sentAnew()).toEqual({ authorization: `Bearer ${state.newest}` });
    expect(grantsOf(server)).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
  });

  it('is a failure of a login, which is for the next process', async () => {
    const { disk, store } = fillableStore();
    const { credentials } = setUpRotation({ store, client: { clientId: 'pre-1', issuer: 'https://as.kiln.test' } });
    disk.isFull = true;
    expect((await failure(credentials.login())).message).toContain('ENOSPC');
  });
});

describe('a token that the store did not keep', () => {
  it.each(['signed in and out', 'signed out'])(
    'does not come back after the user %s meanwhile, in another process',
    async (how) => {
      const { disk, store } = fillableStore();
      const clock = createManualClock();
      const client = { clientId: 'pre-1', issuer: 'https://as.kiln.test' };
      const { mcp, credentials, all, server, state, dropToken, sentAnew } = setUpRotation({ store, clock, client });
      disk.isFull = true;
      expect(await mcp.call(credentials)).toBe(200);
      disk.isFull = false;
      const { newest, refresh } = state;
      const other = createOAuthCredentials(all);
      if (how === 'signed in and out') await other.login();
      await other.logout();
      Object.assign(state, { newest, refresh });
      for (const isRefreshed of [false, true]) {
        if (isRefreshed) dropToken();
        await clock.advance(5000);
        expect(await mcp.call(credentials)).toBe(200);
        expect(await sentAnew()).toEqual({});
      }
      expect(grantsOf(server).at(-1)).toBe('refresh_token');
    },
  );

  it('does not replace what the user signed in to meanwhile, in another process', async () => {
    const { disk, store } = fillableStore();
    const clock = createManualClock();
    const client = { clientId: 'pre-1', issuer: 'https://as.kiln.test' };
    const { mcp, credentials, all, state, sentAnew } = setUpRotation({ store, clock, client });
    disk.isFull = true;
    expect(await mcp.call(credentials)).toBe(200);
    disk.isFull = false;
    await createOAuthCredentials(all).login();
    const ofTheOther = { authorization: `Bearer ${state.newest}` };
    await clock.advance(5000);
    const { signal } = new AbortController();
    expect(await credentials.fieldsFor({ httpMethod: 'POST', url: mcp.url, signal })).toEqual(ofTheOther);
    expect(await sentAnew()).toEqual(ofTheOther);
  });
});

describe('a refresh', () => {
  it('is made for each request of a call or a stream that lasts, and the user is not asked again', async () => {
    const { mcp, credentials, server, dropToken } = setUpRotation();
    const { signal } = new AbortController();
    for (let request = 0; request < 6; request += 1) {
      expect(await mcp.call(credentials, 'the stream', signal)).toBe(200);
      dropToken();
    }
    expect(server.authorizations).toHaveLength(1);
  });

  it.each([
    ['use_dpop_nonce', 400],
    ['invalid_dpop_proof', 400],
    ['slow_down', 400],
    ['invalid_target', 400],
    ['rate_limited', 403],
    ['invalid_grant', 503],
  ])('that is refused with %s and HTTP %i keeps its refresh token, and asks nobody', async (error, status) => {
    const { mcp, credentials, server, token, dropToken } = setUpRotation();
    await mcp.call(credentials);
    dropToken();
    server.token = () => Response.json({ error }, { status });
    expect((await failure(mcp.call(credentials))).code).toBe('authorization');
    server.token = token;
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations).toHaveLength(1);
  });

  it.each(['invalid_grant', 'invalid_client', 'unauthorized_client'])(
    'that is refused with %s makes the user sign in',
    async (error) => {
      const { mcp, credentials, server, token, dropToken } = setUpRotation();
      await mcp.call(credentials);
      dropToken();
      server.token = (asked) =>
        asked.form.get('grant_type') === 'refresh_token' ? Response.json({ error }, { status: 400 }) : token(asked);
      expect(await mcp.call(credentials)).toBe(200);
      expect(server.authorizations).toHaveLength(2);
      expect(server.registrations).toHaveLength(error === 'invalid_client' ? 2 : 1);
    },
  );

  it('does not replace what the user signed in to meanwhile, in another process', async () => {
    const { world, mcp, all, state, server, dropToken, sentAnew } = setUpRotation();
    const held = holdUp(world.fetch, 'https://as.kiln.test/token');
    const credentials = createOAuthCredentials({ ...all, fetch: held.fetch });
    await mcp.call(credentials);
    dropToken();
    held.close();
    const call = mcp.call(credentials);
    await held.reached;
    await createOAuthCredentials({ ...all, scope: 'read write' }).login();
    held.open();
    expect(await call).toBe(200);
    expect(await sentAnew()).toEqual({ authorization: `Bearer ${state.newest}` });
    expect(grantsOf(server)).toEqual(['authorization_code', 'refresh_token', 'authorization_code']);
  });
});

describe('where a refresh cannot be told', () => {
  it.each([
    ['is gone', 404, 404],
    ['has lost its token endpoint', undefined, 404],
  ])(
    'an authorization server that %s is left for the one that the MCP server names now',
    async (_, metadata, token) => {
      for (const isAnew of [false, true]) {
        const { world, mcp, all, server, credentials, state, dropToken } = setUpRotation();
        await mcp.call(credentials);
        dropToken();
        if (metadata !== undefined) world.route(metadataUrl, metadata);
        server.token = () => token;
        const second = scriptAuthorizationServer(world, { issuer: 'https://as-two.test' });
        const give = second.token;
        second.token = (asked) => {
          const tokens = give(asked) as Readonly<Record<string, unknown>>;
          state.newest = String(tokens['access_token']);
          return tokens;
        };
        world.route('https://mcp.kiln.test/.well-known/oauth-protected-resource/mcp', {
          resource: mcp.url,
          authorization_servers: [second.issuer],
        });
        const redirect = second.redirect;
        const moved = isAnew ? createOAuthCredentials({ ...all, redirect }) : credentials;
        all.redirect.authorize = redirect.authorize;
        expect(await mcp.call(moved)).toBe(200);
        expect(second.authorizations).toHaveLength(1);
      }
    },
  );

  it('a token endpoint that moved is found, and nobody is asked', async () => {
    const { world, mcp, credentials, server, token, dropToken } = setUpRotation();
    await mcp.call(credentials);
    dropToken();
    server.token = () => 404;
    world.route(metadataUrl, {
      issuer: server.issuer,
      authorization_endpoint: 'https://as.kiln.test/authorize',
      token_endpoint: 'https://as.kiln.test/v2/token',
      code_challenge_methods_supported: ['S256'],
    });
    world.route('https://as.kiln.test/v2/token', (asked) => token(asked));
    expect(await mcp.call(credentials)).toBe(200);
    expect(server.authorizations).toHaveLength(1);
  });

  it('the same authorization server is not left for another that the MCP server names beside it', async () => {
    const { world, mcp, credentials, server, dropToken } = setUpRotation();
    await mcp.call(credentials);
    dropToken();
    scriptAuthorizationServer(world, { issuer: 'https://as-two.test' });
    world.route('https://mcp.kiln.test/.well-known/oauth-protected-resource/mcp', {
      resource: mcp.url,
      authorization_servers: [server.issuer, 'https://as-two.test'],
    });
    server.token = () => 503;
    world.route(metadataUrl, 503);
    expect((await failure(mcp.call(credentials))).message).toContain('503');
    expect(world.urls().filter((url) => url.includes('as-two'))).toEqual([]);
  });
});
