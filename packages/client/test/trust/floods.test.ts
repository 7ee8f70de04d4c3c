import type { Notification } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { createNotificationGate } from '../../src/trust/notification-gate.ts';
import { createManualClock } from '../manual-clock.ts';
import { lastId, progress, serve, warnings } from '../serve-scripted.ts';

const notify = (method: string, params?: Notification['params']): Notification => ({
  jsonrpc: '2.0',
  method: `notifications/${method}`,
  ...(params === undefined ? {} : { params }),
});

function openGate(perSecond = 10) {
  const clock = createManualClock();
  const passed: Notification[] = [];
  let floods = 0;
  let losses = 0;
  const gate = createNotificationGate({
    clock,
    perSecond,
    deliver: (notification) => passed.push(notification),
    onFlood: () => (floods += 1),
    onLoss: () => (losses += 1),
  });
  return { clock, gate, passed, floods: () => floods, losses: () => losses };
}

describe('a flood of notifications', () => {
  it('passes up to the rate, in order and at once', () => {
    const { gate, passed, floods } = openGate();
    for (let at = 0; at < 10; at += 1) gate.take(notify('resources/updated', { uri: `x://${at}` }));
    expect(passed.map(({ params }) => params?.['uri'])).toEqual(Array.from({ length: 10 }, (_, at) => `x://${at}`));
    expect(floods()).toBe(0);
  });

  it('beyond the rate loses log messages, and of others all but the latest of a kind', async () => {
    const { clock, gate, passed, floods } = openGate();
    for (let at = 0; at < 10; at += 1) gate.take(notify('message', { level: 'info', data: at }));
    passed.length = 0;
    for (let at = 0; at < 1_000; at += 1) {
      gate.take(notify('message', { level: 'info', data: at }));
      gate.take(notify('tools/list_changed'));
      gate.take(notify('resources/updated', { uri: `x://${at % 2}`, at }));
    }
    expect(passed).toEqual([]);
    expect(floods()).toBe(1);
    await clock.advance(1_000);
    expect(passed).toEqual([
      notify('resources/updated', { uri: 'x://0', at: 998 }),
      notify('tools/list_changed'),
      notify('resources/updated', { uri: 'x://1', at: 999 }),
    ]);
  });

  it('keeps 1,000 kinds waiting at most, and says when some were lost, once for all between two looks', async () => {
    const { clock, gate, passed, losses } = openGate(1);
    for (let at = 0; at < 5_000; at += 1) gate.take(notify('resources/updated', { uri: `x://${at}` }));
    passed.length = 0;
    expect(losses()).toBe(1);
    await clock.advance(2_000_000);
    expect(losses()).toBe(2);
    expect(passed).toHaveLength(1_000);
    expect(passed.at(-1)?.params).toEqual({ uri: 'x://4999' });
  });

  it('keeps 2 Mi characters waiting at most', async () => {
    const { clock, gate, passed, losses } = openGate(1);
    gate.take(notify('tools/list_changed'));
    const long = 'x'.repeat(500_000);
    for (let at = 0; at < 10; at += 1) gate.take(notify('resources/updated', { uri: `x://${at}/${long}` }));
    passed.length = 0;
    expect(losses()).toBe(1);
    await clock.advance(20_000);
    expect(passed.map(({ params }) => String(params?.['uri']).slice(0, 6))).toEqual([
      'x://6/',
      'x://7/',
      'x://8/',
      'x://9/',
    ]);
  });

  it('tells those of long names apart to their last character', async () => {
    const { clock, gate, passed } = openGate(1);
    gate.take(notify('tools/list_changed'));
    const long = 'x'.repeat(5000);
    for (const at of [1, 2]) gate.take(notify('resources/updated', { uri: `x://${long}${at}` }));
    passed.length = 0;
    await clock.advance(5000);
    expect(passed).toHaveLength(2);
  });

  it('passes again at the rate when it is over', async () => {
    const { clock, gate, passed } = openGate();
    for (let at = 0; at < 50; at += 1) gate.take(notify('message', { data: at }));
    await clock.advance(500);
    for (let at = 0; at < 50; at += 1) gate.take(notify('message', { data: at }));
    expect(passed).toHaveLength(15);
  });

  it.each([
    ['deliver', 2],
    ['forget', 1],
  ] as const)('ends with its connection: %s', async (how, count) => {
    const { clock, gate, passed } = openGate(1);
    gate.take(notify('tools/list_changed'));
    gate.take(notify('tools/list_changed'));
    gate.end(how);
    gate.take(notify('tools/list_changed'));
    await clock.advance(10_000);
    expect(passed).toHaveLength(count);
  });

  it('is bounded for a whole client, with one warning', async () => {
    const seen: string[] = [];
    const { peer, clock } = await serve({
      maxNotificationsPerSecond: 20,
      onNotification: ({ method }) => seen.push(method),
    });
    for (let at = 0; at < 10_000; at += 1) peer.send(notify('prompts/list_changed'));
    expect(seen).toHaveLength(20);
    await clock.advance(1_000);
    expect(seen).toHaveLength(21);
    expect(warnings.map(({ code }) => code)).toEqual(['notification-flood']);
    expect(warnings[0]?.message).toMatch(/"depot".*more than 20 notifications/);
  });
});

describe('a flood of progress', () => {
  it('[PROG-10] comes as 100 reports in a second, and the last one before the answer', async () => {
    const values: number[] = [];
    const { client, peer } = await serve();
    const calling = client.callTool('t', {}, { onProgress: ({ progress: value }) => values.push(value) });
    const id = await idOfCall(peer);
    for (let value = 1; value <= 5_000; value += 1) progress(peer, id, value);
    expect(values).toHaveLength(100);
    peer.answer(id, { resultType: 'complete', content: [] });
    await calling;
    expect(values).toHaveLength(101);
    expect(values.at(-1)).toBe(5_000);
  });

  it('does not lengthen a call beyond its total limit', async () => {
    const { client, peer, clock } = await serve();
    const calling = client.callTool('t', {}, { onProgress: () => undefined, timeoutMs: 100, maxTimeoutMs: 1_000 });
    const settled = calling.catch((error: unknown) => error);
    const id = await idOfCall(peer);
    for (let round = 0; round < 30; round += 1) {
      for (let value = 0; value < 50; value += 1) progress(peer, id, value);
      await clock.advance(50);
    }
    expect(await settled).toMatchObject({ code: 'timeout', server: 'depot' });
  });
});

describe('a flood of log messages', () => {
  it('during a call is dropped beyond the rate', async () => {
    const seen: unknown[] = [];
    const { client, peer } = await serve({ maxNotificationsPerSecond: 50 });
    const calling = client.callTool('t', {}, { onLog: ({ data }) => seen.push(data), logLevel: 'debug' });
    const id = await idOfCall(peer);
    for (let at = 0; at < 5_000; at += 1) peer.send(notify('message', { level: 'info', data: at }));
    peer.answer(id, { resultType: 'complete', content: [] });
    await calling;
    expect(seen).toHaveLength(50);
    expect(warnings.map(({ code }) => code)).toEqual(['notification-flood']);
  });
});

async function idOfCall(peer: Parameters<typeof lastId>[0]): Promise<number> {
  while (peer.written.at(-1)?.method !== 'tools/call') {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
  return lastId(peer);
}
