import { legacyClients, type Server, toFetch } from '@switchyard/server';
import { serveHttp, toNode } from '@switchyard/server/node';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { until } from '../turns.ts';
import { initializeOf, legacyRequest, type LegacyRoute, notificationOf, routeTo } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';
import { createHeldServer, held } from './stream-peer.ts';

interface Served {
  readonly route: LegacyRoute;
  /** The route to another URL of the same server. */
  to(url: string): LegacyRoute;
  close(options: { readonly graceMs: number }): Promise<void>;
  readonly served: AsyncDisposable;
}

const legacy = legacyClients({ httpSse: {} });

/** The ways in which a server is served over HTTP and closed; every rule holds for each. */
const ways: readonly [name: string, serve: (server: Server) => Promise<Served>][] = [
  [
    'serveHttp',
    async (server) => {
      const running = await serveHttp(server, { port: 0, legacy });
      return { route: routeTo(running.url), to: routeTo, close: (options) => running.close(options), served: running };
    },
  ],
  [
    'toNode',
    async (server) => {
      const handler = toNode(server, { legacy });
      const http = createHttpServer(handler).listen(0, '127.0.0.1');
      await new Promise((resolve) => http.once('listening', resolve));
      onTestFinished(() => http.closeAllConnections());
      return {
        route: routeTo(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`),
        to: routeTo,
        close(options) {
          http.close();
          return handler.close(options);
        },
        served: handler,
      };
    },
  ],
  [
    'toFetch',
    (server) => {
      const handler = toFetch(server, { legacy });
      return Promise.resolve({
        route: routeTo('http://localhost/mcp', handler),
        to: (url) => routeTo(url, handler),
        close: (options) => handler.close(options),
        served: handler,
      });
    },
  ],
];

describe.each(ways)('a server that closes, by %s', (_name, serve) => {
  it.each(['wait', 'ask'])('cancels what still runs for an old client, also when it has gone: %s', async (name) => {
    const { server, traces } = createLegacyServer();
    const { route, close } = await serve(server);
    const peer = await route.open('2025-11-25', { elicitation: {} });
    // Of the two the one that waits is cut off, and has no answer.
    const pending = peer.post(legacyRequest('tools/call', { name })).catch(() => undefined);
    // Who is asked has a stream, and goes away.
    if (name === 'ask') (await pending)?.events().breakOff();
    await until(() => traces.runs === 1);
    await close({ graceMs: 5 });
    await until(() => traces.reasons.length + traces.cleaned.length === 1);
    expect(traces.reasons).toEqual(name === 'wait' ? ['the server was closed'] : []);
  });

  it('lets what runs for an old client go on for a while, which gets its answer', async () => {
    const { server, release, started } = createHeldServer();
    const { route, close } = await serve(server);
    const peer = await route.open();
    const events = (await peer.post(held)).events();
    await started;
    const closing = close({ graceMs: 60_000 });
    release();
    expect((await events.rest()).at(-1)).toMatchObject({ id: 3, result: { content: [{ text: 'released' }] } });
    await closing;
  });

  it('closes when it is disposed of', async () => {
    const { server, release, started } = createHeldServer();
    const { route, served } = await serve(server);
    const peer = await route.open();
    const events = (await peer.post(held)).events();
    await started;
    const closing = served[Symbol.asyncDispose]();
    release();
    expect((await events.rest()).at(-1)).toMatchObject({ id: 3, result: { content: [{ text: 'released' }] } });
    await closing;
  });

  it('lets what runs for a client of HTTP+SSE go on for a while, which gets its answer and then its end', async () => {
    const { server, release, started } = createHeldServer();
    const { route, to, close } = await serve(server);
    const events = (await route.get()).events();
    const posts = to(new URL((await events.next())?.data ?? '', route.url).href);
    await posts.post(initializeOf('2024-11-05'));
    await posts.post(notificationOf('notifications/initialized'));
    void posts.post(held);
    await started;
    const closing = close({ graceMs: 60_000 });
    release();
    expect((await events.rest()).at(-1)).toMatchObject({ id: 3, result: { content: [{ text: 'released' }] } });
    await closing;
  });
});
