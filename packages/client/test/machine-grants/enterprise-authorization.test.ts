import { decodeJwt, generateKeyPair, exportJWK } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/index.ts';
import {
  enterpriseAuthorization,
  type EnterpriseAuthorizationOptions,
} from '../../src/authorization/enterprise-authorization.ts';
import { createMemoryTokenStore } from '../../src/authorization/memory-token-store.ts';
import { createOAuthCredentials } from '../../src/authorization/oauth-credentials.ts';
import type { TokenStore } from '../../src/authorization/token-store.ts';
import { type CustomGrant, openProvider, type ProviderFixture } from './open-provider.ts';
import { serveProtected } from './serve-protected.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const secret = 'the secret of the client at the server';
const shared = { redirect_uris: [], response_types: [] };

interface Enterprise {
  readonly idp: ProviderFixture;
  readonly server: ProviderFixture;
  readonly url: string;
  /** What the identity provider answers in place of an assertion. */
  answer(body: object, status?: number): void;
  idToken(user: string): Promise<string>;
  options(user: string, more?: Partial<EnterpriseAuthorizationOptions>): EnterpriseAuthorizationOptions;
}

async function openEnterprise(): Promise<Enterprise> {
  let instead: { readonly body: object; readonly status?: number } | undefined;
  const exchange: CustomGrant = async ({ subject_token: idToken, audience, resource }, issuer) => {
    if (instead !== undefined) return instead;
    const { sub } = decodeJwt(idToken as string);
    const claims = {
      iss: issuer,
      sub: sub ?? '',
      aud: audience as string,
      resource,
      client_id: 'mcp-client',
      jti: 'j',
    };
    const assertion = await idp.sign(claims, 'oauth-id-jag+jwt');
    return { body: { access_token: assertion, issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 300 } };
  };
  const idp = await openProvider({
    clients: [
      { ...shared, client_id: 'desktop', token_endpoint_auth_method: 'none', grant_types: [EXCHANGE] },
      { ...shared, client_id: 'web', client_secret: `${secret} of web`, grant_types: [EXCHANGE] },
    ],
    grants: { [EXCHANGE]: exchange },
  });
  const server = await openProvider({
    clients: [{ ...shared, client_id: 'mcp-client', client_secret: secret, grant_types: [JWT_BEARER] }],
    grants: {
      [JWT_BEARER]: ({ assertion }, issuer) => {
        const { sub = '', aud } = decodeJwt(assertion as string);
        if (aud !== issuer) return Promise.resolve({ status: 400, body: { error: 'invalid_grant' } });
        return Promise.resolve({ subject: sub });
      },
    },
  });
  const url = await serveProtected(server.issuer);
  const idToken = (user: string): Promise<string> => idp.sign({ iss: idp.issuer, sub: user, aud: 'desktop' });
  return {
    idp,
    server,
    url,
    answer: (body, status) => void (instead = { body, ...(status === undefined ? {} : { status }) }),
    idToken,
    options: (user, more = {}) => ({
      user,
      idToken: () => idToken(user),
      identityProvider: { issuer: idp.issuer, clientId: 'desktop' },
      client: { issuer: server.issuer, clientId: 'mcp-client', secret },
      ...more,
    }),
  };
}

async function reach(url: string, options: EnterpriseAuthorizationOptions, store?: TokenStore) {
  const grant = enterpriseAuthorization(options);
  const credentials = createOAuthCredentials({ serverUrl: url, grant, ...(store === undefined ? {} : { store }) });
  const client = await connect(url, { credentials });
  onTestFinished(() => client.close());
  return client;
}

describe('enterpriseAuthorization', () => {
  it('[EXT-05] exchanges the ID token for an assertion, and that for a token, without a redirect', async () => {
    const { idp, server, url, idToken, options } = await openEnterprise();
    const client = await reach(url, options('mira'));
    expect((await client.callTool('who')).structuredContent).toEqual({ who: 'mira' });
    expect(idp.tokenRequests.map(({ parameters }) => Object.fromEntries(parameters))).toEqual([
      {
        grant_type: EXCHANGE,
        client_id: 'desktop',
        requested_token_type: ID_JAG,
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
        subject_token: expect.any(String),
        audience: server.issuer,
        resource: url,
        scope: 'orders:read',
      },
    ]);
    const [request] = server.tokenRequests;
    expect(server.tokenRequests.length).toBe(1);
    expect(request?.authorization).toMatch(/^Basic /);
    expect(request?.parameters.get('grant_type')).toBe(JWT_BEARER);
    expect(decodeJwt(request?.parameters.get('assertion') ?? '')).toMatchObject({ aud: server.issuer, resource: url });
    // The ID token is for the identity provider alone.
    const { sub } = decodeJwt(await idToken('mira'));
    expect(sub).toBe('mira');
    expect(request?.parameters.get('assertion')).not.toBe(idp.tokenRequests[0]?.parameters.get('subject_token'));
    expect([...idp.paths, ...server.paths].filter((path) => /auth$|authorize/.test(path))).toEqual([]);
  });

  it('[EXT-05] shows the identity provider who the client is where it keeps a secret there', async () => {
    const { idp, url, options } = await openEnterprise();
    const identityProvider = {
      issuer: idp.issuer,
      tokenEndpoint: `${idp.issuer}/token`,
      clientId: 'web',
      secret: `${secret} of web`,
    };
    await reach(url, options('mira', { identityProvider }));
    expect(idp.tokenRequests[0]?.authorization).toMatch(/^Basic /);
    expect(idp.paths).toEqual(['/token']);
  });

  it('keeps the tokens of two users apart in one store', async () => {
    const { url, options } = await openEnterprise();
    const store = createMemoryTokenStore();
    const mira = await reach(url, options('mira'), store);
    const noor = await reach(url, options('noor'), store);
    expect((await mira.callTool('who')).structuredContent).toEqual({ who: 'mira' });
    expect((await noor.callTool('who')).structuredContent).toEqual({ who: 'noor' });
  });

  it.each([
    [
      'refuses',
      { error: 'access_denied', error_description: 'not for interns' },
      403,
      /access_denied: "not for interns"/,
    ],
    ['answers another kind of token', { access_token: 'at-1', token_type: 'Bearer' }, 200, /no identity assertion/],
    ['answers nonsense', { hello: 'world' }, 200, /answer of the identity provider .* is not usable/],
  ])('[EXT-05] ends with what is wrong where the identity provider %s, and tries nothing else', async (...row) => {
    const [, body, status, sentence] = row;
    const { idp, server, url, options, answer } = await openEnterprise();
    answer(body, status);
    const failure = await reach(url, options('mira')).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'authorization' });
    expect(String(failure)).toMatch(sentence);
    expect(String(failure)).not.toContain(idp.tokenRequests[0]?.parameters.get('subject_token'));
    expect(idp.tokenRequests.length).toBe(1);
    expect(server.tokenRequests).toEqual([]);
  });

  it('[EXT-05] asks once where the authorization server refuses the assertion, and shows it to nobody', async () => {
    const { idp, server, url, options } = await openEnterprise();
    server.refuse(400, { error: 'invalid_grant' });
    const failure = await reach(url, options('mira')).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'authorization', oauthError: 'invalid_grant' });
    expect(server.tokenRequests.length).toBe(1);
    expect(idp.tokenRequests.length).toBe(1);
    expect(String(failure)).not.toContain(server.tokenRequests[0]?.parameters.get('assertion'));
  });

  it('[EXT-05] asks the identity provider for nothing where the MCP server wants tokens of a stranger', async () => {
    const { idp, url, options } = await openEnterprise();
    const client = { issuer: 'https://as.example', clientId: 'mcp-client', secret };
    await expect(reach(url, options('mira', { client }))).rejects.toMatchObject({ code: 'authorization' });
    expect(idp.tokenRequests).toEqual([]);
  });

  it('says so where the user is not logged in at the identity provider', async () => {
    const { url, options } = await openEnterprise();
    await expect(reach(url, options('mira', { idToken: () => '' }))).rejects.toThrow(/no ID token of the user "mira"/);
  });

  it('signs for the identity provider and for the authorization server with keys of their own', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(publicKey)), use: 'sig', alg: 'ES256' };
    const signer = { ...shared, token_endpoint_auth_method: 'private_key_jwt' as const, jwks: { keys: [jwk] } };
    const idp = await openProvider({
      clients: [{ ...signer, client_id: 'web', grant_types: [EXCHANGE] }],
      grants: {
        [EXCHANGE]: () =>
          Promise.resolve({ body: { access_token: 'a.b.c', issued_token_type: ID_JAG, token_type: 'N_A' } }),
      },
    });
    const server = await openProvider({
      clients: [{ ...signer, client_id: 'mcp-client', grant_types: [JWT_BEARER] }],
      grants: { [JWT_BEARER]: () => Promise.resolve({ subject: 'mira' }) },
    });
    const client = await reach(await serveProtected(server.issuer), {
      user: 'mira',
      idToken: () => 'an ID token',
      identityProvider: { issuer: idp.issuer, clientId: 'web', privateKey },
      client: { issuer: server.issuer, clientId: 'mcp-client', privateKey },
    });
    expect((await client.callTool('who')).structuredContent).toEqual({ who: 'mira' });
    const audiences = [idp, server].map(
      ({ tokenRequests: [request] }) => decodeJwt(request?.parameters.get('client_assertion') ?? '').aud,
    );
    expect(audiences).toEqual([idp.issuer, server.issuer]);
  });
});
