import { createServer, type HttpHead, type Principal } from '@switchyard/server';
import { bearerJwt, createRevocations, introspection, type RevocationCheck } from '@switchyard/server/authorization';
import { expect, it, onTestFinished, vi } from 'vitest';

import { watchCredentials } from '../../src/authorization/watch-credentials.ts';
import { openLegacy } from '../legacy/legacy-route.ts';
import { openMemory } from '../memory-route.ts';
import { requestOf } from '../wire.ts';
import { clients, openAuthorizationServer, opaqueResource } from './open-authorization-server.ts';
import { resourceOf } from './open-protected.ts';

/** Only what is checked from time to time is under the clock of a test: real requests go on beside it. */
function useFakeIntervals(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

const headWith = (token: string): HttpHead => ({
  method: 'POST',
  target: '/mcp',
  header: (name) => (name === 'authorization' ? `Bearer ${token}` : undefined),
});

/** Opens a subscription in memory for whom a hook lets in, and answers whether it has ended. */
async function subscribe(principal: unknown): Promise<() => boolean> {
  const aborter = new AbortController();
  onTestFinished(() => aborter.abort());
  const server = createServer({ name: 's', version: '1.0.0' }).tool('t', {}, () => '');
  const route = openMemory(server, { principal: principal as Principal, signal: aborter.signal });
  let ended = false;
  const listening = route.send(requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } }));
  void listening.then(() => (ended = true));
  await expect.poll(() => route.notifications).not.toHaveLength(0);
  return () => ended;
}

async function admitted(revocations: RevocationCheck): Promise<{ principal: Principal; tokenId: string }> {
  const server = await openAuthorizationServer();
  const token = (await server.userToken('mira')).access;
  const { jti } = JSON.parse(atob(token.split('.')[1] ?? '')) as { jti: string };
  const principal = (await bearerJwt(resourceOf(server.issuer), { revocations })(headWith(token))) as Principal;
  return { principal, tokenId: jti };
}

it.each(['token', 'subject'] as const)(
  '[AUTHRS-06] a subscription ends within 30 s of the revocation of its %s',
  async (by) => {
    useFakeIntervals();
    const revocations = createRevocations();
    const { principal, tokenId } = await admitted(revocations);
    const hasEnded = await subscribe(principal);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(hasEnded()).toBe(false);
    if (by === 'token') revocations.revokeToken(tokenId, Date.now() + 600_000);
    else revocations.revokeSubject('mira');
    await vi.advanceTimersByTimeAsync(30_000);
    await expect.poll(hasEnded).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  },
);

it('[AUTHRS-06] a subscription ends whose token its authorization server no longer takes, also where it told no end', async () => {
  useFakeIntervals();
  const server = await openAuthorizationServer();
  let active = true;
  server.intercept('/token/introspection', (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ active, sub: 'mira', aud: opaqueResource }));
  });
  const client = { clientId: clients.gateway, clientSecret: clients.gateway };
  const resource = resourceOf(server.issuer, { resource: opaqueResource });
  const principal = await introspection(resource, { client, cacheTtlMs: 0 })(headWith('opaque'));
  expect(principal).not.toHaveProperty('expiresAtMs');
  const hasEnded = await subscribe(principal);
  active = false;
  await vi.advanceTimersByTimeAsync(30_000);
  await expect.poll(hasEnded).toBe(true);
});

it('a subscription ends when its token is refused, not before: after its end and the tolerance for clocks', async () => {
  const server = await openAuthorizationServer();
  const token = (await server.userToken('mira')).access;
  const { exp } = JSON.parse(atob(token.split('.')[1] ?? '')) as { exp: number };
  const lifeLeftMs = async (nowMs: number): Promise<number> => {
    const epochNow = (): number => nowMs;
    const authenticate = bearerJwt(resourceOf(server.issuer), { clockToleranceMs: 5_000, epochNow });
    const principal = (await authenticate(headWith(token))) as Principal;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    const start = performance.now();
    const lapsed = new Promise<void>((resolve) => void watchCredentials(principal, { epochNow }, resolve));
    let at = Infinity;
    void lapsed.then(() => (at = performance.now() - start));
    for (let step = 0; step < 10; step += 1) await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    return at;
  };
  expect(await lifeLeftMs(exp * 1_000 + 2_000)).toBeGreaterThanOrEqual(3_000);
  expect(await lifeLeftMs(exp * 1_000 - 1_000)).toBeLessThan(7_000);
});

it('a subscription outlives one check that fails, and no second one in a row', async () => {
  useFakeIntervals();
  const answers: (boolean | Error)[] = [false, new Error('down'), false, new Error('down'), new Error('down')];
  const { principal } = await admitted({
    isRevoked() {
      const answer = answers.shift();
      if (typeof answer === 'boolean') return answer;
      throw answer;
    },
  });
  const hasEnded = await subscribe(principal);
  for (const left of [3, 2, 1]) {
    await vi.advanceTimersByTimeAsync(30_000);
    await expect.poll(() => answers).toHaveLength(left);
    expect(hasEnded()).toBe(false);
  }
  await vi.advanceTimersByTimeAsync(30_000);
  await expect.poll(hasEnded).toBe(true);
});

it('[AUTHRS-06] the stream of an old client ends within 30 s of the revocation of its token', async () => {
  useFakeIntervals();
  const revocations = createRevocations();
  const server = await openAuthorizationServer();
  const { access } = await server.userToken('mira');
  const headers = { authorization: `Bearer ${access}` };
  const authenticate = bearerJwt(resourceOf(server.issuer), { revocations });
  const route = await openLegacy(createServer({ name: 's', version: '1.0.0' }), { httpSse: {} }, { authenticate });
  const streams = [(await route.get({ headers })).events()];
  const peer = await route.open('2025-11-25', {}, { headers });
  streams.push((await peer.get()).events());
  for (const stream of streams) expect(await stream.next()).toBeDefined();
  revocations.revokeSubject('mira');
  await vi.advanceTimersByTimeAsync(30_000);
  for (const stream of streams) {
    let event = await stream.next();
    while (event !== undefined) event = await stream.next();
  }
});
