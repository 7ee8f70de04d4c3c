import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

import { toNode } from '@switchyard/server/node';
import { anyOf, bearerJwt, type BearerJwtOptions } from '@switchyard/server/authorization';
import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';

import { headersOf, openNodeRoute } from '../http-route.ts';
import { callOf } from '../wire.ts';
import { type AuthorizationServerFixture, clients, openAuthorizationServer } from './open-authorization-server.ts';
import {
  challengesOf,
  createScoped,
  openProtected,
  type Protected,
  principalOf,
  resourceOf,
} from './open-protected.ts';

async function open(
  options: BearerJwtOptions = {},
): Promise<
  Protected & { readonly server: AuthorizationServerFixture; readonly clock: { offsetMs: number; setBackMs: number } }
> {
  const server = await openAuthorizationServer();
  const clock = { offsetMs: 0, setBackMs: 0 };
  const now = (): number => clock.offsetMs;
  const epochNow = (): number => Date.now() + clock.offsetMs - clock.setBackMs;
  const opened = await openProtected(bearerJwt(resourceOf(server.issuer), { now, epochNow, ...options }));
  return { ...opened, server, clock };
}

describe('bearerJwt', () => {
  it('[ELI-34] [ELI-44] [AUTHRS-09] gives handlers the subject, client, scopes, issuer and end of a token, and nothing of the token', async () => {
    const { bear, server, seen } = await open();
    const { access } = await server.userToken('mira', { scope: 'orders:read orders:write' });
    expect(principalOf(await bear(access))).toEqual({
      subject: 'mira',
      clientId: clients.machine,
      scopes: ['orders:read', 'orders:write'],
      issuer: server.issuer,
      expiresAtMs: expect.any(Number) as number,
    });
    const [principal] = seen as [object];
    expect(Object.isFrozen(principal)).toBe(true);
    expect(Object.getOwnPropertyNames(principal).toSorted()).toEqual([
      'clientId',
      'expiresAtMs',
      'issuer',
      'scopes',
      'subject',
    ]);
    for (const part of access.split('.')) expect(JSON.stringify(principal)).not.toContain(part);
  });

  it('[EXT-04] takes a token that a client got for itself, and names the client as subject', async () => {
    const { bear, server } = await open();
    expect(principalOf(await bear(await server.machineToken()))).toMatchObject({
      subject: clients.machine,
      clientId: clients.machine,
      scopes: ['orders:read'],
    });
  });

  it('finds the keys by the metadata of the issuer, once for many requests at once', async () => {
    const { bear, server } = await open();
    const token = await server.machineToken();
    server.requests.length = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => bear(token)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(server.requests).toEqual(['/.well-known/oauth-authorization-server', '/jwks']);
  });

  it.each([
    [
      'https://as.kiln.test/t/nine',
      [
        'https://as.kiln.test/.well-known/oauth-authorization-server/t/nine',
        'https://as.kiln.test/.well-known/openid-configuration/t/nine',
        'https://as.kiln.test/t/nine/.well-known/openid-configuration',
      ],
    ],
    [
      'https://as2.kiln.test',
      [
        'https://as2.kiln.test/.well-known/oauth-authorization-server',
        'https://as2.kiln.test/.well-known/openid-configuration',
      ],
    ],
  ])('[auth-05] looks for the metadata of %s in the order of the specification', async (issuer, order) => {
    const server = await openAuthorizationServer();
    const asked: string[] = [];
    const fetch = (url: string | URL | Request): Promise<Response> => {
      asked.push(url instanceof Request ? url.url : String(url));
      return Promise.resolve(new Response('nothing', { status: 404 }));
    };
    const { bear } = await openProtected(bearerJwt(resourceOf(issuer), { fetch }));
    expect((await bear(await server.sign({ iss: issuer, sub: 'mira' }))).status).toBe(503);
    expect(asked).toEqual(order);
  });

  it('asks the given key set and nothing else', async () => {
    const server = await openAuthorizationServer();
    const { bear } = await openProtected(bearerJwt(resourceOf(server.issuer), { jwksUri: `${server.issuer}/jwks` }));
    const token = await server.machineToken();
    server.requests.length = 0;
    expect((await bear(token)).status).toBe(200);
    expect(server.requests).toEqual(['/jwks']);
  });

  it('takes a token of a new key after the cool-down, and asks for invented keys no more often than that', async () => {
    const { bear, server, clock, events } = await open({ keysCooldownMs: 30_000 });
    const old = await server.machineToken();
    expect((await bear(old)).status).toBe(200);
    await server.rotate();
    const fresh = await server.machineToken();
    server.requests.length = 0;
    for (let index = 0; index < 5; index += 1) expect((await bear(fresh)).status).toBe(401);
    expect(server.requests).toEqual([]);
    clock.offsetMs = 30_000;
    expect((await bear(fresh)).status).toBe(200);
    expect((await bear(old)).status).toBe(401);
    expect(server.requests).toEqual(['/jwks']);
    expect(new Set(events.map(({ reason }) => reason))).toEqual(new Set(['unknown-key']));
  });

  it('answers 503 to a token of an unknown key while new keys cannot be had, and serves those of the keys at hand', async () => {
    const { bear, server, clock, events } = await open({ keysCooldownMs: 30_000 });
    const old = await server.machineToken();
    expect((await bear(old)).status).toBe(200);
    await server.rotate();
    const fresh = await server.machineToken();
    let down = true;
    const jwks = JSON.stringify({ keys: [server.publicJwk()] });
    server.intercept('/jwks', (response) => (down ? response.writeHead(500).end() : response.end(jwks)));
    clock.offsetMs = 30_000;
    server.requests.length = 0;
    for (let index = 0; index < 3; index += 1)
      expect(await bear(fresh)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect((await bear(old)).status).toBe(200);
    expect(server.requests).toEqual(['/jwks']);
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['unavailable']));
    down = false;
    clock.offsetMs = 35_001;
    expect((await bear(fresh)).status).toBe(200);
  });

  it('gets keys anew and asks a server again that was down whatever becomes of the time of day', async () => {
    const { bear, server, clock } = await open({ keysMaxAgeMs: 60_000 });
    const claims = { iss: server.issuer, aud: 'https://mcp.kiln.test/mcp', sub: 'mira' };
    const token = await server.sign({ ...claims, exp: Math.floor(Date.now() / 1000) + 86_400 });
    let down = true;
    const jwks = JSON.stringify({ keys: [server.publicJwk()] });
    server.intercept('/jwks', (response) => (down ? response.writeHead(500).end() : response.end(jwks)));
    expect((await bear(token)).status).toBe(503);
    down = false;
    clock.setBackMs = 3_600_000;
    clock.offsetMs = 5_001;
    expect((await bear(token)).status).toBe(200);
    await server.rotate();
    down = true;
    clock.setBackMs = 7_200_000;
    clock.offsetMs = 65_002;
    expect((await bear(token)).status).toBe(503);
  });

  it('forgets keys that are gone when they are too old, without a token that asks for others', async () => {
    const { bear, server, clock } = await open({ keysMaxAgeMs: 60_000 });
    const old = await server.machineToken();
    expect((await bear(old)).status).toBe(200);
    await server.rotate();
    clock.offsetMs = 59_000;
    expect((await bear(old)).status).toBe(200);
    clock.offsetMs = 61_000;
    expect((await bear(old)).status).toBe(401);
  });

  it('tries each key that fits where the token names none', async () => {
    const { bear, server } = await open();
    const others = await Promise.all([1, 2].map(async () => exportJWK((await generateKeyPair('ES256')).publicKey)));
    const token = await server.sign(
      { iss: server.issuer, aud: 'https://mcp.kiln.test/mcp', sub: 'mira', exp: Math.floor(Date.now() / 1000) + 60 },
      { kid: '' },
    );
    const { kid: _, ...own } = server.publicJwk();
    server.intercept('/jwks', (response) => response.end(JSON.stringify({ keys: [...others, own] })));
    expect((await bear(token)).status).toBe(200);
    const forged = await server.sign(
      { iss: server.issuer, sub: 'mira' },
      { kid: '', key: (await generateKeyPair('ES256')).privateKey },
    );
    expect((await bear(forged)).status).toBe(401);
  });

  it.each<[string, string, (server: AuthorizationServerFixture) => void]>([
    [
      'are larger than 256 KiB',
      'answered more than 262144 bytes',
      (server) => server.intercept('/jwks', (response) => response.end(`{"keys":["${'x'.repeat(300_000)}"]}`)),
    ],
    [
      'are more than 100',
      'holds more than 100 keys',
      (server) =>
        server.intercept('/jwks', (response) =>
          response.end(JSON.stringify({ keys: Array.from({ length: 101 }, () => ({ kty: 'EC' })) })),
        ),
    ],
    ['are no JSON', 'is not JSON', (server) => server.intercept('/jwks', (response) => response.end('<html>'))],
    ['are no key set', 'has no list of keys', (server) => server.intercept('/jwks', (response) => response.end('[]'))],
    [
      'are elsewhere',
      'answered status 302',
      (server) =>
        server.intercept('/jwks', (response) => response.writeHead(302, { location: 'https://evil.test/jwks' }).end()),
    ],
    ['do not come', 'could not be reached', (server) => server.intercept('/jwks', (response) => response.destroy())],
    ['do not come in time', 'did not answer within 50 ms', (server) => server.intercept('/jwks', () => undefined)],
    [
      'stand in metadata of another issuer',
      'not of',
      (server) => {
        server.intercept('/.well-known/oauth-authorization-server', (response) =>
          response.end(JSON.stringify({ issuer: 'https://evil.test', jwks_uri: 'https://evil.test/jwks' })),
        );
      },
    ],
    [
      'are to be had without TLS only',
      'names no usable jwks_uri',
      (server) => {
        server.intercept('/.well-known/oauth-authorization-server', (response) =>
          response.end(JSON.stringify({ issuer: server.issuer, jwks_uri: 'http://keys.kiln.test/jwks' })),
        );
      },
    ],
  ])(
    '[AUTHRS-21] answers 503 when the keys %s, tells the operator why, and lets nobody in',
    async (_name, why, break_) => {
      const { bear, server, events, seen, logged } = await open(why.endsWith('50 ms') ? { timeoutMs: 50 } : {});
      const token = await server.machineToken();
      break_(server);
      const answer = await bear(token);
      expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
      expect(answer.text).not.toContain(why);
      expect(events).toMatchObject([{ type: 'unavailable', status: 503, reason: 'authentication-failed' }]);
      expect(logged()).toContain(why);
      expect(logged()).not.toContain(token);
      expect(seen).toEqual([]);
    },
  );

  it('asks a server that is down no more often than every 5 s', async () => {
    const { bear, server, clock } = await open();
    const token = await server.machineToken();
    server.intercept('/jwks', (response) => response.writeHead(500).end());
    server.requests.length = 0;
    for (let index = 0; index < 4; index += 1) expect((await bear(token)).status).toBe(503);
    expect(server.requests.filter((path) => path === '/jwks')).toHaveLength(1);
    clock.offsetMs = 5_000;
    expect((await bear(token)).status).toBe(503);
    expect(server.requests.filter((path) => path === '/jwks')).toHaveLength(2);
  });

  it('answers 401 to a token that ends while the keys are kept', async () => {
    const { bear, server, clock, events } = await open();
    const { access } = await server.userToken('mira');
    expect((await bear(access)).status).toBe(200);
    clock.offsetMs = 606_000;
    const answer = await bear(access);
    expect(answer.status).toBe(401);
    expect(events).toMatchObject([{ reason: 'expired', subject: 'mira', issuer: server.issuer }]);
  });

  it('takes a type other than at+jwt only where it is not asked for', async () => {
    const server = await openAuthorizationServer();
    const claims = {
      iss: server.issuer,
      aud: 'https://mcp.kiln.test/mcp',
      sub: 'mira',
      exp: Math.floor(Date.now() / 1000) + 60,
    };
    const lax = await openProtected(bearerJwt(resourceOf(server.issuer)));
    const strict = await openProtected(bearerJwt(resourceOf(server.issuer), { requireAccessTokenType: true }));
    for (const typ of ['JWT', '']) {
      const token = await server.sign(claims, { typ });
      expect((await lax.bear(token)).status).toBe(200);
      expect((await strict.bear(token)).status).toBe(401);
    }
    for (const typ of ['at+jwt', 'application/at+jwt', 'AT+JWT'])
      expect((await strict.bear(await server.sign(claims, { typ }))).status).toBe(200);
  });

  it('reads tenant, subject and scopes from the claims it was told, and refuses a token without tenant', async () => {
    const server = await openAuthorizationServer();
    const { bear, events } = await openProtected(
      bearerJwt(resourceOf(server.issuer), { tenantClaim: 'org', subjectClaim: 'email', scopeClaims: ['roles'] }),
    );
    const claims = {
      iss: server.issuer,
      aud: 'https://mcp.kiln.test/mcp',
      sub: 'x',
      email: 'mira@kiln.test',
      exp: Math.floor(Date.now() / 1000) + 60,
    };
    const answer = await bear(
      await server.sign({ ...claims, org: 'acme', roles: ['a', 'b', 7, 'b', 'c d'], scope: 'z' }),
    );
    expect(principalOf(answer)).toMatchObject({ subject: 'mira@kiln.test', tenant: 'acme', scopes: ['a', 'b'] });
    expect((await bear(await server.sign(claims))).status).toBe(401);
    expect(events).toMatchObject([{ reason: 'no-tenant' }]);
  });

  it.each<[string, BearerJwtOptions]>([
    ['none', { algorithms: ['none'] }],
    ['HS256', { algorithms: ['ES256', 'HS256'] }],
    ['no algorithm', { algorithms: [] }],
    ['an issuer without TLS', { issuer: 'http://as.kiln.test' }],
    ['keys without TLS', { jwksUri: 'http://as.kiln.test/jwks' }],
    ['a tolerance of 10 minutes', { clockToleranceMs: 600_000 }],
    ['tokens of no length', { maxTokenChars: 0 }],
  ])('refuses to be made with %s', (_name, options) => {
    expect(() => bearerJwt(resourceOf('https://as.kiln.test'), options)).toThrow(TypeError);
  });

  it('refuses to guess the issuer of several', () => {
    const resource = resourceOf('https://as.kiln.test', { authorizationServers: ['https://a.test', 'https://b.test'] });
    expect(() => bearerJwt(resource)).toThrow('issuer is missing');
  });
});

describe('two issuers', () => {
  it('are told apart by the token, each with its own keys', async () => {
    const [first, second] = await Promise.all([openAuthorizationServer(), openAuthorizationServer()]);
    const resource = resourceOf(first.issuer, { authorizationServers: [first.issuer, second.issuer] });
    const { bear, call, events } = await openProtected(
      anyOf(bearerJwt(resource, { issuer: first.issuer }), bearerJwt(resource, { issuer: second.issuer })),
    );
    for (const { issuer, userToken } of [first, second])
      expect(principalOf(await bear((await userToken('mira')).access))).toMatchObject({ subject: 'mira', issuer });
    const claims = {
      iss: first.issuer,
      aud: 'https://mcp.kiln.test/mcp',
      sub: 'root',
      exp: Math.floor(Date.now() / 1000) + 60,
    };
    expect((await bear(await second.sign(claims))).status).toBe(401);
    expect((await call({})).status).toBe(401);
    expect(events.map(({ reason }) => reason)).toEqual(['unknown-key', 'no-credentials']);
    expect(challengesOf(await call({}))).toHaveLength(1);
  });
});

describe('several Authorization headers', () => {
  async function status(port: number, tokens: readonly string[]): Promise<number | undefined> {
    const message = callOf('who');
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        { host: '127.0.0.1', port, method: 'POST', path: '/mcp', agent: false },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      for (const [name, value] of Object.entries(headersOf(message))) request.setHeader(name, value);
      request.setHeader(
        'authorization',
        tokens.map((token) => `Bearer ${token}`),
      );
      request.on('error', reject);
      request.end(JSON.stringify(message));
    });
  }

  it('[AUTHRS-08] are refused with 400, whichever of them holds', async () => {
    const server = await openAuthorizationServer();
    const authenticate = bearerJwt(resourceOf(server.issuer));
    const served = await openNodeRoute(createScoped([]), { authenticate });
    // Mounted in a server of somebody else, which keeps the first of two headers.
    const mounted = createHttpServer(toNode(createScoped([]), { authenticate }));
    await new Promise<void>((resolve) => mounted.listen(0, '127.0.0.1', resolve));
    onTestFinished(async () => {
      mounted.closeAllConnections();
      await new Promise((resolve) => mounted.close(resolve));
    });
    const token = await server.machineToken();
    for (const port of [Number(served.url.port), (mounted.address() as AddressInfo).port]) {
      expect(await status(port, [token])).toBe(200);
      expect(await status(port, [token, 'other'])).toBe(400);
      expect(await status(port, ['other', token])).toBe(400);
    }
  });
});
