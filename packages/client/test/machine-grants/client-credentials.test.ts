import { exportJWK, exportPKCS8, generateKeyPair } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ClientError, connect } from '../../src/index.ts';
import { clientCredentials } from '../../src/authorization/client-credentials.ts';
import { createOAuthCredentials } from '../../src/authorization/oauth-credentials.ts';
import type { Grant } from '../../src/authorization/grant.ts';
import { createWorld, guard, scriptAuthorizationServer, wantsToken } from '../authorization/scripted-world.ts';
import { openProvider } from './open-provider.ts';
import { serveProtected } from './serve-protected.ts';

const shared = { redirect_uris: [], response_types: [], grant_types: ['client_credentials'] };
const secret = 'a secret: with unusual parts %+&=/~!* and more than 32 characters';
const basic = { ...shared, client_id: 'batch job-1', client_secret: secret };
const posting = { ...basic, client_id: 'poster', token_endpoint_auth_method: 'client_secret_post' as const };

const ecKey = async () => exportPKCS8((await generateKeyPair('ES256', { extractable: true })).privateKey);

async function reach(serverUrl: string, grant: Grant) {
  const credentials = createOAuthCredentials({ serverUrl, grant });
  const client = await connect(serverUrl, { credentials });
  onTestFinished(() => client.close());
  return client;
}

async function signingClient(algorithm: 'ES256' | 'RS256' | 'EdDSA') {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), use: 'sig', alg: algorithm };
  const client = {
    ...shared,
    client_id: 'signer',
    token_endpoint_auth_method: 'private_key_jwt' as const,
    token_endpoint_auth_signing_alg: algorithm,
    jwks: { keys: [jwk] },
  };
  return { privateKey, client };
}

describe('clientCredentials', () => {
  it('[EXT-02] gets a token for itself by its secret, for the MCP server and the scopes that it names', async () => {
    const provider = await openProvider({ clients: [basic] });
    const url = await serveProtected(provider.issuer);
    const grant = clientCredentials({ issuer: provider.issuer, clientId: basic.client_id, secret: () => secret });
    const client = await reach(url, grant);
    expect((await client.callTool('who')).structuredContent).toEqual({ who: basic.client_id });
    expect(provider.tokenRequests.length).toBe(1);
    const [{ parameters, authorization }] = provider.tokenRequests as [(typeof provider.tokenRequests)[0]];
    expect(Object.fromEntries(parameters)).toEqual({
      grant_type: 'client_credentials',
      resource: url,
      scope: 'orders:read',
    });
    expect(authorization).toMatch(/^Basic /);
  });

  it('[EXT-02] posts the secret where the authorization server takes it no other way', async () => {
    const provider = await openProvider({ clients: [posting], authMethods: ['client_secret_post'] });
    const url = await serveProtected(provider.issuer);
    await reach(url, clientCredentials({ issuer: provider.issuer, clientId: 'poster', secret }));
    const [request] = provider.tokenRequests;
    expect(request?.authorization).toBeUndefined();
    expect(request?.parameters.get('client_id')).toBe('poster');
  });

  it.each(['ES256', 'RS256', 'EdDSA'] as const)(
    '[EXT-02] signs an assertion with a key of %s from PEM, from a JWK, and from a CryptoKey that cannot be exported',
    async (algorithm) => {
      const { privateKey, client } = await signingClient(algorithm);
      const provider = await openProvider({ clients: [client] });
      const url = await serveProtected(provider.issuer);
      const jwk = await exportJWK(privateKey);
      const algorithmOf = {
        ES256: { name: 'ECDSA', namedCurve: 'P-256' },
        RS256: privateKey.algorithm,
        EdDSA: 'Ed25519',
      };
      const cryptoKey = await crypto.subtle.importKey('jwk', jwk as never, algorithmOf[algorithm], false, ['sign']);
      for (const key of [await exportPKCS8(privateKey), jwk, cryptoKey, () => Promise.resolve(jwk)]) {
        const grant = clientCredentials({ issuer: provider.issuer, clientId: 'signer', privateKey: key });
        await reach(url, grant);
      }
      expect(provider.tokenRequests.length).toBe(4);
      const used = provider.tokenRequests.map(({ parameters }) => claimsOf(parameters.get('client_assertion')));
      for (const { header, payload } of used) {
        expect(header.alg).toBe(algorithm);
        expect(payload).toMatchObject({ iss: 'signer', sub: 'signer', aud: provider.issuer });
        expect(payload.exp - payload.iat).toBeLessThanOrEqual(60);
      }
      expect(new Set(used.map(({ payload }) => payload.jti)).size).toBe(4);
    },
  );

  it('[EXT-03] prefers the assertion where it has a secret, too', async () => {
    const { privateKey, client } = await signingClient('ES256');
    const provider = await openProvider({ clients: [client] });
    const url = await serveProtected(provider.issuer);
    await reach(url, clientCredentials({ issuer: provider.issuer, clientId: 'signer', privateKey, secret }));
    const [request] = provider.tokenRequests;
    expect(request?.parameters.get('client_assertion_type')).toBe(
      'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    );
    expect(String(request?.parameters)).not.toContain(encodeURIComponent(secret));
    expect(request?.authorization).toBeUndefined();
  });

  it('[EXT-03] gets another token before the old one ends, and asks for the secret anew', async () => {
    const provider = await openProvider({ clients: [basic], ttl: 600 });
    const url = await serveProtected(provider.issuer);
    let now = Date.now();
    let asked = 0;
    const grant = clientCredentials({
      issuer: provider.issuer,
      clientId: basic.client_id,
      secret() {
        asked += 1;
        return Promise.resolve(secret);
      },
    });
    const credentials = createOAuthCredentials({ serverUrl: url, grant, epochNow: () => now, dpop: false });
    const client = await connect(url, { credentials });
    onTestFinished(() => client.close());
    await client.callTool('who');
    const before = credentials.principal();
    expect(provider.tokenRequests.length).toBe(1);
    now += 599_000;
    expect((await client.callTool('who')).structuredContent).toEqual({ who: basic.client_id });
    expect(provider.tokenRequests.length).toBe(2);
    expect(asked).toBe(2);
    expect(credentials.principal()).not.toBe(before);
  });

  it.each([
    ['token_endpoint_auth_methods_supported', 5],
    ['token_endpoint_auth_methods_supported', { includes: 1 }],
    ['scopes_supported', { a: 1 }],
    ['code_challenge_methods_supported', 'S256'],
  ])('[EXT-02] takes metadata whose %s are no list for such as say nothing of them', async (name, value) => {
    const world = createWorld();
    const server = scriptAuthorizationServer(world, { metadata: { [name]: value } });
    const mcp = guard(world, wantsToken);
    const grant = clientCredentials({ issuer: server.issuer, clientId: 'job', secret });
    expect(await mcp.call(createOAuthCredentials({ serverUrl: mcp.url, grant, fetch: world.fetch }))).toBe(200);
  });

  it.each([
    ['token_endpoint_auth_methods_supported', { secret }],
    ['token_endpoint_auth_signing_alg_values_supported', { privateKey: ecKey }],
  ])('[EXT-02] shows little of what the metadata of a server say in %s', async (name, shown) => {
    const world = createWorld();
    const metadata = { token_endpoint_auth_methods_supported: ['private_key_jwt'] };
    const nonsense = [`a\n\u202e${'x'.repeat(100_000)}`];
    const server = scriptAuthorizationServer(world, { metadata: { ...metadata, [name]: nonsense } });
    const mcp = guard(world, wantsToken);
    const key = 'privateKey' in shown ? { privateKey: await ecKey() } : shown;
    const grant = clientCredentials({ issuer: server.issuer, clientId: 'job', ...key });
    const call = mcp.call(createOAuthCredentials({ serverUrl: mcp.url, grant, fetch: world.fetch }));
    const error = (await call.catch((cause: unknown) => cause)) as ClientError;
    expect(error).toMatchObject({ code: 'authorization' });
    expect(error.message.length).toBeLessThan(600);
    expect(error.message).not.toMatch(/[\n\u202e]/);
  });

  it('[EXT-02] gives its credentials to no other authorization server than its own', async () => {
    const own = await openProvider({ clients: [basic] });
    const other = await openProvider({ clients: [basic] });
    const url = await serveProtected(other.issuer);
    const grant = clientCredentials({ issuer: own.issuer, clientId: basic.client_id, secret });
    const failure = await reach(url, grant).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'authorization' });
    expect(String(failure)).toContain(other.issuer);
    expect(String(failure)).toContain('nothing was sent there');
    expect(other.tokenRequests).toEqual([]);
  });

  it('takes its own authorization server where the MCP server names another one first', async () => {
    const own = await openProvider({ clients: [basic] });
    const other = await openProvider({ clients: [basic] });
    const url = await serveProtected(other.issuer, own.issuer);
    const client = await reach(url, clientCredentials({ issuer: own.issuer, clientId: basic.client_id, secret }));
    expect((await client.callTool('who')).structuredContent).toEqual({ who: basic.client_id });
  });

  it('[EXT-02] says what the authorization server refused, without the secret', async () => {
    const provider = await openProvider({ clients: [basic] });
    const url = await serveProtected(provider.issuer);
    const wrong = 'another secret that nobody knows';
    const grant = clientCredentials({ issuer: provider.issuer, clientId: basic.client_id, secret: wrong });
    const failure = (await reach(url, grant).catch((error: unknown) => error)) as ClientError;
    expect(failure).toBeInstanceOf(ClientError);
    expect(failure).toMatchObject({ code: 'authorization', oauthError: 'invalid_client' });
    expect(inspected(failure)).not.toContain(wrong);
  });

  it.each([
    ['no PEM text', () => 'not a key', /no PEM text/],
    ['a PEM text of another kind', () => '-----BEGIN EC PRIVATE KEY-----\nMHc\n', /EC PRIVATE KEY.*openssl pkcs8/],
    [
      'a PEM text that is cut',
      () => '-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMG\n-----END PRIVATE KEY-----',
      /none of ES256/,
    ],
    ['a public JWK', () => ({ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }), /no private part/],
    ['a JWK on another curve', () => ({ kty: 'EC', crv: 'P-384', x: 'x', y: 'y', d: 'topsecretd' }), /none of/],
  ])('refuses %s as a key before anything is sent, and shows nothing of it', async (_, privateKey, sentence) => {
    const { client } = await signingClient('ES256');
    const provider = await openProvider({ clients: [client] });
    const url = await serveProtected(provider.issuer);
    const grant = clientCredentials({ issuer: provider.issuer, clientId: 'signer', privateKey });
    const failure = await reach(url, grant).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'invalid-argument' });
    expect(String(failure)).toMatch(sentence);
    expect(inspected(failure)).not.toMatch(/MHc|MIGHAgEAMBMG|topsecretd/);
    expect(provider.tokenRequests).toEqual([]);
  });

  it('says so where the authorization server takes neither what it has nor its algorithm', async () => {
    const { privateKey } = await signingClient('ES256');
    const secrets = await openProvider({ clients: [basic], authMethods: ['client_secret_basic'] });
    const url = await serveProtected(secrets.issuer);
    const grant = clientCredentials({ issuer: secrets.issuer, clientId: 'signer', privateKey });
    await expect(reach(url, grant)).rejects.toThrow(/takes client_secret_basic, and this client has private_key_jwt/);
    const { client: rsa } = await signingClient('RS256');
    const other = await openProvider({ clients: [rsa], signingAlgorithms: ['RS256'] });
    const otherGrant = clientCredentials({ issuer: other.issuer, clientId: 'signer', privateKey });
    await expect(reach(await serveProtected(other.issuer), otherGrant)).rejects.toThrow(/takes assertions of RS256/);
  });
});

function claimsOf(jwt: string | null) {
  const [header, payload] = (jwt ?? '').split('.').map((part) => Buffer.from(part, 'base64url').toString() || '{}');
  return {
    header: JSON.parse(header ?? '{}') as { readonly alg: string },
    payload: JSON.parse(payload ?? '{}') as { readonly exp: number; readonly iat: number; readonly jti: string },
  };
}

/** Everything that a log could show of an error. */
function inspected(error: unknown): string {
  return JSON.stringify(error, (_, value: unknown) =>
    value instanceof Error ? [value.message, value.stack, value.cause, { ...value }] : value,
  );
}
