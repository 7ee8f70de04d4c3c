import { createServer, type Principal, ProtocolError, type SecurityEvent } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { type HttpAnswer, postOf, type Route, routes } from '../http-route.ts';
import { createRecorder } from '../recorder.ts';
import { until } from '../turns.ts';
import { callOf } from '../wire.ts';

const post = postOf(callOf('run'));
const unavailable = new ProtocolError('internalError', 'Try again', { status: 503, cause: new Error('no answer') });

describe.each(routes)('a hook that does not answer, over %s', (_, open) => {
  async function openWaiting(options: object): Promise<{
    readonly route: Route;
    readonly events: SecurityEvent[];
    readonly logged: () => string;
    readonly asked: PromiseWithResolvers<Principal>[];
  }> {
    const log = createRecorder();
    const events: SecurityEvent[] = [];
    const asked: PromiseWithResolvers<Principal>[] = [];
    const server = createServer({ name: 'waiting', version: '1.0.0' }, { logger: log }).tool('run', {}, () => 'ran');
    const route = await open(server, {
      authenticate() {
        const answer = Promise.withResolvers<Principal>();
        asked.push(answer);
        return answer.promise;
      },
      onSecurityEvent: (event) => events.push(event),
      ...options,
    });
    return { route, events, asked, logged: () => log.lines.map(({ fields }) => String(fields['err'])).join() };
  }

  it('is waited for no longer than it may, and its caller is told to try again', async () => {
    const { route, events, asked, logged } = await openWaiting({ authenticateTimeoutMs: 30 });
    expect(await route.call(post)).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
    expect(events).toMatchObject([{ type: 'unavailable', status: 503, reason: 'authentication-failed' }]);
    expect(logged()).toContain('authenticate did not answer within 30 ms');
    // Nobody listens any more, and the process must not end for it.
    asked[0]?.reject(new Error('too late'));
  });

  it('keeps no more callers waiting than may run, and lets others in when they are answered', async () => {
    const { route, events, asked } = await openWaiting({ maxRunningRequests: 2 });
    const waiting: Promise<HttpAnswer>[] = [route.call(post), route.call(post)];
    await expect.poll(() => asked).toHaveLength(2);
    expect((await route.call(post)).status).toBe(503);
    expect(asked).toHaveLength(2);
    expect(events).toMatchObject([{ type: 'unavailable', status: 503 }]);
    for (const answer of asked) answer.resolve({ subject: 'ada' });
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200]);
    const next = route.call(post);
    await expect.poll(() => asked).toHaveLength(3);
    asked[2]?.resolve({ subject: 'ada' });
    expect((await next).status).toBe(200);
  });

  it('takes no place of callers who have gone, so that the others are let in', async () => {
    const { route, asked } = await openWaiting({ maxRunningRequests: 2 });
    const gone = new AbortController();
    // Each is broken off below, which is all that it says.
    for (let count = 1; count <= 2; count += 1)
      void route.call({ ...post, signal: gone.signal }).catch(() => undefined);
    await expect.poll(() => asked).toHaveLength(2);
    gone.abort();
    let waiting: Promise<HttpAnswer> | undefined;
    // Answered at once while the two keep their places, and asked about as soon as one has lost its own.
    const callOnceMore = async (): Promise<number> => {
      waiting = route.call(post);
      await Promise.race([waiting, until(() => asked.length > 2)]);
      return asked.length;
    };
    await expect.poll(callOnceMore, { interval: 1 }).toBe(3);
    for (const answer of asked) answer.resolve({ subject: 'ada' });
    expect((await waiting)?.status).toBe(200);
    // What the hook answers to those who have gone gives no place back a second time.
    const more = [route.call(post), route.call(post)];
    await expect.poll(() => asked).toHaveLength(5);
    expect((await route.call(post)).status).toBe(503);
    for (const answer of asked) answer.resolve({ subject: 'ada' });
    expect((await Promise.all(more)).map(({ status }) => status)).toEqual([200, 200]);
  });

  it.each([0, -1, Number.NaN])('is given no time of %j ms', async (authenticateTimeoutMs) => {
    await expect(openWaiting({ authenticateTimeoutMs })).rejects.toThrow(/authenticateTimeoutMs must be/);
  });
});

describe.each(routes)('the log of callers who cannot be authenticated, over %s', (_, open) => {
  it.each([
    ['fails', new Error('database down'), 'error'],
    ['says why it cannot answer', unavailable, 'warn'],
  ] as const)('has ten lines a second at most when the hook %s', async (_case, error, level) => {
    let now = 0;
    const log = createRecorder();
    const events: SecurityEvent[] = [];
    const server = createServer({ name: 'failing', version: '1.0.0' }, { logger: log, now: () => now });
    const authenticate = (): Promise<never> => Promise.reject(error);
    const route = await open(server, { authenticate, onSecurityEvent: (event) => events.push(event) });
    for (let index = 0; index < 25; index += 1) await route.call(post);
    expect(log.lines).toHaveLength(10);
    expect(events).toHaveLength(25);
    now = 1_000;
    await route.call(post);
    expect(log.lines.slice(10)).toMatchObject([{ level, fields: { notLogged: 15 } }]);
  });
});
