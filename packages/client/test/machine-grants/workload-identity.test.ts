import { decodeJwt, SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../src/index.ts';
import { createMemoryTokenStore } from '../../src/authorization/memory-token-store.ts';
import { createOAuthCredentials, type OAuthCredentialsOptions } from '../../src/authorization/index.ts';
import {
  type AssertionRequest,
  workloadIdentity,
  type WorkloadIdentityOptions,
} from '../../src/authorization/workload-identity.ts';
import { openProvider } from './open-provider.ts';
import { serveProtected } from './serve-protected.ts';

const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const key = new TextEncoder().encode('a key of the platform that nobody else has');

const assertionFor =
  (subject: string) =>
  ({ tokenEndpoint }: AssertionRequest) =>
    new SignJWT({ sub: subject, iss: 'spiffe://cluster.test', aud: tokenEndpoint })
      .setProtectedHeader({ alg: 'HS256' })
      .setExpirationTime('5m')
      .sign(key);

async function openCluster(ttl = 600) {
  const client = { redirect_uris: [], response_types: [], grant_types: [JWT_BEARER] };
  const provider = await openProvider({
    ttl,
    clients: [{ ...client, client_id: 'cluster', token_endpoint_auth_method: 'none' }],
    grants: {
      [JWT_BEARER]: ({ assertion }) => Promise.resolve({ subject: decodeJwt(assertion as string).sub ?? '' }),
    },
  });
  return { provider, url: await serveProtected(provider.issuer) };
}

async function reach(
  url: string,
  options: Omit<WorkloadIdentityOptions, 'workload'> & { readonly workload?: string },
  more: Partial<OAuthCredentialsOptions> = {},
) {
  const grant = workloadIdentity({ workload: 'router', clientId: 'cluster', ...options });
  const credentials = createOAuthCredentials({ serverUrl: url, grant, ...more });
  const client = await connect(url, { credentials });
  onTestFinished(() => client.close());
  return client;
}

describe('workloadIdentity', () => {
  it('[EXT-08] exchanges the JWT of the platform for a token, and nothing else', async () => {
    const { provider, url } = await openCluster();
    const client = await reach(url, { issuer: provider.issuer, assertion: assertionFor('ns/router') });
    expect((await client.callTool('who')).structuredContent).toEqual({ who: 'ns/router' });
    expect(provider.tokenRequests.map(({ parameters }) => Object.fromEntries(parameters))).toEqual([
      {
        grant_type: JWT_BEARER,
        client_id: 'cluster',
        assertion: expect.any(String),
        resource: url,
        scope: 'orders:read',
      },
    ]);
  });

  it('asks for an assertion anew before the token ends', async () => {
    const { provider, url } = await openCluster(600);
    let now = Date.now();
    const asked: string[] = [];
    const assertion = (request: AssertionRequest) => {
      asked.push(`${request.issuer} ${request.tokenEndpoint} ${request.resource}`);
      return assertionFor('ns/router')(request);
    };
    const client = await reach(url, { issuer: provider.issuer, assertion }, { epochNow: () => now, dpop: false });
    await client.callTool('who');
    now += 599_000;
    await client.callTool('who');
    expect(asked).toEqual(Array(2).fill(`${provider.issuer} ${provider.issuer}/token ${url}`));
  });

  it.each(['invalid_grant', 'invalid_scope', 'unauthorized_client', 'unsupported_grant_type'])(
    '[EXT-08] ends with %s after one request, and shows the assertion to nobody',
    async (oauthError) => {
      const { provider, url } = await openCluster();
      provider.refuse(400, { error: oauthError });
      const reaching = reach(url, { issuer: provider.issuer, assertion: assertionFor('ns/router') });
      const failure = await reaching.catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'authorization', oauthError });
      expect(provider.tokenRequests.length).toBe(1);
      const [{ parameters }] = provider.tokenRequests as [(typeof provider.tokenRequests)[0]];
      expect(parameters.get('grant_type')).toBe(JWT_BEARER);
      expect(String(failure)).not.toContain(parameters.get('assertion'));
      expect(provider.paths.filter((path) => path !== '/token' && !path.startsWith('/.well-known/'))).toEqual([]);
    },
  );

  it('[EXT-08] gives no assertion to another authorization server', async () => {
    const { provider, url } = await openCluster();
    let asked = 0;
    const assertion = () => `${(asked += 1)}`;
    const reaching = reach(url, { issuer: 'https://as.example', assertion });
    await expect(reaching).rejects.toMatchObject({ code: 'authorization' });
    expect(asked).toBe(0);
    expect(provider.tokenRequests).toEqual([]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('the metadata service is down')), /the metadata service is down/],
    ['is empty', () => ' \n', /is no text/],
  ])('says so where the assertion %s, and asks no authorization server', async (_, assertion, sentence) => {
    const { provider, url } = await openCluster();
    await expect(reach(url, { issuer: provider.issuer, assertion })).rejects.toThrow(sentence);
    expect(provider.tokenRequests).toEqual([]);
  });

  it('keeps the tokens of two workloads apart in one store', async () => {
    const { provider, url } = await openCluster();
    const store = createMemoryTokenStore();
    const { issuer } = provider;
    const router = await reach(url, { issuer, assertion: assertionFor('ns/router') }, { store });
    const other = await reach(url, { issuer, workload: 'other', assertion: assertionFor('ns/other') }, { store });
    expect((await router.callTool('who')).structuredContent).toEqual({ who: 'ns/router' });
    expect((await other.callTool('who')).structuredContent).toEqual({ who: 'ns/other' });
  });
});
