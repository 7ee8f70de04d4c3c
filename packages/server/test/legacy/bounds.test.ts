import { type HttpHead, createServer, type RateLimiter, type Server, silentLogger } from '@switchyard/server';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Received } from '../wire.ts';
import { openStdio } from '../stdio-route.ts';
import { initializeOf, legacyRequest, notificationOf, openLegacy } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';

/** Lets in whom the header names, and who sends none as nobody. */
const byHeader = {
  authenticate: (head: HttpHead) => {
    const subject = head.header('x-user');
    return subject === undefined ? ('anonymous' as const) : { subject };
  },
};

const as = (user: string) => ({ headers: { 'x-user': user } });

/** A tool that tells how many of it run, and at most ran. */
function createCrowd(): { readonly server: Server; readonly most: () => number } {
  let running = 0;
  let most = 0;
  const server = createServer({ name: 'crowd', version: '1.0.0' }, { logger: silentLogger }).tool(
    'enter',
    {},
    async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      return 'left';
    },
  );
  return { server, most: () => most };
}

const crowd = (size: number) =>
  Array.from({ length: size }, (_, id) => legacyRequest('tools/call', { name: 'enter' }, id));

/** How many responses of a batch are results, and how many are errors of one code. */
function countOf(answers: Received, code: number): { results: number; refused: number } {
  const all = answers as unknown as readonly Received[];
  return {
    results: all.filter(({ result }) => result !== undefined).length,
    refused: all.filter(({ error }) => error?.code === code).length,
  };
}

describe('what a client says of itself', () => {
  it.each([
    ['its name', { clientInfo: { name: 'n'.repeat(20_000), version: '1' } }],
    ['its capabilities', { capabilities: { experimental: { x: { y: 'z'.repeat(20_000) } } } }],
  ])('is refused when a session would have to keep too much of %s', async (_case, more) => {
    const { server } = createLegacyServer();
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'n', version: '1' },
      ...more,
    };
    const initialize = legacyRequest('initialize', params);
    const answer = await (await openLegacy(server)).post(initialize);
    expect(answer.headers.get('mcp-session-id')).toBeNull();
    const { error } = await answer.json();
    expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/at most 16384/) as string });
    expect((await (await openLegacy(server, { maxClientChars: 30_000 })).post(initialize)).headers).toSatisfy(
      (headers: Headers) => headers.has('mcp-session-id'),
    );
  });

  it('is taken with icons of any size, which are not kept', async () => {
    const icons = [{ src: `data:image/png;base64,${'A'.repeat(100_000)}` }];
    const clientInfo = { name: 'painted', version: '1', icons };
    const route = await openLegacy(createLegacyServer().server);
    const opened = await route.post(
      legacyRequest('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }),
    );
    const id = opened.headers.get('mcp-session-id') ?? '';
    const answer = await route.post(legacyRequest('tools/call', { name: 'who' }), {
      headers: { 'mcp-session-id': id },
    });
    expect((await answer.json()).result?.['structuredContent']).toMatchObject({
      client: { name: 'painted', version: '1' },
    });
  });

  it('may not subscribe to more characters of URIs than a session keeps, and may again when it has let go', async () => {
    const peer = await (await openLegacy(createLegacyServer().server, { maxSubscriptionChars: 20 })).open();
    const subscribe = async (uri: string, method = 'resources/subscribe') =>
      (await peer.request(method, { uri })).error?.code;
    expect(await subscribe('mem://one')).toBeUndefined();
    expect(await subscribe('mem://one')).toBeUndefined();
    expect(await subscribe('mem://a-long-one')).toBe(-32600);
    expect(await subscribe('mem://one', 'resources/unsubscribe')).toBeUndefined();
    expect(await subscribe('mem://a-long-one')).toBeUndefined();
  });
});

describe('a batch', () => {
  it('runs no more requests at a time over HTTP than may run', async () => {
    const { server, most } = createCrowd();
    const peer = await (await openLegacy(server, {}, { maxRunningRequests: 3 })).open('2025-03-26');
    const answers = await (await peer.post(crowd(20))).json();
    expect(countOf(answers, -32603)).toEqual({ results: 3, refused: 17 });
    expect(most()).toBe(3);
    // What entered has left.
    expect(countOf(await (await peer.post(crowd(3))).json(), -32603)).toEqual({ results: 3, refused: 0 });
  });

  it('runs no more requests at a time over stdio than may run', async () => {
    const { server, most } = createCrowd();
    const route = await openStdio(server, { maxRunningRequests: 3 });
    route.send(initializeOf('2025-03-26'));
    await route.seen(({ id }) => id === 0);
    route.send(crowd(20));
    const answers = await route.seen((message) => Array.isArray(message));
    expect(countOf(answers, -32603)).toEqual({ results: 3, refused: 17 });
    expect(most()).toBe(3);
    await route.end();
  });

  it('counts as many requests against the rate of its caller as it holds', async () => {
    const counted: string[] = [];
    const rateLimit: RateLimiter = {
      async consume(key) {
        counted.push(key);
        if (counted.length > 6) throw { msBeforeNext: 1_000 };
      },
    };
    const { server, most } = createCrowd();
    const route = await openLegacy(server, {}, { ...byHeader, rateLimit });
    // `initialize` and `notifications/initialized` are two of the six.
    const peer = await route.open('2025-03-26', {}, as('ada'));
    const answers = await (await peer.post([...crowd(10), notificationOf('notifications/x')])).json();
    expect(countOf(answers, -32603)).toEqual({ results: 4, refused: 6 });
    expect([most(), counted.length]).toEqual([4, 12]);
  });
});

describe('who makes room for another session', () => {
  it('is never somebody who is authenticated for nobody', async () => {
    const route = await openLegacy(createLegacyServer().server, { maxSessions: 2 }, byHeader);
    const ada = await route.open('2025-11-25', {}, as('ada'));
    const [first, second] = [await route.open(), await route.open()];
    expect((await first.post(legacyRequest('ping'))).status).toBe(404);
    for (const peer of [ada, second]) expect((await peer.request('ping')).result).toEqual({});
    const bob = await route.open('2025-11-25', {}, as('bob'));
    expect((await second.post(legacyRequest('ping'))).status).toBe(404);
    for (const peer of [ada, bob]) expect((await peer.request('ping')).result).toEqual({});
    expect((await route.post(initializeOf('2025-11-25'))).status).toBe(503);
  });

  it('is first the same principal', async () => {
    const route = await openLegacy(createLegacyServer().server, { maxSessions: 2 }, byHeader);
    const ada = await route.open('2025-11-25', {}, as('ada'));
    const bob = await route.open('2025-11-25', {}, as('bob'));
    await route.open('2025-11-25', {}, as('bob'));
    expect((await bob.post(legacyRequest('ping'))).status).toBe(404);
    expect((await ada.request('ping')).result).toEqual({});
  });
});

it('an id that belongs to a session already opens no other one', async () => {
  const route = await openLegacy(createLegacyServer().server, { createSessionId: () => 'the-only-one' });
  const peer = await route.open();
  const answer = await route.post(initializeOf('2025-11-25'));
  expect([answer.status, answer.headers.get('mcp-session-id')]).toEqual([500, null]);
  expect((await peer.request('ping')).result).toEqual({});
});

describe('requests that wait for an answer', () => {
  const ask = (id: number) => legacyRequest('tools/call', { name: 'ask' }, id);

  it('take no place of those that run, also when their client has gone', async () => {
    const route = await openLegacy(createLegacyServer().server, {}, { maxRunningRequests: 2 });
    const peer = await route.open('2025-11-25', { elicitation: {} });
    const asked: (Received | undefined)[] = [];
    for (let id = 1; id <= 5; id += 1) {
      const events = (await peer.post(ask(id))).events();
      asked.push(await events.message());
      events.breakOff();
    }
    expect(new Set(asked.map((message) => message?.id)).size).toBe(5);
    expect((await peer.request('tools/list', {}, 9)).result).toBeDefined();
    // An answer gives the place back once: as much runs afterwards as before.
    for (const message of asked) await peer.post({ jsonrpc: '2.0', id: message?.id, result: { action: 'decline' } });
    expect((await peer.request('tools/list', {}, 9)).result).toBeDefined();
  });

  it.each([
    ['of all', { maxWaitingRequests: 1 }, false],
    ['of one principal', { maxWaitingRequestsPerCaller: 1 }, true],
  ])('are bounded, %s', async (_case, limits, bobMayAsk) => {
    const route = await openLegacy(createLegacyServer().server, limits, byHeader);
    const ada = await route.open('2025-11-25', { elicitation: {} }, as('ada'));
    const bob = await route.open('2025-11-25', { elicitation: {} }, as('bob'));
    const events = (await ada.post(ask(1))).events();
    const asked = await events.message();
    expect((await ada.request('tools/call', { name: 'ask' }, 2)).result).toMatchObject({ isError: true });
    const ofBob = await bob.post(ask(1));
    expect(ofBob.headers.get('content-type') === 'text/event-stream').toBe(bobMayAsk);
    await ada.post({ jsonrpc: '2.0', id: asked?.id, result: { action: 'decline' } });
    expect((await events.message())?.result).toMatchObject({ content: [{ text: 'decline' }] });
    expect(await (await ada.post(ask(3))).events().message()).toMatchObject({ method: 'elicitation/create' });
  });
});

it('a session that waits for an answer lets in twice as much as may run, and no more', async () => {
  const { server } = createLegacyServer();
  const route = await openLegacy(server, {}, { maxRunningRequests: 2 });
  const peer = await route.open('2025-11-25', { elicitation: {} });
  const events = (await peer.post(legacyRequest('tools/call', { name: 'ask' }))).events();
  expect(await events.message()).toMatchObject({ method: 'elicitation/create' });
  const { hostname, port } = new URL(route.url);
  const refused = Promise.withResolvers<string>();
  for (let turn = 0; turn < 5; turn += 1) {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on('data', (data) => refused.resolve(String(data)));
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Session-Id: ${peer.id}\r\nContent-Length: 100\r\n\r\n{`,
    );
  }
  expect(await refused.promise).toMatch(/^HTTP\/1\.1 503/);
});
