import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';
import type { Redirect } from '../../src/authorization/index.ts';

/** A real authorization server on loopback, and a browser whose user agrees to everything. */
export interface ProviderFixture {
  readonly issuer: string;
  /** The paths that were asked for, in order. */
  readonly requests: string[];
  readonly redirect: Redirect;
  /** The authorization requests that the browser opened. */
  readonly opened: URL[];
}

/** What it supports beyond the defaults. */
export interface ProviderOptions {
  readonly dpopNonces?: boolean;
  readonly registration?: boolean;
}

const SCOPES = 'orders:read orders:write';

export async function openProvider(
  resource: () => string,
  { dpopNonces = false, registration = true }: ProviderOptions = {},
): Promise<ProviderFixture> {
  const requests: string[] = [];
  const opened: URL[] = [];
  let serve: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const http = createHttpServer((request, response) => {
    requests.push((request.url ?? '').split('?')[0] ?? '');
    serve(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  // It warns of its adapter, which forgets everything with the process; a test wants just that.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'pre-registered',
        redirect_uris: ['http://127.0.0.1/cb'],
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'k-1', use: 'sig', alg: 'ES256' }] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none', 'client_secret_basic'],
    scopes: ['offline_access', ...SCOPES.split(' ')],
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['a-key-of-the-test'] },
    pkce: { required: () => true },
    rotateRefreshToken: () => true,
    issueRefreshToken: (_, client, code) =>
      Promise.resolve(client.grantTypeAllowed('refresh_token') && code.scopes.has('offline_access')),
    ttl: { AccessToken: 600, RefreshToken: 3600, Grant: 3600, Session: 3600, Interaction: 600, AuthorizationCode: 60 },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: registration },
      dPoP: dpopNonces
        ? { enabled: true, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => true }
        : { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          audience: resource(),
          scope: SCOPES,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
  warn.mockRestore();
  const callback = provider.callback();
  serve = (request, response) => {
    if (request.url?.startsWith('/interaction/') !== true) {
      void callback(request, response);
      return;
    }
    agree(provider, request, response, resource()).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  };
  return {
    issuer,
    requests,
    opened,
    redirect: {
      uri: 'http://127.0.0.1:7717/cb',
      async authorize(url) {
        opened.push(url);
        return browse(url, 'http://127.0.0.1:7717/cb');
      },
    },
  };
}

/** A user who is called mira and grants what is asked for. */
async function agree(provider: Provider, request: IncomingMessage, response: ServerResponse, resource: string) {
  const { params, prompt, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    await provider.interactionFinished(request, response, { login: { accountId: 'mira' } });
    return;
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId: 'mira', clientId: params['client_id'] as string });
  const scope = params['scope'] as string;
  grant.addOIDCScope(scope);
  grant.addResourceScope(resource, scope);
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/** Follows redirects with cookies, as a browser does, until one leads to `end`. */
async function browse(start: URL, end: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let step = 0; step < 10; step += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${url.pathname} answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
    if (url.href.startsWith(end)) return url;
  }
  throw new Error('the browser was sent around in circles');
}
