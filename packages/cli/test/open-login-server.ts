import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { createServer, silentLogger } from '@switchyard/server';
import { bearerJwt, protectedResource } from '@switchyard/server/authorization';
import { serveHttp } from '@switchyard/server/node';
import { exportJWK, generateKeyPair } from 'jose';
import { type ClientMetadata, Provider } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';

/** An MCP server that wants a token, and the authorization server that gives it. */
export interface LoginServer {
  /** The URL of the MCP server. Its tool `who` tells the user. */
  readonly url: string;
  readonly issuer: string;
  /** The grant types of all token requests. */
  readonly tokenRequests: string[];
  /** How many clients registered themselves. */
  registrations(): number;
}

interface LoginServerOptions {
  readonly clients?: readonly ClientMetadata[];
  readonly dpop?: 'off' | 'required';
  /** How long a token is good, in seconds. Default 600. */
  readonly ttl?: number;
}

/** Opens both until the test is over. */
export async function openLoginServer(options: LoginServerOptions = {}): Promise<LoginServer> {
  const { clients = [], dpop = 'off', ttl = 600 } = options;
  const tokenRequests: string[] = [];
  let registrations = 0;
  let serve: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const http = createHttpServer((request, response) => void serve(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => void http.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });

  // It warns of what is meant for development only; a test wants just that.
  const silenced = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'info')].map((spy) =>
    spy.mockImplementation(() => undefined),
  );
  const provider = new Provider(issuer, {
    clients: [...clients],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' }] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['offline_access', 'orders:read', 'orders:write'],
    cookies: { keys: ['a key for cookies of a test'] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: { AccessToken: ttl, RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 600 },
    features: {
      devInteractions: { enabled: true },
      registration: { enabled: true },
      dPoP: { enabled: dpop === 'required' },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          audience: resource,
          scope: 'orders:read orders:write',
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
  provider.on('grant.success', ({ oidc }) => void tokenRequests.push(String(oidc.params?.['grant_type'])));
  provider.on('registration_create.success', () => void (registrations += 1));
  const callback = provider.callback();
  for (const spy of silenced) spy.mockRestore();
  serve = callback;

  const metadata = protectedResource({
    resource: url,
    authorizationServers: [issuer],
    scopesSupported: ['orders:read'],
    dpop,
  });
  const server = createServer({ name: 'who', version: '1.0.0' }, { logger: silentLogger });
  server.tool('who', { description: 'Tells the user' }, (_, { principal }) => principal?.subject ?? 'nobody');
  const running = await serveHttp(server, { port, protectedResource: metadata, authenticate: bearerJwt(metadata) });
  onTestFinished(() => running.close({ graceMs: 0 }));
  return { url, issuer, tokenRequests, registrations: () => registrations };
}

/**
 * Does what a user and his browser do at the address of a login: logs in as `user`, agrees, and follows the redirect
 * back, unless it is on another machine, where nobody answers. Answers the address that it shows at the end.
 */
export async function browse(address: string, user: string, isElsewhere = false): Promise<string> {
  const cookies = new Map<string, string>();
  let next = address;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 20; step += 1) {
    const url = new URL(next);
    if (url.pathname === '/callback') {
      if (!isElsewhere) await fetch(url);
      return next;
    }
    const headers = { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') };
    const body = form === undefined ? {} : { method: 'POST', body: form };
    const response = await fetch(url, { headers, redirect: 'manual', ...body });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const page = await response.text();
    if (location !== null) {
      next = new URL(location, next).href;
      form = undefined;
    } else {
      const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(page) ?? [];
      if (prompt === '')
        throw new Error(`the browser stays at ${url.pathname} (${response.status}): ${page.slice(0, 500)}`);
      next = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? next, next).href;
      form = new URLSearchParams({ prompt, login: user, password: 'any' });
    }
  }
  throw new Error('the browser was sent around in a circle');
}

/** Answers a port of 127.0.0.1 that nobody listens on. */
export async function freePort(): Promise<number> {
  const probe = createNetServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
