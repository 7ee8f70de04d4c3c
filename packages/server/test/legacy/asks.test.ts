import { createServer, type Server, silentLogger } from '@switchyard/server';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';

import { Cancellation } from '../../src/dispatch/cancellation.ts';
import { createAsks } from '../../src/legacy/asks.ts';
import type { Outlet } from '../../src/legacy/outlet.ts';
import { until } from '../turns.ts';
import type { Received } from '../wire.ts';
import { initializeOf, legacyRequest, notificationOf, openLegacy, routeTo } from './legacy-route.ts';
import { answerTo, askOf, initialized } from './stdio-client.ts';
import { open } from './stream-peer.ts';

const schema = { type: 'object', properties: {} } as const;

/** What clients send that is no response to an ask. */
const unusable: readonly [what: string, answer: object][] = [
  ['a result that is null', { jsonrpc: '2.0', result: null }],
  ['a result that is a list', { jsonrpc: '2.0', result: [] }],
  ['a result that is a text', { jsonrpc: '2.0', result: 'yes' }],
  ['an error without code', { jsonrpc: '2.0', error: {} }],
  ['an error that is a text', { jsonrpc: '2.0', error: 'no' }],
  ['an error that is null', { jsonrpc: '2.0', error: null }],
  ['a result and an error', { jsonrpc: '2.0', result: {}, error: { code: 1, message: 'no' } }],
  ['neither of them', { jsonrpc: '2.0' }],
  ['no version', { result: { action: 'decline' } }],
];

describe('a request that asks again and again', () => {
  it('keeps nothing of what is answered', async () => {
    let held = 0;
    class Counted extends Cancellation {
      override onCancelled(callback: () => void): () => void {
        held += 1;
        const takeBack = super.onCancelled(callback);
        return () => {
          held -= 1;
          takeBack();
        };
      }
    }
    const asks = createAsks({
      revision: '2025-11-25',
      timeoutMs: 60_000,
      logger: silentLogger,
      ready: Promise.resolve(),
      createId: () => 'id',
    });
    const outlet: Outlet = {
      notify: () => true,
      ask(text) {
        const { id } = JSON.parse(text) as { readonly id: string };
        queueMicrotask(() => asks.settle({ jsonrpc: '2.0', id, result: { roots: [] } }));
        return true;
      },
    };
    const cancellation = new Counted();
    for (let count = 0; count < 3; count += 1) await asks.ask({ method: 'roots/list' }, outlet, cancellation);
    expect([held, asks.isWaiting()]).toEqual([0, false]);
  });
});

describe('an answer that is no response', () => {
  it.each(unusable)('fails its ask at once over HTTP: %s', async (_what, answer) => {
    const { peer, traces } = await open();
    const events = (await peer.post(legacyRequest('tools/call', { name: 'ask' }))).events();
    const ask = await events.message();
    expect((await peer.post({ id: ask?.id, ...answer })).status).toBe(400);
    expect((await events.rest()).at(-1)?.result).toMatchObject({ isError: true });
    expect(traces.cleaned).toEqual(['ask']);
  });

  it.each(unusable)('fails its ask at once over stdio, and gets no response: %s', async (_what, answer) => {
    const route = await initialized('2025-11-25', { elicitation: {} });
    route.send(legacyRequest('tools/call', { name: 'ask' }, 1));
    const ask = await askOf(route, 'elicitation/create');
    route.send({ id: ask.id, ...answer });
    expect((await answerTo(route, 1)).result).toMatchObject({ isError: true });
    await route.end();
    expect(route.messages().filter(({ error }) => error !== undefined)).toEqual([]);
  });

  it.each(unusable)('fails its ask within a batch, and gets no response: %s', async (_what, answer) => {
    const route = await initialized('2025-03-26', { roots: {} });
    route.send(legacyRequest('tools/call', { name: 'roots' }, 1));
    const ask = await askOf(route, 'roots/list');
    route.send([{ id: ask.id, ...answer }, legacyRequest('ping', {}, 2)]);
    expect((await answerTo(route, 1)).result).toMatchObject({ isError: true });
    const batch = (await route.seen((message) => Array.isArray(message))) as object as Received[];
    expect(batch).toEqual([{ jsonrpc: '2.0', id: 2, result: {} }]);
    await route.end();
  });

  it.each(unusable.slice(0, 7))('gets no response over stdio where nobody asked, either: %s', async (_what, answer) => {
    const route = await initialized();
    route.send({ id: 'ask-9', ...answer });
    route.send(legacyRequest('ping', {}, 1));
    await answerTo(route, 1);
    await route.end();
    expect(route.messages().filter(({ error }) => error !== undefined)).toEqual([]);
  });
});

describe('an ask that comes after the response', () => {
  /** A server whose tool asks when its call was answered, and one whose calls are counted as they run. */
  function createLate() {
    const asked: PromiseLike<unknown>[] = [];
    let ask: (() => void) | undefined;
    let [running, most] = [0, 0];
    const gate = Promise.withResolvers<void>();
    const server = createServer({ name: 'late', version: '1.0.0' }, { logger: silentLogger })
      .tool('late', {}, (_args, ctx) => {
        ask = () => asked.push(ctx.elicit('go', { message: 'Go on?', schema }));
        return 'answered';
      })
      .tool('work', {}, async () => {
        running += 1;
        most = Math.max(most, running);
        await gate.promise;
        running -= 1;
        return 'done';
      });
    return {
      server,
      asked,
      askLate: () => ask?.(),
      release: gate.resolve,
      running: () => running,
      most: () => most,
    };
  }

  it('fails, reaches nobody, and gives up no place of a request that runs', async () => {
    const { server, asked, askLate, release, running, most } = createLate();
    const peer = await (
      await openLegacy(server, {}, { maxRunningRequests: 2 })
    ).open('2025-11-25', { elicitation: {} });
    const events = (await peer.get()).events();
    for (let id = 1; id <= 3; id += 1) {
      expect((await peer.request('tools/call', { name: 'late' }, id)).result).toBeDefined();
      askLate();
    }
    expect(asked).toHaveLength(3);
    for (const ask of asked) await expect(ask).rejects.toThrow('after the request that asks was answered');
    const calls = Array.from({ length: 6 }, (_, id) =>
      peer.post(legacyRequest('tools/call', { name: 'work' }, `w${id}`)),
    );
    await until(() => running() === 2);
    const refused = await Promise.race(calls.map(async (call) => (await call).status));
    expect([refused, most()]).toEqual([503, 2]);
    release();
    await Promise.all(calls);
    server.tool('more', {}, () => 'more');
    expect(await events.message()).toMatchObject({ method: 'notifications/tools/list_changed' });
    events.breakOff();
  });
});

describe('asks to a client that does not read', () => {
  const text = 'q'.repeat(1_000_000);

  /** A server whose tool asks again and again, whatever it is answered. */
  function createInsistent(): { readonly server: Server; asked(): number; failure(): string } {
    let [asked, failure] = [0, ''];
    const server = createServer({ name: 'insistent', version: '1.0.0' }, { logger: silentLogger }).tool(
      'insist',
      {},
      async (_args, ctx) => {
        try {
          for (;;) {
            asked += 1;
            await ctx.sample(`word ${asked}`, {
              messages: [{ role: 'user', content: { type: 'text', text } }],
              maxTokens: 5,
            });
          }
        } catch (error) {
          failure = (error as Error).message;
          throw error;
        }
      },
    );
    return { server, asked: () => asked, failure: () => failure };
  }

  /** What the kernel and Node hold of a connection comes on top. */
  const isAbout16 = (asked: number): boolean => asked >= 16 && asked < 40;

  const answer = (asked: number): object => ({
    jsonrpc: '2.0',
    id: `ask-${asked}`,
    result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } },
  });

  /** Sends a request of which nothing is read but the head of the response, and its first event. */
  async function sendUnread(url: string, lines: readonly string[], body = ''): Promise<string> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.write(`${lines.join('\r\n')}\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const head = await new Promise<string>((resolve) => {
      let all = '';
      socket.on('data', (data) => {
        all += String(data);
        if (all.includes('\n\n')) resolve(all);
      });
    });
    socket.pause();
    return head;
  }

  /** Answers every ask, which the client has not read, until one fails; answers how many were sent. */
  async function answerBlindly(
    { asked, failure }: ReturnType<typeof createInsistent>,
    post: (message: object) => Promise<unknown>,
  ): Promise<number> {
    for (let next = 1; failure() === '' && next < 100; next += 1) {
      await until(() => asked() >= next);
      await post(answer(next));
      await until(() => asked() > next || failure() !== '');
    }
    expect(failure()).toContain('has not read what was sent before');
    return asked() - 1;
  }

  it('fail on the stream of their POST once 16 MiB lie unread', async () => {
    const made = createInsistent();
    const route = await openLegacy(made.server);
    const peer = await route.open('2025-11-25', { sampling: {} });
    await sendUnread(
      route.url,
      [
        'POST /mcp HTTP/1.1',
        'Content-Type: application/json',
        'Accept: text/event-stream',
        `MCP-Session-Id: ${peer.id}`,
      ],
      JSON.stringify(legacyRequest('tools/call', { name: 'insist' })),
    );
    expect(await answerBlindly(made, (message) => peer.post(message))).toSatisfy(isAbout16);
  });

  it('fail over HTTP+SSE once 16 MiB lie unread', async () => {
    const made = createInsistent();
    const route = await openLegacy(made.server, { httpSse: {} });
    const head = await sendUnread(route.url, ['GET /mcp HTTP/1.1', 'Accept: text/event-stream']);
    const posts = routeTo(new URL(/data: (.*)/.exec(head)?.[1] ?? '', route.url).href);
    await posts.post(initializeOf('2024-11-05', { sampling: {} }));
    await posts.post(notificationOf('notifications/initialized'));
    void posts.post(legacyRequest('tools/call', { name: 'insist' }));
    expect(await answerBlindly(made, (message) => posts.post(message))).toSatisfy(isAbout16);
  });

  it('fail on the stream of GET once 1 MiB lies unread, and end it', async () => {
    const made = createInsistent();
    const route = await openLegacy(made.server);
    const peer = await route.open('2025-11-25', { sampling: {} });
    await sendUnread(route.url, ['GET /mcp HTTP/1.1', 'Accept: text/event-stream', `MCP-Session-Id: ${peer.id}`]);
    const json = { headers: { accept: 'application/json' } };
    const pending = peer.post(legacyRequest('tools/call', { name: 'insist' }), json);
    expect(await answerBlindly(made, (message) => peer.post(message))).toBeLessThan(16);
    expect((await (await pending).json()).result).toMatchObject({ isError: true });
  });
});
