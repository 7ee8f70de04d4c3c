import { connect } from 'node:net';

import { createServer, type Server, silentLogger, toFetch } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { messageOf, openNodeRoute, postOf, routes } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { openStdio } from './stdio-route.ts';
import { until } from './turns.ts';
import { callOf } from './wire.ts';

/** A server whose tool `wait` runs until it is released. */
function createWaiting(): { server: Server; release(): void; runs(): number } {
  const released = Promise.withResolvers<string>();
  let runs = 0;
  const server = createServer({ name: 'waiting', version: '1.0.0' }, { logger: silentLogger }).tool('wait', {}, () => {
    runs += 1;
    return released.promise;
  });
  return { server, release: () => released.resolve('released'), runs: () => runs };
}

/** A request as it goes over the wire, for one connection that carries several. */
function rawOf(url: URL, { headers, body }: ReturnType<typeof postOf>): string {
  const lines = Object.entries({ ...headers, host: url.host, 'content-length': String(body?.length) });
  return `POST ${url.pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${String(body)}`;
}

const MAX_RUNNING = 3;
const ids = [1, 2, 3, 4, 5];

describe('requests beyond those that may run at a time', () => {
  it.each(routes)(
    'are answered 503 with Retry-After and do not run, and others run again later, over %s',
    async (_, open) => {
      const { server, release, runs } = createWaiting();
      const route = await open(server, { maxRunningRequests: MAX_RUNNING });
      const running: ReturnType<typeof route.call>[] = [];
      for (const id of ids.slice(0, MAX_RUNNING)) {
        running.push(route.call(postOf(callOf('wait', {}, { id }))));
        await until(() => runs() === id);
      }
      const refused = await route.call(postOf(callOf('wait', {}, { id: 9 })));
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(messageOf(refused)).toMatchObject({
        error: { code: -32603, message: expect.stringContaining('did not run') },
      });
      expect(runs()).toBe(MAX_RUNNING);
      release();
      expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await route.call(postOf(callOf('wait', {}, { id: 10 })))).status).toBe(200);
    },
  );

  it.each(routes)('are warned of in the log once a minute, not once each, over %s', async (_, open) => {
    const log = createRecorder();
    let now = 0;
    const server = createServer({ name: 'busy', version: '1.0.0' }, { logger: log, now: () => now });
    const held = Promise.withResolvers<string>();
    let runs = 0;
    server.tool('wait', {}, () => {
      runs += 1;
      return held.promise;
    });
    const route = await open(server, { maxRunningRequests: 1 });
    const running = route.call(postOf(callOf('wait')));
    await expect.poll(() => runs).toBe(1);
    for (const at of [0, 1, 59_999, 60_000]) {
      now = at;
      expect((await route.call(postOf(callOf('wait')))).status).toBe(503);
    }
    const warning = { level: 'warn', fields: { maxRunningRequests: 1 }, message: expect.stringContaining('busy') };
    expect(log.lines).toMatchObject([warning, warning]);
    held.resolve('done');
    await running;
  });

  it.each(routes)('are not made more by callers that are refused, over %s', async (_, open) => {
    const route = await open(createWaiting().server, { maxRunningRequests: 1 });
    for (const body of ['{', '[]', '{"jsonrpc":"2.0","method":"notifications/cancelled"}', '{"jsonrpc":"2.0","id":1}'])
      expect((await route.call({ ...postOf(callOf('wait')), body })).status).not.toBe(503);
  });

  it('are not made more by callers who go away in their body where the signal alone tells so', async () => {
    const serve = toFetch(createWaiting().server, { maxRunningRequests: 1 });
    const headers = { 'content-type': 'application/json' };
    const caller = new AbortController();
    const endless = new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers,
      body: new ReadableStream(),
      signal: caller.signal,
      duplex: 'half',
    });
    const answer = serve(endless);
    caller.abort();
    await answer;
    expect((await serve(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: '{' }))).status).toBe(400);
  });

  it('are not made more by a caller who goes away while its second request waits behind the first', async () => {
    const first = Promise.withResolvers<string>();
    const ended: unknown[] = [];
    const { server, runs } = createWaiting();
    server.tool('first', {}, () => first.promise);
    server.tool('second', {}, async (_, { signal }) => {
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve, { once: true });
      });
      ended.push(signal.reason);
      return 'ended';
    });
    const { url, call } = await openNodeRoute(server, { maxRunningRequests: 2 });
    const socket = connect(Number(url.port), url.hostname);
    socket.write(['first', 'second'].map((tool) => rawOf(url, postOf(callOf(tool)))).join(''));
    // Both run once a third is refused.
    const refused = async (): Promise<boolean> => (await call({ ...postOf(callOf('wait')), body: '{' })).status === 503;
    await expect.poll(refused).toBe(true);
    socket.destroy();
    await expect.poll(() => ended).toMatchObject([{ message: 'the caller closed the connection' }]);
    first.resolve('done');
    await expect.poll(refused).toBe(false);
    expect(runs()).toBe(0);
  });

  it('are answered -32603 over stdio', async () => {
    const { server, release, runs } = createWaiting();
    const stdio = await openStdio(server, { maxRunningRequests: MAX_RUNNING });
    for (const id of ids) stdio.send(callOf('wait', {}, { id }));
    for (const id of ids.slice(MAX_RUNNING))
      expect(await stdio.seen((message) => message.id === id)).toMatchObject({ error: { code: -32603 } });
    expect(runs()).toBe(MAX_RUNNING);
    release();
    for (const id of ids.slice(0, MAX_RUNNING))
      expect(await stdio.seen((message) => message.id === id)).toMatchObject({ result: { resultType: 'complete' } });
    await stdio.end();
  });
});
