import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { type KoaContextWithOIDC, Provider, type ResourceServer } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';

/** The resources that the authorization server knows: tokens of the second are opaque. */
export const jwtResource = 'https://mcp.kiln.test/mcp';
export const opaqueResource = 'https://opaque.kiln.test/mcp';
export const downstreamResource = 'https://ledger.kiln.test/api';

/** What the clients of the authorization server are called; each has its name as secret, too, long enough for HS256. */
export const clients = {
  machine: 'machine-client-with-a-long-secret-0001',
  gateway: 'resource-server-with-a-long-secret-001',
  bound: 'certificate-bound-with-long-secret-001',
  poster: 'resource-server-that-posts-its-secret',
  signer: 'resource-server-that-signs-assertions',
} as const;

/** A real authorization server on loopback. */
export interface AuthorizationServerFixture {
  readonly issuer: string;
  /** The paths that were asked for, in order. */
  readonly requests: string[];
  /** A token that a client got for itself. */
  machineToken(options?: TokenRequest): Promise<string>;
  /** A token of a user, and its refresh token. */
  userToken(subject: string, options?: TokenRequest): Promise<{ readonly access: string; readonly refresh: string }>;
  /** Revokes a token at the server. */
  revoke(token: string): Promise<void>;
  /** Replaces all keys. */
  rotate(): Promise<void>;
  /** Signs whatever is asked for with the server's own key. */
  sign(claims: JWTPayload, header?: SignOptions): Promise<string>;
  /** The key that the client `signer` signs its assertions with. */
  readonly assertionKey: CryptoKey;
  /** The server's public key. */
  publicJwk(): JWK;
  /** From now on, what is asked for under a path that ends like this is answered by this function. */
  intercept(path: string, answer: (response: ServerResponse, request: IncomingMessage) => void): void;
}

/** What a token is asked for. */
export interface TokenRequest {
  readonly resource?: string;
  readonly scope?: string;
  readonly client?: string;
  /** A proof for the token endpoint, to which the token is then bound. */
  readonly dpop?: string;
  /** A certificate as PEM, to which the token is then bound. */
  readonly certificate?: string;
}

/** The head of a token; its key and its algorithm are the server's unless given. */
export interface SignOptions {
  readonly alg?: string;
  readonly typ?: string | undefined;
  readonly kid?: string | undefined;
  readonly key?: CryptoKey | Uint8Array;
  readonly more?: { readonly [name: string]: unknown };
}

interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
  readonly privateJwk: JWK;
}

const USER_GRANT = 'urn:kiln:user';
const EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';

/** Opens an authorization server until the test is over. */
export async function openAuthorizationServer(): Promise<AuthorizationServerFixture> {
  const requests: string[] = [];
  const intercepted = new Map<string, Parameters<AuthorizationServerFixture['intercept']>[1]>();
  let serve: (request: IncomingMessage, response: ServerResponse) => void;
  const http = createHttpServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    requests.push(path);
    const instead = [...intercepted].find(([end]) => path.endsWith(end))?.[1];
    if (instead === undefined) serve(request, response);
    else instead(response, request);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const assertion = await createSigningKey();
  let key: SigningKey;
  async function useNewKey(): Promise<void> {
    key = await createSigningKey();
    // It warns of its adapter, which forgets everything with the process; a test wants just that.
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    const callback = createProvider(issuer, key, assertion.jwk).callback();
    warn.mockRestore();
    serve = (request, response) => void callback(request, response);
  }
  await useNewKey();

  async function post(path: string, client: string, body: object, headers: Record<string, string>): Promise<Response> {
    const response = await fetch(issuer + path, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${client}:${client}`)}`, ...headers },
      body: new URLSearchParams({ ...body }),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  }

  async function requestToken(grant: object, request: TokenRequest): Promise<Record<string, string>> {
    const { resource = jwtResource, scope = 'orders:read', client = clients.machine, dpop, certificate } = request;
    const headers = {
      ...(dpop === undefined ? {} : { dpop }),
      ...(certificate === undefined ? {} : { 'x-certificate': encodeURIComponent(certificate) }),
    };
    const response = await post('/token', client, { ...grant, resource, scope }, headers);
    return (await response.json()) as Record<string, string>;
  }

  return {
    issuer,
    requests,
    async machineToken(request = {}) {
      return (await requestToken({ grant_type: 'client_credentials' }, request))['access_token'] ?? '';
    },
    async userToken(subject, request = {}) {
      const answer = await requestToken({ grant_type: USER_GRANT, subject }, request);
      return { access: answer['access_token'] ?? '', refresh: answer['refresh_token'] ?? '' };
    },
    async revoke(token) {
      await post('/token/revocation', clients.machine, { token }, {});
    },
    rotate: useNewKey,
    sign(claims, { alg = 'ES256', typ = 'at+jwt', kid = key.jwk.kid, key: other = key.privateKey, more = {} } = {}) {
      const header = { alg, ...more, ...(typ === '' ? {} : { typ }), ...(kid === '' ? {} : { kid }) };
      return new SignJWT(claims).setProtectedHeader(header).sign(other);
    },
    assertionKey: assertion.privateKey,
    publicJwk: () => key.jwk,
    intercept: (path, answer) => void intercepted.set(path, answer),
  };
}

async function createSigningKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const named = { kid: await calculateJwkThumbprint(jwk), use: 'sig', alg: 'ES256' };
  return { privateKey, jwk: { ...jwk, ...named }, privateJwk: { ...(await exportJWK(privateKey)), ...named } };
}

function infoOf(resource: string): ResourceServer {
  return {
    audience: resource,
    scope: 'orders:read orders:write ledger:read',
    accessTokenFormat: resource === opaqueResource ? 'opaque' : 'jwt',
    ...(resource === opaqueResource ? {} : { jwt: { sign: { alg: 'ES256' } } }),
  };
}

function createProvider(issuer: string, key: SigningKey, assertionJwk: JWK): Provider {
  const shared = { redirect_uris: [], response_types: [], token_endpoint_auth_method: 'client_secret_basic' as const };
  const provider = new Provider(issuer, {
    clients: [
      {
        ...shared,
        client_id: clients.machine,
        client_secret: clients.machine,
        grant_types: ['client_credentials', USER_GRANT],
      },
      { ...shared, client_id: clients.gateway, client_secret: clients.gateway, grant_types: [EXCHANGE_GRANT] },
      {
        ...shared,
        client_id: clients.poster,
        client_secret: clients.poster,
        grant_types: [],
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        ...shared,
        client_id: clients.signer,
        grant_types: [],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: { keys: [assertionJwk] },
      },
      {
        ...shared,
        client_id: clients.bound,
        client_secret: clients.bound,
        grant_types: ['client_credentials'],
        tls_client_certificate_bound_access_tokens: true,
      },
    ],
    jwks: { keys: [key.privateJwk] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['offline_access', 'orders:read', 'orders:write', 'ledger:read'],
    extraTokenClaims: ({ oidc }) =>
      oidc.params?.['grant_type'] === EXCHANGE_GRANT ? { act: { sub: oidc.client?.clientId } } : undefined,
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: { AccessToken: 600, ClientCredentials: 600, RefreshToken: 3_600, Grant: 3_600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      revocation: { enabled: true, allowedPolicy: () => true },
      dPoP: { enabled: true },
      mTLS: {
        enabled: true,
        certificateBoundAccessTokens: true,
        getCertificate: (ctx) => {
          const header = ctx.get('x-certificate');
          return header === '' ? undefined : decodeURIComponent(header);
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => infoOf(resource),
      },
    },
  });
  provider.registerGrantType(USER_GRANT, (ctx) => grantUser(provider, ctx), ['subject', 'scope', 'resource']);
  provider.registerGrantType(EXCHANGE_GRANT, (ctx) => exchange(provider, key, ctx), [
    'subject_token',
    'subject_token_type',
    'requested_token_type',
    'audience',
    'resource',
    'scope',
    'actor_token',
    'actor_token_type',
  ]);
  return provider;
}

async function grantUser(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  const { client, params = {} } = ctx.oidc;
  const accountId = params['subject'] as string;
  const resource = params['resource'] as string;
  const scope = params['scope'] as string;
  const grant = new provider.Grant({ accountId, clientId: clients.machine });
  grant.addResourceScope(resource, scope);
  const grantId = await grant.save();
  const token = new provider.AccessToken({ accountId, client, grantId, gty: USER_GRANT, scope } as never);
  token.resourceServer = new provider.ResourceServer(resource, infoOf(resource));
  const refresh = new provider.RefreshToken({ accountId, client, grantId, gty: USER_GRANT, scope, resource } as never);
  ctx.body = {
    access_token: await token.save(),
    refresh_token: await refresh.save(),
    token_type: 'Bearer',
    expires_in: token.expiration,
    scope,
  };
}

/** What an authorization server does that supports RFC 8693: the new token is the user's, and names who acts. */
async function exchange(provider: Provider, key: SigningKey, ctx: KoaContextWithOIDC): Promise<void> {
  const { client, params = {} } = ctx.oidc;
  const resource = (params['resource'] ?? params['audience']) as string;
  const { payload } = await jwtVerify(params['subject_token'] as string, key.jwk, { issuer: provider.issuer });
  if (resource !== downstreamResource) {
    ctx.status = 400;
    ctx.body = { error: 'invalid_target', error_description: `no token for ${params['subject_token'] as string}` };
    return;
  }
  const scope = params['scope'] as string;
  const grant = new provider.Grant({ accountId: payload.sub ?? '', clientId: clients.gateway });
  grant.addResourceScope(resource, scope);
  const token = new provider.AccessToken({
    accountId: payload.sub,
    client,
    grantId: await grant.save(),
    gty: EXCHANGE_GRANT,
    scope,
  } as never);
  token.resourceServer = new provider.ResourceServer(resource, infoOf(resource));
  ctx.body = {
    access_token: await token.save(),
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: token.expiration,
    scope,
  };
}
