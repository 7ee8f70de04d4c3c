import type { HttpHead } from '@switchyard/server';
import { createServer, legacyClients, silentLogger } from '@switchyard/server';
import { serveHttp, toNode } from '@switchyard/server/node';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { callOf } from '../wire.ts';
import { headersOf } from '../http-route.ts';
import {
  type Answer,
  type Events,
  initializeOf,
  legacyRequest,
  type LegacyRoute,
  notificationOf,
  openLegacy,
  routeTo,
} from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';

/** Opens the stream of an old client, and the route that its messages are posted to. */
async function listen(
  route: LegacyRoute,
  headers: { readonly [name: string]: string } = {},
): Promise<{ events: Events; posts: LegacyRoute }> {
  const opened = await route.get({ headers });
  expect(opened.headers.get('content-type')).toBe('text/event-stream');
  const events = opened.events();
  const endpoint = await events.next();
  expect(endpoint?.event).toBe('endpoint');
  return { events, posts: routeTo(new URL(endpoint?.data ?? '', route.url).href) };
}

function open(...args: Parameters<typeof createLegacyServer>): Promise<LegacyRoute> {
  return openLegacy(createLegacyServer(...args).server, { httpSse: {} });
}

describe('the HTTP+SSE transport', () => {
  it('[LEGS-29] answers what is posted on the stream', async () => {
    const { events, posts } = await listen(await open());
    const accepted: Answer[] = [
      await posts.post(initializeOf('2024-11-05')),
      await posts.post(notificationOf('notifications/initialized')),
      await posts.post(legacyRequest('tools/call', { name: 'greet', arguments: { name: 'Ada' } }, 1)),
    ];
    expect(accepted.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect((await events.message())?.result).toMatchObject({ protocolVersion: '2024-11-05' });
    expect(await events.message()).toMatchObject({ id: 1, result: { content: [{ text: 'Hello, Ada!' }] } });
    events.breakOff();
  });

  it('carries asks and changes', async () => {
    const { server } = createLegacyServer();
    const { events, posts } = await listen(await openLegacy(server, { httpSse: {} }));
    await posts.post(initializeOf('2024-11-05', { roots: {} }));
    await events.message();
    await posts.post(notificationOf('notifications/initialized'));
    server.removePrompt('greeting');
    expect((await events.message())?.method).toBe('notifications/prompts/list_changed');
    await posts.post(legacyRequest('tools/call', { name: 'roots' }, 1));
    const ask = await events.message();
    expect(ask?.method).toBe('roots/list');
    await posts.post({ jsonrpc: '2.0', id: ask?.id, result: { roots: [{ uri: 'file:///a' }] } });
    expect((await events.message())?.result).toMatchObject({ content: [{ text: 'file:///a' }] });
    events.breakOff();
  });

  it('ends the session with its stream', async () => {
    const { server, traces } = createLegacyServer();
    const { events, posts } = await listen(await openLegacy(server, { httpSse: {} }));
    await posts.post(initializeOf('2024-11-05'));
    await events.message();
    void posts.post(legacyRequest('tools/call', { name: 'wait' }, 1));
    while (traces.runs === 0) await new Promise((resolve) => setImmediate(resolve));
    events.breakOff();
    while (traces.reasons.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(traces.reasons).toEqual(['the stream has ended']);
    expect((await posts.post(legacyRequest('ping'))).status).toBe(404);
  });

  it('refuses a message before initialize, one that is none, and an unknown stream', async () => {
    const route = await open();
    const { events, posts } = await listen(route);
    expect((await posts.post(legacyRequest('tools/list'))).status).toBe(400);
    expect((await posts.post('{')).status).toBe(400);
    expect((await routeTo(`${route.url}?sessionId=nope`).post(legacyRequest('ping'))).status).toBe(404);
    events.breakOff();
  });

  it('is bound to the principal', async () => {
    const { server } = createLegacyServer();
    const authenticate = (head: HttpHead) => ({ subject: head.header('x-user') ?? '' });
    const route = await openLegacy(server, { httpSse: {} }, { authenticate });
    const { events, posts } = await listen(route, { 'x-user': 'ada' });
    expect((await posts.post(initializeOf('2024-11-05'), { headers: { 'x-user': 'eve' } })).status).toBe(404);
    expect((await posts.post(initializeOf('2024-11-05'), { headers: { 'x-user': 'ada' } })).status).toBe(202);
    events.breakOff();
  });

  it('bounds how many streams there are, of which each that ends leaves room', async () => {
    const route = await openLegacy(createLegacyServer().server, { httpSse: {}, maxSessions: 1 });
    const { events } = await listen(route);
    expect((await route.get()).status).toBe(503);
    events.breakOff();
    await expect.poll(async () => (await route.get()).status).toBe(200);
  });

  it('bounds how many streams one caller has', async () => {
    const authenticate = (head: HttpHead) => ({ subject: head.header('x-user') ?? '' });
    const { server } = createLegacyServer();
    const route = await openLegacy(server, { httpSse: {}, maxSessionsPerCaller: 1 }, { authenticate });
    const statusFor = async (user: string) => (await route.get({ headers: { 'x-user': user } })).status;
    expect([await statusFor('ada'), await statusFor('ada'), await statusFor('bob')]).toEqual([200, 503, 200]);
  });

  it('opens no second stream under an id that belongs to one already', async () => {
    const createSessionId = () => 'the-only-one';
    const route = await openLegacy(createLegacyServer().server, { httpSse: {}, createSessionId });
    const { events, posts } = await listen(route);
    expect((await route.get()).status).toBe(500);
    expect((await posts.post(initializeOf('2024-11-05'))).status).toBe(202);
    expect((await events.message())?.result).toMatchObject({ protocolVersion: '2024-11-05' });
    events.breakOff();
  });

  it('is served at a path of its own, too, and leaves the endpoint to the rest', async () => {
    const running = await serveHttp(createLegacyServer().server, {
      port: 0,
      legacy: legacyClients({ httpSse: { path: '/sse' } }),
    });
    onTestFinished(() => running.close({ graceMs: 0 }));
    const { events, posts } = await listen(routeTo(new URL('/sse', running.url).href));
    expect(posts.url).toMatch(/\/sse\?sessionId=/);
    const call = callOf('greet', { name: 'Ada' });
    expect((await routeTo(running.url).post(call, { headers: headersOf(call) })).status).toBe(200);
    const peer = await routeTo(running.url).open();
    expect((await peer.get()).status).toBe(200);
    events.breakOff();
  });

  it('posts to a URL that keeps the query of the stream, and holds an id of any visible characters', async () => {
    const createSessionId = () => 'a+b&c%41#d=é?';
    const route = await openLegacy(createLegacyServer().server, { httpSse: {}, createSessionId });
    const { events, posts } = await listen(routeTo(`${route.url}?tenant=7&sessionId=mine&q=a%26b`));
    const query = new URL(posts.url).searchParams;
    expect([query.get('tenant'), query.get('q'), query.getAll('sessionId')]).toEqual(['7', 'a&b', [createSessionId()]]);
    expect((await posts.post(initializeOf('2024-11-05'))).status).toBe(202);
    expect((await events.message())?.result).toMatchObject({ protocolVersion: '2024-11-05' });
    events.breakOff();
  });

  it('serves nothing more to a client that reads none of its answers', async () => {
    const server = createServer({ name: 'large', version: '1.0.0' }, { logger: silentLogger }).tool('large', {}, () =>
      'x'.repeat(900_000),
    );
    const route = await openLegacy(server, { httpSse: {} });
    const { hostname, port } = new URL(route.url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write('GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n');
    const head = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (data) => {
        text += String(data);
        if (text.includes('\n\n')) resolve(text);
      });
    });
    socket.pause();
    const posts = routeTo(new URL(/data: (.*)/.exec(head)?.[1] ?? '', route.url).href);
    await posts.post(initializeOf('2024-11-05'));
    const statuses: number[] = [];
    for (let id = 1; id <= 60; id += 1)
      statuses.push((await posts.post(legacyRequest('tools/call', { name: 'large' }, id))).status);
    expect(new Set(statuses)).toEqual(new Set([202, 503]));
    expect(statuses.at(-1)).toBe(503);
    expect((await posts.post({ jsonrpc: '2.0', id: 'ask-1', result: {} })).status).toBe(202);
  });

  it('names the path that was sent where a framework has cut off the one that it is mounted at', async () => {
    const serve = toNode(createLegacyServer().server, { legacy: legacyClients({ httpSse: {} }) });
    const http = createHttpServer((request, response) => {
      serve(Object.assign(request, { originalUrl: request.url, url: '/' }), response);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => http.once('listening', resolve));
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const { events, posts } = await listen(routeTo(`http://127.0.0.1:${(http.address() as AddressInfo).port}/api/mcp`));
    expect(new URL(posts.url).pathname).toBe('/api/mcp');
    events.breakOff();
  });

  it('[HTTP-35] is not served by default', async () => {
    const route = await openLegacy(createLegacyServer().server);
    expect((await route.get()).status).toBe(400);
  });
});
