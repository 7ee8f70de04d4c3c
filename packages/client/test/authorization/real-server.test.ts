import { createServer as createNetServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@switchyard/protocol';
import { createServer } from '@switchyard/server';
import {
  assertScopes,
  bearerJwt,
  protectedResource,
  type ProtectedResourceOptions,
} from '@switchyard/server/authorization';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  createMemoryTokenStore,
  createOAuthCredentials,
  type OAuthCredentials,
  type OAuthCredentialsOptions,
} from '../../src/authorization/index.ts';
import type { Client } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { createManualClock } from '../manual-clock.ts';
import { openProvider, type ProviderOptions } from './open-provider.ts';

/** One of our servers behind a real authorization server, and what clients need for it. */
async function openProtected(
  options: ProviderOptions & Pick<ProtectedResourceOptions, 'dpop' | 'scopesSupported'> = {},
) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const provider = await openProvider(() => url, options);
  const resource = protectedResource({
    resource: url,
    authorizationServers: [provider.issuer],
    scopesSupported: options.scopesSupported ?? ['orders:read'],
    ...(options.dpop === undefined ? {} : { dpop: options.dpop }),
  });
  const server = createServer({ name: 'orders', version: '1.0.0' }, { logger: silentLogger });
  const seen: unknown[] = [];
  server.tool('read', {}, (_, { principal }) => {
    seen.push(principal);
    return 'read';
  });
  server.tool('write', {}, (_, { principal }) => {
    assertScopes(principal, ['orders:write']);
    return 'written';
  });
  const running = await serveHttp(server, { port, authenticate: bearerJwt(resource), protectedResource: resource });
  onTestFinished(() => running.close());
  const store = createMemoryTokenStore();

  async function open(more: Partial<OAuthCredentialsOptions> = {}) {
    const credentials = createOAuthCredentials({ serverUrl: url, redirect: provider.redirect, store, ...more });
    return { credentials, client: await connected(credentials) };
  }

  async function connected(credentials: OAuthCredentials): Promise<Client> {
    const client = await connect(url, { credentials });
    onTestFinished(() => client.close());
    return client;
  }

  return { url, provider, seen, open };
}

describe('a server of ours behind a real authorization server', () => {
  it('[AUTHCL-01] [AUTHCL-02] [AUTHCL-05] [AUTHCL-25] signs a user in, registers once and keeps the token', async () => {
    const { url, provider, seen, open } = await openProtected();
    const { client } = await open();
    await Promise.all([client.callTool('read'), client.callTool('read')]);
    expect(seen[0]).toMatchObject({ subject: 'mira', issuer: provider.issuer });
    expect(provider.opened).toHaveLength(1);
    expect(provider.opened[0]?.searchParams.get('resource')).toBe(url);
    expect(provider.opened[0]?.searchParams.get('scope')).toBe('orders:read offline_access');
    const again = await open();
    await again.client.callTool('read');
    expect(provider.opened).toHaveLength(1);
    expect(provider.requests.filter((path) => path === '/reg')).toHaveLength(1);
    expect(provider.requests.filter((path) => path === '/token')).toHaveLength(1);
  });

  it('refreshes with a refresh token that rotates, once for all calls', async () => {
    const { provider, open } = await openProtected();
    let ahead = 0;
    const { client, credentials } = await open({ epochNow: () => Date.now() + ahead, dpop: false });
    await client.callTool('read');
    const before = credentials.principal();
    for (let round = 1; round <= 3; round += 1) {
      ahead += 590_000;
      await Promise.all(Array.from({ length: 6 }, () => client.callTool('read')));
      expect(provider.requests.filter((path) => path === '/token')).toHaveLength(1 + round);
    }
    expect(credentials.principal()).not.toBe(before);
    expect(provider.opened).toHaveLength(1);
  });

  it('[AUTHCL-11] [AUTHCL-12] [AUTHCL-13] steps up for the tool that takes more', async () => {
    const { provider, open } = await openProtected();
    const { client } = await open();
    await client.callTool('read');
    expect(await client.callTool('write')).toMatchObject({ content: [{ text: 'written' }] });
    await client.callTool('read');
    expect(provider.opened.map((asked) => asked.searchParams.get('scope'))).toEqual([
      'orders:read offline_access',
      'orders:read orders:write offline_access',
    ]);
  });

  it('[AUTHRG-08] takes a client that was registered by hand', async () => {
    const { provider, open } = await openProtected({ registration: false });
    const { client } = await open({ client: { clientId: 'pre-registered', issuer: provider.issuer } });
    await client.callTool('read');
    expect(provider.opened[0]?.searchParams.get('client_id')).toBe('pre-registered');
  });

  it.each([false, true])('[EXT-07] takes tokens that are bound to a key, with nonces: %s', async (dpopNonces) => {
    const { provider, seen, open } = await openProtected({ dpop: 'required', dpopNonces });
    const { client } = await open();
    await Promise.all([client.callTool('read'), client.callTool('read')]);
    expect(seen).toHaveLength(2);
    expect(provider.opened[0]?.searchParams.has('dpop_jkt')).toBe(true);
  });

  it('waits for a user longer than for a server, at the start and in a call', async () => {
    const { url, provider } = await openProtected();
    const clock = createManualClock();
    const redirect = {
      uri: provider.redirect.uri,
      async authorize(asked: URL, options: { readonly signal: AbortSignal; readonly state: string }) {
        await clock.advance(120_000);
        return provider.redirect.authorize(asked, options);
      },
    };
    const credentials = createOAuthCredentials({ serverUrl: url, redirect });
    const client = await connect(url, {
      credentials,
      clock,
      startTimeoutMs: 1000,
      timeoutMs: 1000,
      maxTimeoutMs: 1000,
    });
    onTestFinished(() => client.close());
    expect(await client.callTool('write')).toMatchObject({ content: [{ text: 'written' }] });
    expect(provider.opened).toHaveLength(2);
  });

  it('lets a user sign in ahead of the first call', async () => {
    const { url, provider, open } = await openProtected();
    const credentials = createOAuthCredentials({ serverUrl: url, redirect: provider.redirect });
    await credentials.login();
    expect(credentials.principal()).toBeDefined();
    const { client } = await open();
    await client.callTool('read');
    expect(provider.opened).toHaveLength(2);
  });
});

async function freePort(): Promise<number> {
  const probe = createNetServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
