import { createServer, type HttpHead, type RateLimiter, type Server, silentLogger } from '@switchyard/server';
import { createMemoryEventBus, type EventBus } from '@switchyard/stores';
import { describe, expect, it } from 'vitest';

import { openStdio } from '../stdio-route.ts';
import { nextTurn, until } from '../turns.ts';
import type { Received } from '../wire.ts';
import { initializeOf, legacyRequest, notificationOf, openLegacy, routeTo } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';
import { answerTo } from './stdio-client.ts';

const one = { uri: 'mem://one' };
const subscribe = (id: number) => legacyRequest('resources/subscribe', one, id);
const updated = { method: 'notifications/resources/updated', params: one };

/** A bus that takes no subscriber while it is away. */
function createAbsentBus(): { readonly bus: EventBus; hasRefused(): boolean; comeBack(): void } {
  const bus = createMemoryEventBus();
  let isAway = true;
  let hasRefused = false;
  return {
    bus: {
      ...bus,
      async subscribe(...given) {
        hasRefused ||= isAway;
        if (isAway) throw new Error('the bus is away');
        return bus.subscribe(...given);
      },
      publish: (...given) => bus.publish(...given),
      [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
    },
    hasRefused: () => hasRefused,
    comeBack() {
      isAway = false;
    },
  };
}

describe('what cannot be watched', () => {
  it('[LEGS-22] is refused when it is subscribed to, and heard of once subscribing again has succeeded', async () => {
    const { bus, comeBack } = createAbsentBus();
    const { server } = createLegacyServer({ bus });
    const peer = await (await openLegacy(server)).open();
    expect((await peer.request('resources/subscribe', one)).error).toMatchObject({ code: -32603 });
    comeBack();
    expect((await peer.request('resources/subscribe', one)).result).toEqual({});
    const events = (await peer.get()).events();
    server.resourceUpdated('mem://one');
    let message = await events.message();
    while (message?.method !== updated.method) message = await events.message();
    expect(message).toMatchObject(updated);
    events.breakOff();
  });

  it('is tried again by itself, and the client then hears that any list may have changed', async () => {
    const { bus, hasRefused, comeBack } = createAbsentBus();
    const { server } = createLegacyServer({ bus });
    const route = await openStdio(server);
    route.send(initializeOf('2025-11-25'));
    route.send(notificationOf('notifications/initialized'));
    await answerTo(route, 0);
    await until(hasRefused);
    comeBack();
    for (const list of ['tools', 'prompts', 'resources'])
      expect(await route.seen(({ method }) => method === `notifications/${list}/list_changed`)).toBeDefined();
    await route.end();
  });

  it.each(['no uri', '', '/relative'])('is refused: %j, which is no URI', async (uri) => {
    const peer = await (await openLegacy(createLegacyServer().server)).open();
    expect((await peer.request('resources/subscribe', { uri })).error).toMatchObject({ code: -32600 });
    expect((await peer.request('resources/unsubscribe', { uri })).result).toEqual({});
  });

  it('takes nothing of what a session subscribes to already', async () => {
    const { server } = createLegacyServer();
    const peer = await (await openLegacy(server, { maxSubscriptions: 1 })).open();
    expect((await peer.request('resources/subscribe', { uri: 'no uri' })).error).toBeDefined();
    expect((await peer.request('resources/subscribe', one)).result).toEqual({});
    expect((await peer.request('resources/subscribe', { uri: 'mem://two' })).error).toBeDefined();
    const events = (await peer.get()).events();
    server.resourceUpdated('mem://one');
    expect(await events.message()).toMatchObject(updated);
    events.breakOff();
  });
});

it('a client that says again and again that it is ready has its lists watched once', async () => {
  const { server } = createLegacyServer();
  let watches = 0;
  server.use((request, next) => {
    if (request.method === 'subscriptions/listen') watches += 1;
    return next(request);
  });
  const peer = await (await openLegacy(server)).open();
  for (let times = 0; times < 5; times += 1) await peer.post(notificationOf('notifications/initialized'));
  expect(watches).toBe(1);
});

describe('a resource that takes scopes', () => {
  const admin = { headers: { 'x-scopes': 'admin' } };
  const nobody = { headers: { 'x-scopes': 'other' } };
  const authenticate = (head: HttpHead) => ({ subject: 'ada', scopes: (head.header('x-scopes') ?? '').split(' ') });

  function createSecret(): Server {
    return createServer({ name: 'secret', version: '1.0.0' }, { logger: silentLogger })
      .resource('mem://one', { name: 'one', scopes: ['admin'] }, () => 'one')
      .resource('mem://open', { name: 'open' }, () => 'open');
  }

  async function openSecret() {
    const server = createSecret();
    const peer = await (await openLegacy(server, {}, { authenticate })).open('2025-11-25', {}, admin);
    await peer.post(legacyRequest('resources/subscribe', { uri: 'mem://open' }), admin);
    await peer.post(subscribe(1), admin);
    return { server, peer };
  }

  /** Whether a stream hears that the resource changed. */
  async function hears(server: Server, events: { message(): Promise<Received | undefined> }): Promise<boolean> {
    server.resourceUpdated('mem://one');
    // What lies below a resource is never told of but when it changes.
    server.resourceUpdated('mem://open/last');
    const uris = new Set<unknown>();
    while (!uris.has('mem://open/last')) uris.add((await events.message())?.params?.['uri']);
    return uris.has('mem://one');
  }

  it('[AUTHRS-17] is not told of to a stream that was opened without them', async () => {
    const { server, peer } = await openSecret();
    const events = (await peer.get(nobody)).events();
    expect(await hears(server, events)).toBe(false);
    events.breakOff();
  });

  it('[AUTHRS-17] is not told of out of what was kept for a stream that has them', async () => {
    const { server, peer } = await openSecret();
    server.resourceUpdated('mem://one');
    await peer.post(legacyRequest('ping'), admin);
    const events = (await peer.get({ headers: { ...nobody.headers, 'last-event-id': '0-0' } })).events();
    expect(await hears(server, events)).toBe(false);
    events.breakOff();
  });

  it('is told of again once the session has them again', async () => {
    const { server, peer } = await openSecret();
    await peer.post(legacyRequest('ping'), nobody);
    const events = (await peer.get(admin)).events();
    expect(await hears(server, events)).toBe(true);
    events.breakOff();
  });

  it('[LEGS-22] is refused without them when it is subscribed to, and taken after a step-up', async () => {
    const server = createSecret();
    const peer = await (await openLegacy(server, {}, { authenticate })).open('2025-11-25', {}, nobody);
    await peer.post(legacyRequest('resources/subscribe', { uri: 'mem://open' }), nobody);
    expect((await (await peer.post(subscribe(1), nobody)).json()).error).toMatchObject({ code: -32600 });
    expect((await (await peer.post(subscribe(2), admin)).json()).result).toEqual({});
    const events = (await peer.get(admin)).events();
    expect(await hears(server, events)).toBe(true);
    events.breakOff();
  });
});

describe('a subscription that stands', () => {
  it('stays where subscribing again is refused to fewer scopes, and is told of to those that have them', async () => {
    const scoped = createServer({ name: 'scoped', version: '1.0.0' }, { logger: silentLogger }).resource(
      'mem://one',
      { name: 'one', scopes: ['admin'] },
      () => 'one',
    );
    const authenticate = (head: HttpHead) => ({ subject: 'ada', scopes: [head.header('x-scope') ?? ''] });
    const admin = { headers: { 'x-scope': 'admin' } };
    const peer = await (await openLegacy(scoped, {}, { authenticate })).open('2025-11-25', {}, admin);
    expect((await (await peer.post(subscribe(1), admin)).json()).result).toEqual({});
    const refused = await peer.post(subscribe(2), { headers: { 'x-scope': 'other' } });
    expect((await refused.json()).error).toMatchObject({ code: -32600 });
    await peer.post(legacyRequest('ping'), admin);
    const events = (await peer.get(admin)).events();
    scoped.resourceUpdated('mem://one');
    expect(await events.message()).toMatchObject(updated);
    events.breakOff();
  });
});

describe('a session that has ended', () => {
  const batch = [legacyRequest('ping', {}, 1), subscribe(2), legacyRequest('tools/call', { name: 'wait' }, 3)];

  /**
   * A server that knows how many subscriptions stand open, and a limiter that holds what is counted after the first
   * request.
   */
  function createHeld() {
    const { server, traces } = createLegacyServer();
    let open = 0;
    server.use(async (request, next) => {
      if (request.method !== 'subscriptions/listen') return next(request);
      open += 1;
      try {
        return await next(request);
      } finally {
        open -= 1;
      }
    });
    const gate = Promise.withResolvers<void>();
    let passes = Infinity;
    let waiting = 0;
    const rateLimit: RateLimiter = {
      async consume() {
        passes -= 1;
        if (passes >= 0) return;
        waiting += 1;
        await gate.promise;
      },
    };
    return {
      server,
      traces,
      options: { rateLimit, authenticate: () => ({ subject: 'ada' }) },
      open: () => open,
      /** Lets one more request through, and waits until those of its batch are held. */
      async holdBatch<T>(post: () => Promise<T>): Promise<() => Promise<T>> {
        passes = 1;
        const posted = post();
        await until(() => waiting === batch.length - 1);
        passes = Infinity;
        return () => posted;
      },
      release: gate.resolve,
    };
  }

  it('serves nothing further of a batch, and watches nothing', async () => {
    const { server, traces, options, open, holdBatch, release } = createHeld();
    const peer = await (await openLegacy(server, {}, options)).open('2025-03-26');
    expect(open()).toBe(1);
    const posted = await holdBatch(() => peer.post(batch));
    expect((await peer.delete()).status).toBe(204);
    release();
    const answers = (await (await posted()).json()) as object as Received[];
    expect(answers.map(({ error }) => error?.code)).toEqual([undefined, -32600, -32600]);
    expect([traces.runs, open()]).toEqual([0, 0]);
  });

  it('serves nothing further of a batch over HTTP+SSE, and watches nothing', async () => {
    const { server, traces, options, open, holdBatch, release } = createHeld();
    const route = await openLegacy(server, { httpSse: {} }, options);
    const events = (await route.get()).events();
    const posts = routeTo(new URL((await events.next())?.data ?? '', route.url).href);
    await posts.post(initializeOf('2025-03-26'));
    await posts.post(notificationOf('notifications/initialized'));
    expect(open()).toBe(1);
    await holdBatch(() => posts.post(batch));
    events.breakOff();
    await until(() => open() === 0);
    release();
    await nextTurn();
    await nextTurn();
    expect([traces.runs, open()]).toEqual([0, 0]);
  });
});
