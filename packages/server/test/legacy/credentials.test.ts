import { createServer, type HttpHead, type SecurityEvent, type Server, silentLogger } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { initializeOf, legacyRequest, type LegacyRoute, notificationOf, openLegacy, routeTo } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';

/** A principal whose scopes and end are what the headers say. */
function authenticate(head: HttpHead): { subject: string; scopes: string[]; expiresAtMs?: number } {
  const end = head.header('x-end');
  return {
    subject: 'ada',
    scopes: (head.header('x-scopes') ?? '').split(' '),
    ...(end === undefined ? {} : { expiresAtMs: Number(end) }),
  };
}

/** A server with a tool for administrators, and what it reports. */
async function openScoped(): Promise<{ route: LegacyRoute; events: SecurityEvent[] }> {
  const events: SecurityEvent[] = [];
  const server = createServer({ name: 'scoped', version: '1.0.0' }, { logger: silentLogger }).tool(
    'administer',
    { scopes: ['admin'] },
    () => 'administered',
  );
  const route = await openLegacy(
    server,
    { httpSse: {} },
    { authenticate, onSecurityEvent: (event) => events.push(event) },
  );
  return { route, events };
}

const administer = legacyRequest('tools/call', { name: 'administer' }, 7);
const stepUp = { type: 'step-up', status: 403, subject: 'ada', requiredScopes: ['admin'] };

/** Opens a stream of HTTP+SSE with headers, and a session on it. */
async function openSse(route: LegacyRoute, headers: { readonly [name: string]: string }) {
  const events = (await route.get({ headers })).events();
  const posts = routeTo(new URL((await events.next())?.data ?? '', route.url).href);
  await posts.post(initializeOf('2024-11-05'), { headers });
  await events.message();
  await posts.post(notificationOf('notifications/initialized'), { headers });
  return { events, posts };
}

describe('what a request of a session may', () => {
  it('is what its own credentials say, and not those that opened the session', async () => {
    const { route, events } = await openScoped();
    const peer = await route.open('2025-11-25', {}, { headers: { 'x-scopes': 'admin' } });
    expect((await peer.post(administer, { headers: { 'x-scopes': 'other' } })).status).toBe(403);
    expect((await peer.request('tools/call', { name: 'administer' })).result).toBeDefined();
    expect(events).toMatchObject([stepUp]);
  });

  it('is what its own credentials say over HTTP+SSE, too, and the refusal is reported', async () => {
    const { route, events: reported } = await openScoped();
    const { events, posts } = await openSse(route, { 'x-scopes': 'admin' });
    await posts.post(administer, { headers: { 'x-scopes': 'other' } });
    expect((await events.message())?.error).toMatchObject({ code: -32600, data: { requiredScopes: ['admin'] } });
    await posts.post(administer, { headers: { 'x-scopes': 'admin' } });
    expect((await events.message())?.result).toBeDefined();
    expect(reported).toMatchObject([stepUp]);
    events.breakOff();
  });

  it('is reported where it is refused within a batch', async () => {
    const { route, events } = await openScoped();
    const peer = await route.open('2025-03-26');
    const answer = await peer.post([administer, legacyRequest('ping', {}, 8)]);
    expect(await answer.json()).toMatchObject([{ error: { data: { requiredScopes: ['admin'] } } }, { result: {} }]);
    expect(events).toMatchObject([stepUp]);
  });
});

describe('credentials that end', () => {
  const time = { now: 1_000_000 };

  function open(made: Server, legacy = {}): Promise<LegacyRoute> {
    return openLegacy(made, legacy, { authenticate });
  }

  function createTimed(): Server {
    return createLegacyServer({ epochNow: () => time.now }).server;
  }

  it('end the stream of GET, and the session goes on with fresh ones', async () => {
    const server = createTimed();
    const soon = { headers: { 'x-end': String(time.now + 20) } };
    const later = { headers: { 'x-end': String(time.now + 3_600_000) } };
    const peer = await (await open(server)).open('2025-11-25', {}, soon);
    const listening = (await peer.get()).events();
    expect(await listening.next()).toMatchObject({ data: '' });
    expect(await listening.next()).toBeUndefined();
    server.removePrompt('greeting');
    await peer.post(legacyRequest('resources/subscribe', { uri: 'mem://one' }), later);
    server.resourceUpdated('mem://one');
    const again = (await peer.get(later)).events();
    expect(await again.message()).toMatchObject({ method: 'notifications/prompts/list_changed' });
    expect(await again.message()).toMatchObject({ method: 'notifications/resources/updated' });
    again.breakOff();
  });

  it('end a stream of HTTP+SSE, its session and its place', async () => {
    const route = await open(createTimed(), { httpSse: {}, maxSessions: 1 });
    for (let turn = 0; turn < 3; turn += 1) {
      const { events, posts } = await openSse(route, { 'x-end': String(time.now + 20) });
      expect(await events.next()).toBeUndefined();
      expect((await posts.post(legacyRequest('ping'))).status).toBe(404);
    }
  });

  it('do not end a stream of HTTP+SSE whose client has brought fresh ones', async () => {
    const route = await open(createTimed(), { httpSse: {} });
    const soon = { 'x-end': String(time.now + 20) };
    const later = { headers: { 'x-end': String(time.now + 3_600_000) } };
    const { events, posts } = await openSse(route, soon);
    await posts.post(notificationOf('notifications/x'), later);
    const other = await openSse(route, soon);
    expect(await other.events.next()).toBeUndefined();
    await posts.post(legacyRequest('ping', {}, 3), later);
    expect(await events.message()).toMatchObject({ id: 3 });
    events.breakOff();
  });
});
