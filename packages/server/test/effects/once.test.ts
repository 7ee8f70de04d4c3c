import type { InputError } from '@switchyard/server';
import { createServer, type RequestContext, silentLogger } from '@switchyard/server';
import type { RecordStore } from '@switchyard/stores';
import { createMemoryRecordStore, StoreError } from '@switchyard/stores';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';

import { accept, send } from '../input/input-route.ts';
import { useEveryStore } from './stores.ts';

// Who waits counts its own pauses, and the stores are real: pauses take no time.
vi.mock(import('../../src/timing/pause.ts'), () => ({ pause: () => new Promise((resolve) => setImmediate(resolve)) }));

const open: RecordStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

type Pay = (ctx: RequestContext, args: { readonly n: number }) => Promise<unknown>;

/** One process of a server whose tool pays. */
function processOf(records: RecordStore, epochNow: () => number, pay: Pay, tool = 'pay') {
  return createServer({ name: 'shop', version: '1.0.0' }, { logger: silentLogger, records, epochNow }).tool(
    tool,
    { input: z.object({ n: z.number().default(1) }) },
    async (args, ctx) => {
      try {
        return JSON.stringify({ value: await pay(ctx, args) });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return JSON.stringify({ error: error.name, code: (error as InputError).code, message: error.message });
      }
    },
  );
}

async function answerOf(
  ...call: Parameters<typeof send>
): Promise<{ value?: unknown; error?: string; code?: string; message?: string }> {
  return JSON.parse((await send(...call)).text ?? '{}') as object;
}

describe.each(useEveryStore())('an effect over %s', (_store, openTwo) => {
  async function two(pay: Pay, pay2: Pay = pay) {
    const clock = { now: 1_700_000_000_000 };
    const epochNow = (): number => clock.now;
    const stores = await openTwo(epochNow);
    open.push(...stores);
    return {
      clock,
      one: processOf(stores[0], epochNow, pay),
      other: processOf(stores[1], epochNow, pay2),
      stores,
      epochNow,
    };
  }

  it('runs once, over processes, and later callers get what was recorded', async () => {
    let paid = 0;
    const { one, other } = await two((ctx) => ctx.once('order-1', () => ({ receipt: (paid += 1) })));
    for (const server of [one, other, one]) expect(await answerOf(server, 'pay')).toEqual({ value: { receipt: 1 } });
    expect(paid).toBe(1);
  });

  it('runs once for any number of callers at the same time', async () => {
    let paid = 0;
    let arrived = 0;
    const everybody = Promise.withResolvers<void>();
    const { one, other } = await two((ctx) => {
      arrived += 1;
      if (arrived === 20) everybody.resolve();
      return ctx.once('order-1', async () => {
        await everybody.promise;
        return (paid += 1);
      });
    });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => answerOf(index % 2 === 0 ? one : other, 'pay')),
    );
    expect(new Set(answers.map(({ value }) => value))).toEqual(new Set([1]));
    expect(paid).toBe(1);
  });

  it('that throws has run: the same is thrown to later callers', async () => {
    let tried = 0;
    const { one, other } = await two((ctx) =>
      ctx.once('order-1', () => {
        tried += 1;
        throw new RangeError('card declined');
      }),
    );
    for (const server of [one, other])
      expect(await answerOf(server, 'pay')).toMatchObject({ error: 'RangeError', message: 'card declined' });
    expect(tried).toBe(1);
  });

  it('that throws an InputError throws it with its code to later callers', async () => {
    const { one, other } = await two((ctx) => ctx.once('order-1', () => 1n));
    for (const server of [one, other])
      expect(await answerOf(server, 'pay')).toMatchObject({ error: 'InputError', code: 'value' });
  });

  it('belongs to its caller', async () => {
    let paid = 0;
    const { one } = await two((ctx) => ctx.once('order-1', () => (paid += 1)));
    const callers = [undefined, { subject: 'ada' }, { subject: 'ada', tenant: 't' }, { subject: 'eve' }];
    for (const principal of callers) await send(one, 'pay', {}, principal === undefined ? {} : { principal });
    expect(paid).toBe(callers.length);
  });

  it('belongs to its server, also where that keeps no state', async () => {
    let paid = 0;
    const store = (await openTwo(() => 0))[0];
    open.push(store);
    const ofServer = (name: string) =>
      createServer({ name, version: '1.0.0' }, { records: store, state: false }).tool('pay', {}, async (_args, ctx) =>
        String(await ctx.once('order-1', () => (paid += 1))),
      );
    expect((await send(ofServer('shop'), 'pay')).text).toBe('1');
    expect((await send(ofServer('bank'), 'pay')).text).toBe('2');
  });

  it('belongs to its tool', async () => {
    let paid = 0;
    const pay: Pay = (ctx) => ctx.once('order-1', () => (paid += 1));
    const { one, stores, epochNow } = await two(pay);
    await send(one, 'pay');
    await send(processOf(stores[1], epochNow, pay, 'refund'), 'refund');
    expect(paid).toBe(2);
  });

  it('conflicts with other arguments under its key', async () => {
    let paid = 0;
    const { one, other } = await two((ctx) => ctx.once('order-1', () => (paid += 1)));
    expect(await answerOf(one, 'pay', { n: 1 })).toEqual({ value: 1 });
    expect(await answerOf(other, 'pay', { n: 2 })).toMatchObject({ error: 'InputError', code: 'conflict' });
    expect(paid).toBe(1);
  });

  it('whose process died inside is unknown, and does not run again', async () => {
    let paid = 0;
    const dies = new Promise<never>(() => undefined);
    const { one, other, clock } = await two(
      (ctx) => ctx.once('order-1', () => dies),
      (ctx) => ctx.once('order-1', () => (paid += 1)),
    );
    void send(one, 'pay');
    await expect.poll(() => open[0]?.keys('once:')).toHaveLength(1);
    clock.now += 30_001;
    expect(await answerOf(other, 'pay')).toMatchObject({ error: 'InputError', code: 'unknown-outcome' });
    expect(paid).toBe(0);
  });

  it('whose process died inside is not reconciled by an ask, which is refused', async () => {
    const { one, other, clock } = await two(
      (ctx) => ctx.once('order-1', () => new Promise<never>(() => undefined)),
      (ctx) => ctx.once('order-1', () => 1, { reconcile: async () => ctx.roots('late') as Promise<never> }),
    );
    void send(one, 'pay');
    await expect.poll(() => open[0]?.keys('once:')).toHaveLength(1);
    clock.now += 30_001;
    expect(await answerOf(other, 'pay')).toMatchObject({ error: 'InputError', code: 'not-here' });
  });

  it('whose process died inside is reconciled once, where the author can', async () => {
    let asked = 0;
    const dies = new Promise<never>(() => undefined);
    const { one, other, clock } = await two(
      (ctx) => ctx.once('order-1', () => dies),
      (ctx) => ctx.once<unknown>('order-1', () => 'paid twice', { reconcile: () => ({ found: (asked += 1) }) }),
    );
    void send(one, 'pay');
    await expect.poll(() => open[0]?.keys('once:')).toHaveLength(1);
    clock.now += 30_001;
    expect(await answerOf(other, 'pay')).toEqual({ value: { found: 1 } });
    expect(await answerOf(other, 'pay')).toEqual({ value: { found: 1 } });
    expect(asked).toBe(1);
  });

  it('may run again once its outcome is no longer kept', async () => {
    let paid = 0;
    const { one, clock } = await two((ctx) => ctx.once('order-1', () => (paid += 1)));
    await send(one, 'pay');
    clock.now += 30 * 24 * 60 * 60 * 1000 - 1;
    await send(one, 'pay');
    clock.now += 2;
    await send(one, 'pay');
    expect(paid).toBe(2);
  });
});

describe('ctx.once', () => {
  it('runs once over the rounds of a request, and the round waits for it', async () => {
    let paid = 0;
    const server = createServer(
      { name: 'shop', version: '1.0.0' },
      { records: createMemoryRecordStore({ epochNow: () => 0 }) },
    ).tool('pay', {}, async (_args, ctx) => {
      const [receipt] = await Promise.all([
        ctx.once('order-1', async () => {
          // Long after the handler has asked.
          await new Promise((resolve) => setImmediate(resolve));
          return (paid += 1);
        }),
        ctx.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) }),
      ]);
      return String(receipt);
    });
    const one = await send(server, 'pay');
    expect([one.asks, paid]).toEqual([['who'], 1]);
    const { text } = await send(server, 'pay', {}, { state: one.state, answers: { who: accept({ name: 'Ada' }) } });
    expect([text, paid]).toEqual(['1', 1]);
  });

  it('is refused without a store', async () => {
    let ran = false;
    const pay: Pay = (ctx) => ctx.once('order-1', () => (ran = true));
    const server = processOf(undefined as never, () => 0, pay);
    expect(await answerOf(server, 'pay')).toMatchObject({
      code: 'store',
      message: expect.stringContaining('records') as string,
    });
    expect(ran).toBe(false);
  });

  it('does not begin while the store does not answer', async () => {
    let ran = false;
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    await records.close();
    const server = processOf(
      records,
      () => 0,
      (ctx) => ctx.once('order-1', () => (ran = true)),
    );
    expect(await answerOf(server, 'pay')).toMatchObject({ error: 'StoreError', code: 'closed' });
    expect(ran).toBe(false);
  });

  it('says that the outcome is unknown when it cannot be recorded', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    const put = records.put.bind(records);
    const failing = Object.assign(records, {
      put: (...[key, value, options]: Parameters<typeof put>) =>
        value.includes('outcome') ? Promise.reject(new StoreError('unavailable', 'gone')) : put(key, value, options),
    });
    const server = processOf(
      failing,
      () => 0,
      (ctx) => ctx.once('order-1', () => 'paid'),
    );
    expect(await answerOf(server, 'pay')).toMatchObject({ code: 'unknown-outcome' });
  });

  it('fails with its key for a value that JSON cannot hold or that is too large', async () => {
    const server = processOf(
      createMemoryRecordStore({ epochNow: () => 0 }),
      () => 0,
      (ctx, { n }) => ctx.once(`order-${n}`, () => (n === 1 ? 1n : 'x'.repeat(70_000))),
    );
    for (const n of [1, 2])
      expect(await answerOf(server, 'pay', { n })).toMatchObject({
        error: 'InputError',
        message: expect.stringContaining(`order-${n}`) as string,
      });
  });
});
