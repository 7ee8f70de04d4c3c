import {
  anyOf,
  bearerJwt,
  type ClientCredentials,
  createRevocations,
  introspection,
  type IntrospectionOptions,
} from '@switchyard/server/authorization';
import { describe, expect, it } from 'vitest';

import {
  type AuthorizationServerFixture,
  clients,
  openAuthorizationServer,
  opaqueResource,
} from './open-authorization-server.ts';
import { challengesOf, openProtected, principalOf, type Protected, resourceOf } from './open-protected.ts';

const client = { clientId: clients.gateway, clientSecret: clients.gateway };

async function open(
  more: (issuer: string) => Partial<IntrospectionOptions> = () => ({}),
): Promise<
  Protected & { readonly server: AuthorizationServerFixture; readonly clock: { offsetMs: number; setBackMs: number } }
> {
  const server = await openAuthorizationServer();
  const clock = { offsetMs: 0, setBackMs: 0 };
  const now = (): number => clock.offsetMs;
  const epochNow = (): number => Date.now() + clock.offsetMs - clock.setBackMs;
  const resource = resourceOf(server.issuer, { resource: opaqueResource });
  return {
    ...(await openProtected(introspection(resource, { client, now, epochNow, ...more(server.issuer) }))),
    server,
    clock,
  };
}

const opaque = { resource: opaqueResource } as const;
const asked = ({ requests }: AuthorizationServerFixture): number =>
  requests.filter((path) => path === '/token/introspection').length;

/** Answers introspection with this instead of the authorization server. */
function answerWith(server: AuthorizationServerFixture, answer: object | string, status = 200): void {
  server.intercept('/token/introspection', (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
}

describe('introspection', () => {
  it('[AUTHRS-04] lets in who has an active token, as the authorization server says', async () => {
    const { bear, server } = await open();
    const { access } = await server.userToken('mira', opaque);
    expect(principalOf(await bear(access))).toEqual({
      subject: 'mira',
      clientId: clients.machine,
      scopes: ['orders:read'],
      issuer: server.issuer,
      expiresAtMs: expect.any(Number) as number,
    });
  });

  it('[EXT-04] takes a client that speaks for itself as its own subject', async () => {
    const { bear, server } = await open();
    expect(principalOf(await bear(await server.machineToken(opaque)))).toMatchObject({ subject: clients.machine });
  });

  it.each<[string, (server: AuthorizationServerFixture) => Promise<string>, string]>([
    ['that nobody issued', () => Promise.resolve('invented'), 'inactive'],
    ['that refreshes others', async (server) => (await server.userToken('mira', opaque)).refresh, 'other-audience'],
  ])('[AUTHRS-05] [AUTHRS-06] refuses a token %s', async (_name, make, reason) => {
    const { bear, server, events, seen } = await open();
    const token = await make(server);
    const answer = await bear(token);
    expect(answer.status).toBe(401);
    expect(challengesOf(answer)).toMatchObject([{ scheme: 'Bearer', error: 'invalid_token', scope: 'orders:read' }]);
    expect(events).toMatchObject([{ type: 'unauthenticated', status: 401, reason }]);
    expect(JSON.stringify(events)).not.toContain(token);
    expect(seen).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['is for another server', { aud: 'https://other.test' }, 'other-audience'],
    ['says not whom it is for', { aud: undefined }, 'other-audience'],
    ['is of another issuer', { iss: 'https://evil.test' }, 'other-issuer'],
    ['has ended', { exp: 1 }, 'expired'],
    ['has not begun', { nbf: 9_999_999_999 }, 'not-yet-valid'],
    ['is a refresh token', { token_type: 'Refresh' }, 'other-token-type'],
    ['speaks for nobody', { sub: undefined, client_id: undefined }, 'no-subject'],
    ['is active in a way that is not true', { active: 'false' }, ''],
  ])('refuses an active token that %s', async (_name, more, reason) => {
    const { bear, server, events } = await open();
    answerWith(server, { active: true, sub: 'mira', client_id: 'cli', aud: opaqueResource, ...more });
    expect((await bear('opaque')).status).toBe(reason === '' ? 503 : 401);
    if (reason !== '') expect(events).toMatchObject([{ reason }]);
  });

  it('asks once for many requests at once, and again after 30 s', async () => {
    const { bear, server, clock } = await open();
    const token = await server.machineToken(opaque);
    await Promise.all(Array.from({ length: 20 }, () => bear(token)));
    clock.offsetMs = 29_000;
    expect((await bear(token)).status).toBe(200);
    expect(asked(server)).toBe(1);
    await server.revoke(token);
    clock.offsetMs = 30_001;
    expect((await bear(token)).status).toBe(401);
    expect(asked(server)).toBe(2);
  });

  it('asks again after 30 s whatever becomes of the time of day', async () => {
    const { bear, server, clock } = await open();
    const token = await server.machineToken(opaque);
    expect((await bear(token)).status).toBe(200);
    await server.revoke(token);
    clock.setBackMs = 3_600_000;
    clock.offsetMs = 30_001;
    expect((await bear(token)).status).toBe(401);
  });

  it('counts the age of an answer from when it asked, since that may be what the answer is about', async () => {
    const { bear, server, clock } = await open();
    server.intercept('/token/introspection', (response) => {
      clock.offsetMs += 4_900;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ active: true, sub: 'mira', aud: opaqueResource }));
    });
    expect((await bear('opaque')).status).toBe(200);
    answerWith(server, { active: false });
    clock.offsetMs = 30_001;
    expect((await bear('opaque')).status).toBe(401);
  });

  it('asks for each request where nothing is kept', async () => {
    const { bear, server } = await open(() => ({ cacheTtlMs: 0 }));
    const token = await server.machineToken(opaque);
    expect((await bear(token)).status).toBe(200);
    await server.revoke(token);
    expect((await bear(token)).status).toBe(401);
    expect(asked(server)).toBe(2);
  });

  it('keeps no active answer beyond the end of the token', async () => {
    const { bear, server, clock } = await open();
    answerWith(server, { active: true, sub: 'mira', aud: opaqueResource, exp: Math.floor(Date.now() / 1000) + 10 });
    expect((await bear('opaque')).status).toBe(200);
    clock.offsetMs = 16_000;
    expect((await bear('opaque')).status).toBe(401);
    expect(asked(server)).toBe(1);
  });

  it.each<[string, (server: AuthorizationServerFixture) => void]>([
    ['does not know this server', (server) => answerWith(server, { error: 'invalid_client' }, 401)],
    ['fails', (server) => answerWith(server, 'down', 500)],
    ['answers no JSON', (server) => answerWith(server, '<html>')],
    ['answers too much', (server) => answerWith(server, { active: true, pad: 'x'.repeat(70_000) })],
    ['does not answer', (server) => server.intercept('/token/introspection', () => undefined)],
  ])('answers 503 when the authorization server %s, and keeps nothing of it', async (why, break_) => {
    const { bear, server, events, logged } = await open((issuer) => ({
      introspectionEndpoint: `${issuer}/token/introspection`,
      ...(why === 'does not answer' ? { timeoutMs: 50 } : {}),
    }));
    break_(server);
    const token = 'opaque-token-of-mira';
    expect((await bear(token)).status).toBe(503);
    expect((await bear(token)).status).toBe(503);
    expect(asked(server)).toBe(2);
    expect(events).toMatchObject([{ type: 'unavailable' }, { type: 'unavailable' }]);
    expect(logged()).toContain('/token/introspection');
    for (const told of [logged(), JSON.stringify(events)]) expect(told).not.toContain(token);
  });

  it('answers 503 to a token more than may be asked about at a time', async () => {
    const { bear, server } = await open(() => ({ maxPending: 1 }));
    let release: (() => void) | undefined;
    const reached = new Promise<void>((resolve) => {
      server.intercept('/token/introspection', (response) => {
        release = () => response.writeHead(200, { 'content-type': 'application/json' }).end('{"active":false}');
        resolve();
      });
    });
    const first = bear('first');
    await reached;
    expect((await bear('second')).status).toBe(503);
    release?.();
    expect((await first).status).toBe(401);
  });

  it.each<[string, (key: CryptoKey) => ClientCredentials]>([
    [
      'its secret in the body',
      () => ({ clientId: clients.poster, clientSecret: clients.poster, method: 'client_secret_post' }),
    ],
    ['an assertion that it signs', (privateKey) => ({ clientId: clients.signer, privateKey })],
  ])('proves itself with %s', async (_name, credentialsOf) => {
    const server = await openAuthorizationServer();
    const resource = resourceOf(server.issuer, { resource: opaqueResource });
    const { bear } = await openProtected(introspection(resource, { client: credentialsOf(server.assertionKey) }));
    expect((await bear(await server.machineToken(opaque))).status).toBe(200);
  });

  it('[AUTHRS-06] refuses a token that was revoked here, while the answer about it is kept', async () => {
    const revocations = createRevocations();
    const { bear, server, events } = await open(() => ({ revocations }));
    const { access } = await server.userToken('mira', opaque);
    expect((await bear(access)).status).toBe(200);
    revocations.revokeSubject('mira');
    expect((await bear(access)).status).toBe(401);
    expect(events).toMatchObject([{ type: 'revoked', subject: 'mira' }]);
    expect(asked(server)).toBe(1);
  });

  it.each<[string, Partial<IntrospectionOptions>]>([
    ['answers that count for a minute', { cacheTtlMs: 60_000 }],
    ['an endpoint without TLS', { introspectionEndpoint: 'http://as.kiln.test/introspect' }],
    ['nothing to ask at a time', { maxPending: 0 }],
  ])('refuses to be made with %s', (_name, options) => {
    expect(() => introspection(resourceOf('https://as.kiln.test'), { client, ...options })).toThrow(TypeError);
  });
});

describe('introspection behind bearerJwt', () => {
  it('gets the tokens that are no JWT, and none that bearerJwt refused', async () => {
    const server = await openAuthorizationServer();
    const resource = resourceOf(server.issuer, { resource: opaqueResource });
    const { bear } = await openProtected(anyOf(bearerJwt(resource), introspection(resource, { client })));
    expect((await bear(await server.machineToken(opaque))).status).toBe(200);
    expect(asked(server)).toBe(1);
    expect((await bear(await server.sign({ iss: server.issuer, aud: 'https://other.test', sub: 'mira' }))).status).toBe(
      401,
    );
    expect(asked(server)).toBe(1);
  });
});
