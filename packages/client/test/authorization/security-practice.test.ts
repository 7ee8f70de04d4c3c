import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createOAuthCredentials, type Grant, workloadIdentity } from '../../src/authorization/index.ts';
import { failure } from '../expect-failure.ts';
import { type Asked, createWorld, guard, scriptAuthorizationServer } from './scripted-world.ts';

function setUp(metadata: Readonly<Record<string, unknown>> = {}) {
  const world = createWorld();
  const server = scriptAuthorizationServer(world, { metadata });
  let newest = '';
  const { token } = server;
  server.token = (asked) => {
    const answer = token(asked) as { readonly access_token: string };
    newest = answer.access_token;
    return answer;
  };
  const mcp = guard(world, (authorization) => (authorization === `Bearer ${newest}` ? undefined : { status: 401 }));
  const { redirect } = server;
  const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch });
  const dropToken = (): void => void (newest = 'dropped');
  return { world, server, mcp, credentials, dropToken };
}

describe('an error of an authorization server', () => {
  const secret = 'kiln-secret+of/the=client';
  const basicOf = (headers: Readonly<Record<string, string>>): string => headers['authorization']?.split(' ')[1] ?? '';

  it.each<[string, (asked: Asked) => string]>([
    ['the header', ({ headers }) => headers['authorization'] ?? ''],
    ['what the header holds', ({ headers }) => basicOf(headers)],
    ['the same as Base64url', ({ headers }) => Buffer.from(basicOf(headers), 'base64').toString('base64url')],
    ['the secret as Base64', () => btoa(secret)],
    ['the secret in hexadecimal digits', () => Buffer.from(secret).toString('hex')],
    ['the secret', () => secret],
    ['the code', ({ form }) => form.get('code') ?? ''],
    ['the code as Base64', ({ form }) => btoa(form.get('code') ?? '')],
    ['the verifier', ({ form }) => form.get('code_verifier') ?? ''],
  ])('shows no secret that it says back: %s', async (_what, echoOf) => {
    const { server, world, mcp } = setUp({ token_endpoint_auth_methods_supported: ['client_secret_basic'] });
    let echo = '';
    server.token = (asked) => {
      echo = echoOf(asked);
      return Response.json({ error: 'invalid_grant', error_description: `no: ${echo}.` }, { status: 400 });
    };
    const { redirect } = server;
    const client = { clientId: 'kiln', secret, issuer: server.issuer };
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, client, fetch: world.fetch });
    const { message } = await failure(credentials.login());
    expect(echo.length).toBeGreaterThan(10);
    expect(message).toContain('no: ');
    expect(message).not.toContain(echo.replace(/^Basic /, ''));
  });
});

describe('an error of an authorization server of a machine', () => {
  const own: Grant = {
    type: 'device',
    client: () => ({ client: { client_id: 'device-1' }, authentication: () => undefined }),
    obtain: ({ token }) => token('urn:ietf:params:oauth:grant-type:device_code', { device_code: 'code-of-a-device' }),
  };
  const workload = workloadIdentity({ issuer: 'any', workload: 'job', assertion: () => 'an-odd-assertion' });

  it.each([
    ['device_code', 'a grant of the caller', own],
    ['assertion', 'a workload', workload],
  ])('shows no %s that it says back, which %s sent, but what was asked for', async (parameter, _sender, grant) => {
    const { server, world, mcp } = setUp();
    server.token = ({ form }) => {
      const said = `${form.get(parameter)} is not good for ${form.get('grant_type')}`;
      return Response.json({ error: 'invalid_grant', error_description: said }, { status: 400 });
    };
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, grant, fetch: world.fetch });
    const { message } = await failure(credentials.login());
    expect(message).toContain('"[redacted] is not good for urn:ietf:params:oauth:grant-type:');
  });
});

describe('the security practice of OAuth 2.1', () => {
  it('[AUTHRS-20] is kept: codes with proof and an exact redirect, each used once, and no grant beyond them', async () => {
    const { server, mcp, credentials, dropToken } = setUp();
    expect(await mcp.call(credentials)).toBe(200);
    dropToken();
    expect(await mcp.call(credentials)).toBe(200);
    const [authorization] = server.authorizations;
    const [exchanged, refreshed, ...more] = server.tokenRequests;
    expect([server.authorizations.length, more]).toEqual([1, []]);
    expect(authorization?.get('response_type')).toBe('code');
    expect(authorization?.get('code_challenge_method')).toBe('S256');
    const verifier = exchanged?.get('code_verifier') ?? '';
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(authorization?.get('code_challenge'));
    expect(exchanged?.get('redirect_uri')).toBe(authorization?.get('redirect_uri'));
    expect(server.tokenRequests.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token']);
    expect(refreshed?.get('code')).toBeNull();
    expect(authorization?.get('resource')).toBe(mcp.url);
    expect(refreshed?.get('resource')).toBe(mcp.url);
  });

  it('[AUTHRS-20] is kept: no token, code or verifier stands in a URL, and a token is sent to its server alone', async () => {
    const { world, server, mcp, credentials, dropToken } = setUp();
    await mcp.call(credentials);
    dropToken();
    await mcp.call(credentials);
    const secrets = /access-token|refresh-token|an-authorization-code/;
    const verifier = server.tokenRequests[0]?.get('code_verifier') ?? 'none';
    expect(world.asked.length).toBeGreaterThan(4);
    for (const { url, headers, body } of world.asked) {
      expect(url).not.toMatch(secrets);
      expect(url).not.toContain(verifier);
      expect(`${JSON.stringify(headers)}${body}`).not.toContain('access-token');
    }
    expect(server.authorizations.map(String).join()).not.toContain(verifier);
  });
});

describe('the communication security of OAuth 2.1', () => {
  it.each(['authorization_endpoint', 'token_endpoint', 'registration_endpoint'])(
    '[AUTHRS-21] leaves an authorization server whose %s is not https, before anything is sent there',
    async (endpoint) => {
      const { world, server, mcp, credentials } = setUp({ [endpoint]: 'http://as.kiln.test/endpoint' });
      const error = await failure(mcp.call(credentials));
      expect(error).toMatchObject({ code: 'authorization', message: expect.stringContaining(endpoint) });
      expect([server.authorizations, server.tokenRequests, server.registrations]).toEqual([[], [], []]);
      expect(world.urls().filter((url) => !url.startsWith('https:'))).toEqual([]);
    },
  );

  it('[AUTHRS-21] asks for no metadata over http', async () => {
    const world = createWorld();
    const issuer = 'http://as.kiln.test';
    const server = scriptAuthorizationServer(world, { issuer });
    const mcp = guard(world, () => ({ status: 401 }), { metadata: { authorization_servers: [issuer] } });
    const { redirect } = server;
    const credentials = createOAuthCredentials({ serverUrl: mcp.url, redirect, fetch: world.fetch });
    expect((await failure(mcp.call(credentials))).code).toBe('authorization');
    expect(server.authorizations).toEqual([]);
    expect(world.urls().filter((url) => !url.startsWith('https:'))).toEqual([]);
  });

  it('[AUTHRS-21] sends a token over https alone', async () => {
    const { mcp, credentials } = setUp();
    await mcp.call(credentials);
    const { signal } = new AbortController();
    const fieldsOf = (url: string) => credentials.fieldsFor({ httpMethod: 'POST', url, signal });
    expect(await fieldsOf(mcp.url)).toHaveProperty('authorization');
    expect(await fieldsOf(mcp.url.replace('https:', 'http:'))).toEqual({});
  });
});
