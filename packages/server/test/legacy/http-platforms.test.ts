import { toFetch } from '@switchyard/server';
import { toNode } from '@switchyard/server/node';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import type { Received } from '../wire.ts';
import { legacyRequest, type LegacyRoute, openLegacy, routeTo } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';

type Opened = Promise<{ readonly route: LegacyRoute; readonly made: ReturnType<typeof createLegacyServer> }>;

const platforms: readonly [name: string, open: () => Opened][] = [
  [
    'toFetch',
    () => {
      const made = createLegacyServer();
      return Promise.resolve({ made, route: routeTo('http://localhost/mcp', toFetch(made.server)) });
    },
  ],
  [
    'toNode',
    async () => {
      const made = createLegacyServer();
      const http = createHttpServer(toNode(made.server)).listen(0, '127.0.0.1');
      await new Promise((resolve) => http.once('listening', resolve));
      onTestFinished(() => {
        http.closeAllConnections();
        http.close();
      });
      return { made, route: routeTo(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`) };
    },
  ],
];

it('a client that does not read the stream of GET gets what was left out when it comes back', async () => {
  const { server } = createLegacyServer();
  const peer = await routeTo('http://localhost/mcp', toFetch(server)).open();
  await peer.request('resources/subscribe', { uri: 'mem://one' });
  const unread = await peer.get();
  const uris = Array.from({ length: 70 }, (_, index) => `mem://one/${'x'.repeat(20_000)}${index}`);
  for (const uri of uris) server.resourceUpdated(uri);
  const events = unread.events();
  const told = await events.rest();
  expect(told.length).toBeLessThan(uris.length);
  const again = (await peer.get({ headers: { 'last-event-id': events.lastId() } })).events();
  while (told.length < uris.length) told.push((await again.message()) as Received);
  expect(told.map(({ params }) => params?.['uri'])).toEqual(uris);
  again.breakOff();
});

const decline = (ask: Received | undefined): object => ({ jsonrpc: '2.0', id: ask?.id, result: { action: 'decline' } });

describe.each(platforms)('old clients by %s', (_name, open) => {
  it('are let in by default, asked on the stream of their POST, and told of changes', async () => {
    const { route, made } = await open();
    const peer = await route.open('2025-11-25', { elicitation: {} });
    expect((await peer.request('tools/call', { name: 'greet', arguments: { name: 'Ada' } })).result).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    });
    const events = (await peer.post(legacyRequest('tools/call', { name: 'ask' }))).events();
    await peer.post(decline(await events.message()));
    expect((await events.rest()).at(-1)?.result).toMatchObject({ content: [{ text: 'decline' }] });
    const listening = (await peer.get()).events();
    made.server.removePrompt('greeting');
    expect(await listening.message()).toMatchObject({ method: 'notifications/prompts/list_changed' });
    listening.breakOff();
    expect((await peer.delete()).status).toBe(204);
  });

  it('resume what their connection lost', async () => {
    const { route } = await open();
    const peer = await route.open('2025-11-25', { elicitation: {} });
    const events = (await peer.post(legacyRequest('tools/call', { name: 'ask' }))).events();
    const ask = await events.message();
    events.breakOff();
    await peer.post(decline(ask));
    const resumed = (await peer.get({ headers: { 'last-event-id': events.lastId() } })).events();
    expect(await resumed.rest()).toMatchObject([{ id: 1, result: { content: [{ text: 'decline' }] } }]);
  });
});

describe('a stream that nothing is sent on', () => {
  it('[http-07] [http-09] is kept alive with comments, until its client is gone', async () => {
    const route = await openLegacy(createLegacyServer().server, {}, { keepAliveMs: 1 });
    const peer = await route.open();
    const controller = new AbortController();
    const response = await fetch(route.url, {
      headers: { accept: 'text/event-stream', 'mcp-session-id': peer.id },
      signal: controller.signal,
    });
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes(': keep-alive')) text += decoder.decode((await reader.read()).value, { stream: true });
    controller.abort();
    expect((await peer.request('ping')).result).toEqual({});
  });
});
