import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { type ClientMetadata, type KoaContextWithOIDC, Provider, type ResourceServer } from 'oidc-provider';
import { onTestFinished, vi } from 'vitest';

/** A request to the token endpoint, as it came. */
export interface TokenEndpointRequest {
  readonly parameters: URLSearchParams;
  readonly authorization: string | undefined;
}

/** A real authorization server on loopback, or an identity provider. */
export interface ProviderFixture {
  readonly issuer: string;
  readonly tokenRequests: TokenEndpointRequest[];
  /** Every path that was asked for. */
  readonly paths: string[];
  /** Signs claims with the provider's own key. */
  sign(claims: JWTPayload, type?: string): Promise<string>;
  /** From now on the token endpoint answers this in place of its own answer. */
  refuse(status: number, body: object): void;
}

/** What a grant of a test answers: for whom a token is, or what is sent in its place. */
export type CustomGrant = (
  parameters: Readonly<Record<string, unknown>>,
  issuer: string,
) => Promise<{ readonly subject: string } | { readonly body: object; readonly status?: number }>;

interface ProviderOptions {
  readonly clients: readonly ClientMetadata[];
  readonly grants?: Readonly<Record<string, CustomGrant>>;
  /** How long a token is good, in seconds. */
  readonly ttl?: number;
  /** What its metadata say that it takes at the token endpoint. */
  readonly authMethods?: readonly ('client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none')[];
  readonly signingAlgorithms?: readonly ('ES256' | 'RS256' | 'EdDSA')[];
}

const parametersOfGrants = [
  'assertion',
  'scope',
  'resource',
  'audience',
  'client_id',
  'subject_token',
  'subject_token_type',
  'requested_token_type',
];

/** Opens a provider until the test is over. */
export async function openProvider(options: ProviderOptions): Promise<ProviderFixture> {
  const { clients, grants = {}, ttl = 600, signingAlgorithms = ['ES256', 'RS256', 'EdDSA'] } = options;
  const { authMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'] } = options;
  const tokenRequests: TokenEndpointRequest[] = [];
  const paths: string[] = [];
  let refusal: { readonly status: number; readonly body: object } | undefined;
  let serve: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const http = createHttpServer((request, response) => {
    paths.push((request.url ?? '').split('?')[0] ?? '');
    serve(request, response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => void http.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk: JWK = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig' };

  // It warns of its adapter, which forgets everything with the process; a test wants just that.
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const provider = new Provider(issuer, {
    clients: [...clients],
    jwks: { keys: [jwk] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    scopes: ['orders:read', 'orders:write'],
    clientAuthMethods: [...authMethods],
    enabledJWA: { clientAuthSigningAlgValues: [...signingAlgorithms] },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    ttl: { AccessToken: ttl, ClientCredentials: ttl, Grant: 3600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => infoOf(resource),
      },
    },
  });
  provider.use(async (ctx, next) => {
    if (ctx.path === '/token' && refusal !== undefined) {
      tokenRequests.push({ parameters: new URLSearchParams(await textOf(ctx.req)), authorization: undefined });
      ctx.status = refusal.status;
      ctx.body = refusal.body;
      return;
    }
    try {
      await next();
    } finally {
      const { params = {} } = ctx.path === '/token' ? (ctx as KoaContextWithOIDC).oidc : {};
      const given = Object.entries(params).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
      const request = { parameters: new URLSearchParams(given), authorization: ctx.headers.authorization };
      if (ctx.path === '/token') tokenRequests.push(request);
    }
  });
  for (const [type, grant] of Object.entries(grants)) {
    provider.registerGrantType(type, (ctx) => answerGrant(provider, ctx, grant), parametersOfGrants);
  }
  const callback = provider.callback();
  warn.mockRestore();
  serve = (request, response) => void callback(request, response);

  return {
    issuer,
    tokenRequests,
    paths,
    sign: (claims, typ = 'JWT') => new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ }).sign(privateKey),
    refuse: (status, body) => void (refusal = { status, body }),
  };
}

function infoOf(resource: string): ResourceServer {
  const jwt = { sign: { alg: 'ES256' as const } };
  return { audience: resource, scope: 'orders:read orders:write', accessTokenFormat: 'jwt', jwt };
}

async function answerGrant(provider: Provider, ctx: KoaContextWithOIDC, grant: CustomGrant): Promise<void> {
  const { client, params = {} } = ctx.oidc;
  const answer = await grant(params, provider.issuer);
  if ('body' in answer) {
    ctx.status = answer.status ?? 200;
    ctx.body = answer.body;
    return;
  }
  const { subject: accountId } = answer;
  const resource = params['resource'] as string;
  const scope = (params['scope'] as string | undefined) ?? '';
  const given = new provider.Grant({ accountId, clientId: client?.clientId ?? '' });
  given.addResourceScope(resource, scope);
  const gty = 'test';
  const token = new provider.AccessToken({ accountId, client, grantId: await given.save(), gty, scope } as never);
  token.resourceServer = new provider.ResourceServer(resource, infoOf(resource));
  ctx.body = { access_token: await token.save(), token_type: 'Bearer', expires_in: token.expiration, scope };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += String(part);
  return text;
}
