import { type Authenticate, ProtocolError, type SecurityEvent } from '@switchyard/server';
import { anyOf, bearerJwt, createRevocations, type RevocationCheck } from '@switchyard/server/authorization';
import { describe, expect, it, vi } from 'vitest';

import { createWithin } from '../../src/timing/within.ts';
import { messageOf, postOf, type Route, routes } from '../http-route.ts';
import { callOf } from '../wire.ts';
import { openAuthorizationServer } from './open-authorization-server.ts';
import { challengesOf, createScoped, openProtected, resourceOf } from './open-protected.ts';

describe.each(routes)('onSecurityEvent over %s', (_, open) => {
  it.each<[string, Authenticate, object]>([
    ['answers nobody', () => undefined, { type: 'unauthenticated', status: 401, reason: 'refused' }],
    [
      'answers a challenge',
      () => ({ status: 401, wwwAuthenticate: 'Bearer', reason: 'left-us', about: { subject: 'bob' } }),
      { type: 'unauthenticated', status: 401, reason: 'left-us', subject: 'bob' },
    ],
    [
      'forbids',
      () => ({ status: 403, wwwAuthenticate: 'Bearer', about: { subject: 'bob', tenant: 'acme' } }),
      { type: 'forbidden', status: 403, reason: 'refused', subject: 'bob', tenant: 'acme' },
    ],
    [
      'calls it malformed',
      () => ({ status: 400, wwwAuthenticate: 'Bearer error="invalid_request"' }),
      { type: 'unauthenticated', status: 400 },
    ],
    [
      'throws 403',
      () => {
        throw new ProtocolError('invalidRequest', 'Your plan has ended', { status: 403 });
      },
      { type: 'forbidden', status: 403, reason: 'refused' },
    ],
    [
      'fails',
      () => {
        throw new Error('database down');
      },
      { type: 'unavailable', status: 500, reason: 'authentication-failed' },
    ],
  ])('is told when a hook %s', async (_name, hook, event) => {
    const { call, events } = await openProtected(hook, { open });
    const answer = await call({});
    expect(events).toMatchObject([{ method: 'POST', ...event }]);
    if ('status' in event) expect(answer.status).toBe(event.status);
    expect(answer.text).not.toContain('bob');
  });

  it('is told of a foreign origin, and of nothing that is served', async () => {
    const { call, events } = await openProtected(() => 'anonymous', { open });
    expect((await call({})).status).toBe(200);
    expect((await call({ origin: 'https://evil.test' })).status).toBe(403);
    expect(events).toEqual([{ type: 'forbidden', method: 'POST', status: 403, reason: 'host-or-origin' }]);
  });

  it.each<[string, (event: SecurityEvent) => unknown]>([
    [
      'throws',
      () => {
        throw new Error('the pager is broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the pager is broken'))],
    ['never answers', () => new Promise(() => undefined)],
  ])('disturbs nothing when it %s', async (_name, onSecurityEvent) => {
    const route: Route = await open(createScoped([]), { authenticate: () => undefined, onSecurityEvent });
    expect((await route.call(postOf(callOf('who')))).status).toBe(401);
  });

  it.each<[string, Authenticate, number]>([
    ['a status that refuses nobody', () => ({ status: 200 as 401, wwwAuthenticate: 'Bearer' }), 401],
    ['no subject', () => ({ tenant: 'acme' }) as never, 401],
    ['a subject that is no text', () => ({ subject: 7 }) as never, 401],
  ])('refuses a caller whose hook answers %s', async (_name, hook, status) => {
    const { call, events, seen } = await openProtected(hook, { open });
    expect((await call({})).status).toBe(status);
    expect(events).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  it('sends no header that HTTP cannot carry', async () => {
    const { call, seen } = await openProtected(() => ({ status: 401, wwwAuthenticate: 'Bearer\r\nx-evil: 1' }), {
      open,
    });
    const answer = await call({});
    expect(answer.headers).not.toHaveProperty('x-evil');
    expect(messageOf(answer).error?.code).toBe(-32603);
    expect(seen).toEqual([]);
  });

  it('lets a client in a browser read the challenge', async () => {
    const { call } = await openProtected(() => undefined, { open });
    const answer = await call({ origin: 'http://localhost:5173' });
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'http://localhost:5173',
      'access-control-expose-headers': expect.stringContaining('WWW-Authenticate') as string,
    });
  });
});

describe('our own challenge', () => {
  it('[auth-03] repeats no parameter, also where several hooks refuse', async () => {
    const server = await openAuthorizationServer();
    const resource = resourceOf(server.issuer, { authorizationServers: [server.issuer, 'https://two.test'] });
    const hooks = [server.issuer, 'https://two.test'].map((issuer) => bearerJwt(resource, { issuer }));
    const { call, bear } = await openProtected(anyOf(...hooks), { resource });
    for (const answer of [
      await call({}),
      await bear('x'),
      await bear(await server.sign({ iss: 'https://three.test' })),
    ]) {
      expect(challengesOf(answer)).toHaveLength(1);
      expect(challengesOf(answer)).toMatchObject([{ resource_metadata: resource.metadataUrl }]);
    }
  });
});

describe('revocation', () => {
  async function openRevoking(
    revocations: RevocationCheck,
  ): Promise<Awaited<ReturnType<typeof openProtected>> & { token: string; tokenId: string }> {
    const server = await openAuthorizationServer();
    const token = (await server.userToken('mira')).access;
    const { jti } = JSON.parse(atob(token.split('.')[1] ?? '')) as { jti: string };
    return { ...(await openProtected(bearerJwt(resourceOf(server.issuer), { revocations }))), token, tokenId: jti };
  }

  it.each(['token', 'subject'] as const)(
    '[AUTHRS-06] refuses a valid JWT whose %s was revoked, and tells of it',
    async (by) => {
      const revocations = createRevocations();
      const { bear, events, token, tokenId, logged } = await openRevoking(revocations);
      expect((await bear(token)).status).toBe(200);
      if (by === 'token') revocations.revokeToken(tokenId, Date.now() + 600_000);
      else revocations.revokeSubject('mira');
      const answer = await bear(token);
      expect(answer.status).toBe(401);
      expect(challengesOf(answer)).toMatchObject([{ error: 'invalid_token' }]);
      expect(events).toMatchObject([{ type: 'revoked', status: 401, reason: 'revoked', subject: 'mira', tokenId }]);
      for (const told of [JSON.stringify(events), logged()]) expect(told).not.toContain(token);
    },
  );

  it.each<[string, RevocationCheck['isRevoked']]>([
    [
      'throws',
      () => {
        throw new Error('database down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('database down'))],
  ])('lets nobody in when its check %s', async (_name, isRevoked) => {
    const { bear, events, token, seen } = await openRevoking({ isRevoked });
    expect((await bear(token)).status).toBe(503);
    expect(events).toMatchObject([{ type: 'unavailable' }]);
    expect(seen).toEqual([]);
  });

  it.each([undefined, null, 0, '', 'no'])('takes %j for no clear answer, and refuses', async (answer) => {
    const { bear, token } = await openRevoking({ isRevoked: () => answer as never });
    expect((await bear(token)).status).toBe(401);
  });
});

describe('createWithin', () => {
  it('waits no longer than it may for an answer that never comes, and leaves no timer behind one that does', async () => {
    vi.useFakeTimers();
    try {
      const within = createWithin(5_000);
      const never = within(new Promise<boolean>(() => undefined)).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await never).toMatchObject({ message: 'no answer within 5000 ms' });
      expect(await within(Promise.resolve(false))).toBe(false);
      expect(await within(false)).toBe(false);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('createRevocations', () => {
  it('forgets a token when it has ended anyhow, with the most that clocks may differ', () => {
    let now = 0;
    const revocations = createRevocations({ epochNow: () => now });
    revocations.revokeToken('t', 1_000);
    now = 300_999;
    expect(revocations.isRevoked({ subject: 's', tokenId: 't' })).toBe(true);
    now = 301_000;
    expect(revocations.isRevoked({ subject: 's', tokenId: 't' })).toBe(false);
  });

  it('refuses tokens of a subject from before, of the same second and of no known time, and takes later ones', () => {
    const revocations = createRevocations({ epochNow: () => 10_500 });
    revocations.revokeSubject('s', { beforeMs: 10_500 });
    expect(revocations.isRevoked({ subject: 's', issuedAtMs: 10_000 })).toBe(true);
    expect(revocations.isRevoked({ subject: 's' })).toBe(true);
    expect(revocations.isRevoked({ subject: 's', issuedAtMs: 11_000 })).toBe(false);
    expect(revocations.isRevoked({ subject: 'other' })).toBe(false);
    revocations.revokeSubject('s', { beforeMs: 5_000, untilMs: 20_000 });
    expect(revocations.isRevoked({ subject: 's', issuedAtMs: 10_000 })).toBe(true);
  });

  it('takes an issuer’s clock to be ahead by as much as clocks may be apart, where no time is given', () => {
    for (const [options, tolerance] of [
      [{}, 5_000],
      [{ clockToleranceMs: 60_000 }, 60_000],
    ] as const) {
      const revocations = createRevocations({ epochNow: () => 10_000, ...options });
      revocations.revokeSubject('s');
      expect(revocations.isRevoked({ subject: 's', issuedAtMs: 9_999 + tolerance })).toBe(true);
      expect(revocations.isRevoked({ subject: 's', issuedAtMs: 10_000 + tolerance })).toBe(false);
    }
  });

  it('shortens no revocation by another one', () => {
    let now = 0;
    const revocations = createRevocations({ epochNow: () => now });
    for (const untilMs of [1_000, 900_000, 1_000]) {
      revocations.revokeToken('t', untilMs);
      revocations.revokeSubject('s', { beforeMs: untilMs, untilMs });
    }
    now = 800_000;
    expect(revocations.isRevoked({ subject: 'other', tokenId: 't' })).toBe(true);
    expect(revocations.isRevoked({ subject: 's', issuedAtMs: 800_000 })).toBe(true);
  });

  it('says so when it is full, and forgets nothing that counts', () => {
    let now = 0;
    const revocations = createRevocations({ maxEntries: 1, epochNow: () => now });
    revocations.revokeToken('a', 1_000);
    expect(() => revocations.revokeToken('b', 1_000)).toThrow(RangeError);
    expect(revocations.isRevoked({ subject: 's', tokenId: 'a' })).toBe(true);
    now = 400_000;
    revocations.revokeToken('b', 500_000);
    expect(revocations.isRevoked({ subject: 's', tokenId: 'b' })).toBe(true);
  });

  it('refuses a time that is none', () => {
    expect(() => createRevocations().revokeToken('a', Number.NaN)).toThrow(TypeError);
  });
});
