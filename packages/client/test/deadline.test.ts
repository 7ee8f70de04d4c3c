import { describe, expect, it } from 'vitest';
import { ClientError } from '../src/index.ts';
import { createPeerContext } from '../src/peer/peer-context.ts';
import { withDeadline } from '../src/timing/deadline.ts';
import { failure } from './expect-failure.ts';
import { createManualClock, type ManualClock, settle } from './manual-clock.ts';
import { cancellations, lastId, progress, serve, warnings, watch } from './serve-scripted.ts';

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

  it('[TOOL-38] is 60 seconds by default, and each call may have its own [CAN-17]', async () => {
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

describe('the error of a deadline', () => {
  it.each<[string, (id: number) => string, RegExp]>([
    [
      'with a log prefix',
      (id) => `INFO: {"jsonrpc":"2.0","id":${id},"result":{}}`,
      /line that is no message: INFO: \{/,
    ],
    ['under a text for a number', (id) => `{"jsonrpc":"2.0","id":"${id}","result":{}}`, /answer to an id .*: "\d+"\./],
    ['as no message of the protocol', (id) => `{"jsonrpc":"2.0","ID":${id},"result":{}}`, /breaks the protocol: \{/],
  ])('names what may be the answer: one that came %s', async (_how, written, sentence) => {
    const { client, peer, clock } = await serve({ timeoutMs: 1000 });
    const call = watch(client.callTool('x'));
    await settle();
    peer.sendText(written(lastId(peer)));
    await clock.advance(1000);
    expect(call.outcome).toMatchObject({ code: 'timeout' });
    expect((call.outcome as Error).message).toMatch(sentence);
  });

  it('counts what came, tells the last, bounded and without secrets, and nothing that came before', async () => {
    const { client, peer, clock } = await serve({ timeoutMs: 1000 });
    peer.sendText('before');
    const call = watch(client.callTool('x'));
    await settle();
    for (const line of ['{', '"result": {', `token=s3cr3t-4711 ${'x'.repeat(10_000)}`]) peer.sendText(line);
    await clock.advance(1000);
    const { message } = call.outcome as Error;
    expect(message).toContain(
      '3 things that could not be used, the last a line that is no message: token=[redacted] x',
    );
    expect(message.length).toBeLessThan(1000);
    const later = watch(client.callTool('x'));
    await clock.advance(1000);
    expect((later.outcome as Error).message).not.toContain('Meanwhile');
  });
});

it('the limits of work that throws at once end with it', async () => {
  let armed = 0;
  const manual = createManualClock();
  const clock = {
    ...manual,
    after(delayMs: number, task: () => void) {
      armed += 1;
      const stop = manual.after(delayMs, task);
      return () => {
        armed -= 1;
        stop();
      };
    },
  };
  const context = createPeerContext({ server: 'depot', clock });
  const { signal } = new AbortController();
  const work = withDeadline(context, { what: 'work', totalMs: 1000, signal }, () => {
    throw new Error('at once');
  });
  await expect(work).rejects.toThrow('at once');
  expect(armed).toBe(0);
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
