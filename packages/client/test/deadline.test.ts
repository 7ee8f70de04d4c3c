import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Client,
  ClientError,
  type ClientWarning,
  connect,
  type ConnectOptions,
  type Transport,
} from '../src/index.ts';
import { failure } from './expect-failure.ts';
import { createManualClock, type ManualClock, settle } from './manual-clock.ts';
import { createScriptedPeer, type ScriptedPeer } from './scripted-peer.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

async function serve(
  options: ConnectOptions = {},
): Promise<{ client: Client; peer: ScriptedPeer; clock: ManualClock }> {
  const clock = createManualClock();
  const peer = createScriptedPeer();
  const client = await connect(peer.transport, {
    name: 'depot',
    clock,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  clients.push(client);
  return { client, peer, clock };
}

/** Notes how a promise settled, without waiting for it. */
function watch(work: Promise<unknown>): { outcome?: unknown } {
  const seen: { outcome?: unknown } = {};
  work.then(
    (value) => (seen.outcome = value),
    (error: unknown) => (seen.outcome = error),
  );
  return seen;
}

const lastId = ({ written }: ScriptedPeer): number => written.at(-1)?.id ?? -1;
const progress = (peer: ScriptedPeer, token: number, value: number): void =>
  peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: token, progress: value } });
const cancellations = ({ written }: ScriptedPeer) =>
  written.filter(({ method }) => method === 'notifications/cancelled');

describe('a deadline', () => {
  it('[CAN-15] [CAN-16] [CAN-02] [STDIO-10] rejects the call, tells the server once, and a late answer is ignored', async () => {
    const { client, peer, clock } = await serve({ timeoutMs: 1000 });
    const call = watch(client.callTool('x'));
    await clock.advance(999);
    expect(call).toEqual({});
    await clock.advance(1);
    expect(call.outcome).toMatchObject({ code: 'timeout', server: 'depot' });
    expect((call.outcome as Error).message).toMatch(/tools\/call.*1000 ms.*timeoutMs/);
    const id = peer.written.find(({ method }) => method === 'tools/call')?.id ?? -1;
    expect(cancellations(peer)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'timeout' } },
    ]);
    peer.answer(id, { content: [] });
    progress(peer, id, 5);
    await settle();
    expect(warnings).toEqual([]);
  });

  it('is 60 seconds by default, and each call may have its own [CAN-17]', async () => {
    const { client, clock } = await serve();
    const usual = watch(client.callTool('x'));
    const short = watch(client.callTool('x', {}, { timeoutMs: 10 }));
    const long = watch(client.callTool('x', {}, { timeoutMs: 120_000 }));
    await clock.advance(10);
    expect(short.outcome).toBeInstanceOf(ClientError);
    await clock.advance(59_989);
    expect(usual).toEqual({});
    await clock.advance(1);
    expect(usual.outcome).toBeInstanceOf(ClientError);
    expect(long).toEqual({});
  });

  it('[CAN-18] starts anew with progress when that is asked for, with a callback or without', async () => {
    const { client, peer, clock } = await serve({ timeoutMs: 1000 });
    const call = watch(client.callTool('x', {}, { resetTimeoutOnProgress: true }));
    await settle();
    const id = lastId(peer);
    expect(peer.written.at(-1)?.params?.['_meta']).toMatchObject({ progressToken: id });
    for (const value of [1, 2, 3]) {
      await clock.advance(700);
      progress(peer, id, value);
      await settle();
    }
    await clock.advance(700);
    peer.answer(id, { content: [] });
    await settle();
    expect(call.outcome).toMatchObject({ content: [] });
  });

  it('stands fast when the caller wants it to', async () => {
    const { client, peer, clock } = await serve({ timeoutMs: 1000 });
    const seen: number[] = [];
    const options = { resetTimeoutOnProgress: false, onProgress: (it: { progress: number }) => seen.push(it.progress) };
    const call = watch(client.callTool('x', {}, options));
    await settle();
    const id = lastId(peer);
    await clock.advance(700);
    progress(peer, id, 1);
    await clock.advance(300);
    expect(call.outcome).toMatchObject({ code: 'timeout' });
    expect(seen).toEqual([1]);
  });

  it('[CAN-19] ends at the maximum whatever the progress, and progress after it is ignored', async () => {
    const { client, peer, clock } = await serve({ timeoutMs: 1000, maxTimeoutMs: 5000 });
    const seen: number[] = [];
    const call = watch(client.callTool('x', {}, { onProgress: (it) => seen.push(it.progress) }));
    await settle();
    const id = lastId(peer);
    for (let value = 1; value <= 9; value += 1) {
      await clock.advance(500);
      progress(peer, id, value);
    }
    await clock.advance(499);
    expect(call).toEqual({});
    await clock.advance(1);
    expect(call.outcome).toMatchObject({ code: 'timeout' });
    expect((call.outcome as Error).message).toContain('maxTimeoutMs');
    progress(peer, id, 10);
    await settle();
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(cancellations(peer)).toHaveLength(1);
  });

  it('holds for a whole list, not only for its pages', async () => {
    const { client, peer, clock } = await serve({ timeoutMs: 1000, maxTimeoutMs: 3000 });
    const call = watch(client.listTools());
    await settle();
    for (let page = 1; page <= 5; page += 1) {
      peer.answer(lastId(peer), { tools: [], nextCursor: `c${page}` });
      await clock.advance(700);
    }
    expect(call.outcome).toMatchObject({ code: 'timeout' });
  });
});

describe('the timer of a call', () => {
  /** A clock that counts: how many timers were armed, and how many are. */
  function createCountingClock(): ManualClock & { armed: number; total: number } {
    const clock = createManualClock();
    const counting = {
      ...clock,
      armed: 0,
      total: 0,
      after(delayMs: number, task: () => void) {
        let isArmed = true;
        const end = (): void => {
          if (isArmed) counting.armed -= 1;
          isArmed = false;
        };
        counting.armed += 1;
        counting.total += 1;
        const stop = clock.after(delayMs, () => {
          end();
          task();
        });
        return () => {
          end();
          stop();
        };
      },
    };
    return counting;
  }

  it('is one, whatever the limits and the progress, and none once the call is done', async () => {
    const clock = createCountingClock();
    const { client, peer } = await serve({ clock });
    expect(clock.armed).toBe(0);
    const before = clock.total;
    const call = client.callTool('x', {}, { timeoutMs: 1000, maxTimeoutMs: 5000, onProgress: () => undefined });
    await settle();
    const id = lastId(peer);
    for (let value = 1; value <= 100; value += 1) progress(peer, id, value);
    expect(clock.armed).toBe(1);
    peer.answer(id, { content: [] });
    await call;
    expect([clock.armed, clock.total - before]).toEqual([0, 1]);
  });

  it('is one at a time where a call takes several requests, and where its limit moves', async () => {
    const clock = createCountingClock();
    const { client, peer } = await serve({ clock, timeoutMs: 1000 });
    const call = client.listTools({ onProgress: () => undefined });
    await settle();
    for (let page = 1; page <= 5; page += 1) {
      await clock.advance(700);
      progress(peer, lastId(peer), page);
      await clock.advance(700);
      expect(clock.armed).toBe(1);
      peer.answer(lastId(peer), { tools: [], ...(page < 5 ? { nextCursor: `c${page}` } : {}) });
      await settle();
    }
    await call;
    expect(clock.armed).toBe(0);
  });

  it.each([0.1, 0.3, 0.5, 0.7, 0.9])('is never armed for the past, where each look takes %d ms', async (lookMs) => {
    const delays: number[] = [];
    const manual = createManualClock();
    let looks = 0;
    const clock = {
      now: () => manual.now() + (looks += 1) * lookMs,
      after(delayMs: number, task: () => void) {
        delays.push(delayMs);
        return manual.after(Math.max(1, Math.floor(delayMs - looks * lookMs)), task);
      },
    };
    const { client } = await serve({ clock, timeoutMs: 40 });
    const call = watch(client.callTool('x'));
    await manual.advance(200);
    expect(call.outcome).toMatchObject({ code: 'timeout' });
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  });

  it.each(['abort', 'close'])('is gone after: %s', async (end) => {
    const clock = createCountingClock();
    const { client } = await serve({ clock });
    const controller = new AbortController();
    const call = failure(client.callTool('x', {}, { signal: controller.signal }));
    await settle();
    if (end === 'abort') controller.abort();
    else await client.close();
    await call;
    await settle();
    expect(clock.armed).toBe(0);
  });
});

describe('an abort', () => {
  it('[CAN-01] rejects at once with its reason as cause, tells the server, and the late answer is ignored [CAN-11]', async () => {
    const { client, peer } = await serve();
    const controller = new AbortController();
    const call = failure(client.callTool('x', {}, { signal: controller.signal }));
    await settle();
    const id = lastId(peer);
    controller.abort('enough');
    expect(await call).toMatchObject({ code: 'aborted', server: 'depot', cause: 'enough' });
    expect(cancellations(peer)).toMatchObject([{ params: { requestId: id, reason: 'aborted' } }]);
    peer.answer(id, { content: [] });
    expect(warnings).toEqual([]);
  });

  it('before the call sends nothing', async () => {
    const { client, peer } = await serve();
    const error = await failure(client.callTool('x', {}, { signal: AbortSignal.abort() }));
    expect(error.code).toBe('aborted');
    expect(peer.written).toHaveLength(1);
  });

  it('[CAN-07] [CAN-12] after the answer changes nothing', async () => {
    const { client, peer } = await serve();
    const controller = new AbortController();
    const call = client.callTool('x', {}, { signal: controller.signal });
    await settle();
    peer.answer(lastId(peer), { content: [] });
    await call;
    controller.abort();
    await settle();
    expect(cancellations(peer)).toEqual([]);
  });

  it('ends a list between two pages', async () => {
    const { client, peer } = await serve();
    const controller = new AbortController();
    const call = failure(client.listTools({ signal: controller.signal }));
    await settle();
    peer.answer(lastId(peer), { tools: [], nextCursor: 'c' });
    await settle();
    controller.abort();
    expect((await call).code).toBe('aborted');
  });

  it('leaves nothing behind at a signal that outlives many calls', async () => {
    const { client, peer } = await serve();
    const { signal } = new AbortController();
    for (let round = 0; round < 3; round += 1) {
      const calls = Array.from({ length: 20 }, () => client.callTool('x', {}, { signal }));
      await settle();
      expect(getEventListeners(signal, 'abort')).toHaveLength(20);
      for (const { id, method } of peer.written.slice(-20))
        if (method === 'tools/call') peer.answer(id, { content: [] });
      await Promise.all(calls);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('gives up connecting', async () => {
    const peer = createScriptedPeer(() => true);
    const controller = new AbortController();
    const opening = failure(connect(peer.transport, { name: 'depot', signal: controller.signal }));
    await settle();
    controller.abort();
    expect((await opening).code).toBe('aborted');
    expect((await failure(connect(peer.transport, { signal: AbortSignal.abort() }))).code).toBe('aborted');
    expect(peer.opened).toBe(1);
  });

  it('closes a connection that opens after connecting was given up', async () => {
    const peer = createScriptedPeer(() => true);
    const opening = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const transport: Transport = {
      name: 'late',
      async open(options) {
        await opening.promise;
        const connection = await peer.transport.open(options);
        void connection.closed.then(() => closed.resolve());
        return connection;
      },
    };
    const controller = new AbortController();
    const connecting = failure(connect(transport, { signal: controller.signal }));
    await settle();
    controller.abort();
    expect((await connecting).code).toBe('aborted');
    opening.resolve();
    await closed.promise;
    expect(peer.written).toEqual([]);
  });
});

describe('a transport of the caller', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('no route');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no route'))],
  ])('that %s has its reason told with the name of the server', async (_name, open) => {
    const error = await failure(connect({ name: 'own', open }, { name: 'depot' }));
    expect(error).toMatchObject({ code: 'connect-failed', server: 'depot', cause: { message: 'no route' } });
    expect(error.message).toContain('no route');
  });

  it('that fails to write fails the request alone, and names the server', async () => {
    let isBroken = false;
    const peer = createScriptedPeer(() => {
      if (isBroken) throw new Error('EPIPE');
    });
    const client = await connect(peer.transport, { name: 'depot' });
    clients.push(client);
    isBroken = true;
    expect(await failure(client.callTool('x'))).toMatchObject({ code: 'closed', server: 'depot' });
    isBroken = false;
    const call = client.callTool('x');
    await settle();
    peer.answer(lastId(peer), { content: [] });
    expect(await call).toMatchObject({ content: [] });
  });
});

it('hands on nothing that comes after the client was closed', async () => {
  const seen: string[] = [];
  const { client, peer } = await serve({ onNotification: ({ method }) => seen.push(method) });
  peer.send({ jsonrpc: '2.0', method: 'notifications/a' });
  await client.close();
  peer.send({ jsonrpc: '2.0', method: 'notifications/b' });
  peer.sendText('junk');
  expect([seen, warnings]).toEqual([['notifications/a'], []]);
});

describe('callbacks of the caller', () => {
  it('that throw are reported, and the call goes on', async () => {
    const { client, peer } = await serve({
      onNotification: () => {
        throw new Error('no disk');
      },
    });
    const call = client.callTool(
      'x',
      {},
      {
        onProgress: () => {
          throw new Error('no screen');
        },
      },
    );
    await settle();
    progress(peer, lastId(peer), 1);
    peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    peer.answer(lastId(peer), { content: [] });
    expect(await call).toMatchObject({ content: [] });
    expect(warnings.map(({ message }) => /onProgress|onNotification/.exec(message)?.[0])).toEqual([
      'onProgress',
      'onNotification',
    ]);
  });

  it('that reject are reported, too, and leave no rejection unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    const rejects = (): unknown => Promise.reject(new Error('no disk'));
    const seen: string[] = [];
    const { client, peer } = await serve({
      onNotification: rejects,
      onWarning({ message }) {
        seen.push(/onProgress|onLog|onNotification/.exec(message)?.[0] ?? message);
        return rejects();
      },
    });
    const call = client.callTool('x', {}, { onProgress: rejects, onLog: rejects });
    await settle();
    progress(peer, lastId(peer), 1);
    peer.send({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
    peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
    peer.answer(lastId(peer), { content: [] });
    expect(await call).toMatchObject({ content: [] });
    await settle();
    process.off('unhandledRejection', note);
    expect([seen, unhandled]).toEqual([['onProgress', 'onLog', 'onNotification'], []]);
  });

  it('that fail to take a warning do not end the connection', async () => {
    const { client, peer } = await serve({
      onWarning: () => {
        throw new Error('no log');
      },
    });
    peer.sendText('junk');
    const call = client.callTool('x');
    await settle();
    peer.answer(lastId(peer), { content: [] });
    expect(await call).toMatchObject({ content: [] });
  });

  it('get no more than 1,000 warnings of one kind', async () => {
    const { peer } = await serve();
    for (let line = 0; line < 1500; line += 1) peer.sendText('junk');
    peer.send({ jsonrpc: '2.0', id: 4711, result: {} });
    expect(warnings).toHaveLength(1001);
    expect(warnings[999]?.message).toContain('not reported');
    expect(warnings[1000]?.code).toBe('unmatched-response');
  });
});

describe('ids', () => {
  it('[MSG-05] [PROG-02] differ between all requests, and so do progress tokens', async () => {
    const { client, peer } = await serve();
    const calls = Array.from({ length: 20 }, () => client.callTool('x', {}, { onProgress: () => undefined }));
    await settle();
    const sent = peer.written.filter(({ method }) => method === 'tools/call');
    const tokens = sent.map(({ params }) => JSON.stringify(params?.['_meta']).match(/"progressToken":([^,}]+)/)?.[1]);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(20);
    expect(new Set(tokens).size).toBe(20);
    for (const { id } of sent) peer.answer(id, { content: [] });
    await Promise.all(calls);
  });
});
