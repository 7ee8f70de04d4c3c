import { createServer, type RequestContext, silentLogger } from '@switchyard/server';
import { createMemoryRecordStore } from '@switchyard/stores';
import { describe, expect, it, vi } from 'vitest';

import { createAsks } from '../../src/legacy/asks.ts';
import { Cancellation } from '../../src/dispatch/cancellation.ts';
import { request } from '../tasks/task-route.ts';
import { until } from '../turns.ts';
import { legacyRequest, openLegacy } from './legacy-route.ts';
import { decline } from './stream-peer.ts';

const form = { message: 'Go on?', schema: { type: 'object', properties: {} } } as const;

/** A server whose tool `t` runs `run`; what it awaits may wait for `gate`. */
function createEnding(run: (ctx: RequestContext, clean: () => void, gate: Promise<void>) => Promise<unknown>) {
  const gate = Promise.withResolvers<void>();
  let cleaned = 0;
  const server = createServer(
    { name: 'ending', version: '1.0.0' },
    { logger: silentLogger, records: createMemoryRecordStore({ epochNow: () => Date.now() }), timeoutMs: 50 },
  ).tool('t', { task: 'optional' }, async (_args, ctx) => {
    await run(ctx, () => (cleaned += 1), gate.promise);
    return 'done';
  });
  return { server, cleaned: () => cleaned, release: gate.resolve };
}

describe('when the request of an old client is answered, `finally` runs around', () => {
  it('an ask beside one that was declined', async () => {
    const { server, cleaned } = createEnding(async (ctx, clean) => {
      const holding = async (key: string): Promise<void> => {
        try {
          const { action } = await ctx.elicit(key, form);
          if (action !== 'accept') throw new Error(action);
        } finally {
          clean();
        }
      };
      await Promise.all([holding('a'), holding('b')]);
    });
    const peer = await (await openLegacy(server)).open('2025-11-25', { elicitation: {} });
    const events = (await peer.post(legacyRequest('tools/call', { name: 't' }))).events();
    await peer.post(decline(await events.message()));
    expect((await events.rest()).at(-1)?.result).toMatchObject({ isError: true });
    await until(() => cleaned() === 2);
  });

  it.each<[string, (ctx: RequestContext, gate: Promise<void>) => PromiseLike<unknown>]>([
    ['a step that took too long', (ctx, gate) => ctx.step('s', () => gate)],
    ['an effect that took too long', (ctx, gate) => ctx.once('e', () => gate)],
    ['a step that begins after that', (ctx, gate) => gate.then(() => ctx.step('s', () => 's'))],
    ['an effect that begins after that', (ctx, gate) => gate.then(() => ctx.once('e', () => 'e'))],
    ['an ask that comes after that', (ctx, gate) => gate.then(() => ctx.elicit('a', form))],
  ])('%s', async (_what, wait) => {
    const { server, cleaned, release } = createEnding(async (ctx, clean, gate) => {
      // The run exists before its end.
      await ctx.step('first', () => 1);
      try {
        await wait(ctx, gate);
      } finally {
        clean();
      }
    });
    const peer = await (await openLegacy(server)).open('2025-11-25', { elicitation: {} });
    expect((await peer.request('tools/call', { name: 't' })).result).toMatchObject({ isError: true });
    release();
    await until(() => cleaned() === 1);
  });
});

it('`finally` runs around a step that outlives its task', async () => {
  const { server, cleaned, release } = createEnding(async (ctx, clean, gate) => {
    await ctx.task();
    const left = async (): Promise<void> => {
      try {
        await ctx.step('s', () => gate);
      } finally {
        clean();
      }
    };
    void left();
  });
  const { result } = await request(server, 'tools/call', { name: 't', arguments: {} });
  const { taskId } = result as object as { taskId: string };
  let status: unknown;
  while (status !== 'completed') status = (await request(server, 'tasks/get', { taskId })).result?.['status'];
  expect(cleaned()).toBe(0);
  release();
  await until(() => cleaned() === 1);
});

it('an ask to a client that never says it is ready is forgotten when its request is cancelled', async () => {
  const { promise: ready } = Promise.withResolvers<void>();
  const waits = vi.spyOn(ready, 'then');
  const site = {
    revision: '2025-11-25',
    timeoutMs: 60_000,
    logger: silentLogger,
    ready,
    createId: () => 'id',
  } as const;
  const asks = createAsks(site);
  for (let count = 0; count < 10; count += 1) {
    const cancellation = new Cancellation();
    const asked = asks.ask({ method: 'roots/list' }, { notify: () => true, ask: () => true }, cancellation);
    cancellation.cancel(new Error('never mind'));
    await expect(asked).rejects.toThrow('never mind');
  }
  expect(asks.isWaiting()).toBe(false);
  // What waits for a promise stays as long as the promise does.
  expect(waits.mock.calls.length).toBeLessThanOrEqual(1);
});
