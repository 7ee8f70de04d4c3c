import { createServer, type Logger, silentLogger } from '@switchyard/server';
import { createMemoryRecordStore, type RecordStore } from '@switchyard/stores';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';

import { send } from '../input/input-route.ts';
import { storeWith } from './store-with.ts';

/** A server that pays each order once. */
function createShop(records: RecordStore, warn: Logger['warn']) {
  return createServer({ name: 'shop', version: '1.0.0' }, { records, logger: { ...silentLogger, warn } }).tool(
    'pay',
    { input: z.object({ order: z.string() }) },
    async ({ order }, ctx) => ctx.once(order, () => 'paid'),
  );
}

async function payOrders(server: ReturnType<typeof createShop>, from: number, to: number): Promise<void> {
  for (let order = from; order < to; order += 1) await send(server, 'pay', { order: String(order) });
}

it('a store that is nearly full is warned of once, long before anything fails', async () => {
  const warn = vi.fn<Logger['warn']>();
  const server = createShop(createMemoryRecordStore({ maxRecords: 1_000 }), warn);
  await payOrders(server, 0, 700);
  expect(warn).not.toHaveBeenCalled();
  await payOrders(server, 700, 1_000);
  expect(warn).toHaveBeenCalledOnce();
  expect(warn).toHaveBeenCalledWith(
    { fullness: expect.closeTo(0.85, 1) as number },
    expect.stringContaining('raise its maxRecords') as string,
  );
});

it('a store that cannot say how full it is, or does not answer that, serves as ever', async () => {
  const whole = createMemoryRecordStore();
  const silent = storeWith(whole, { fullness: () => Promise.reject(new Error('not now')) });
  for (const records of [storeWith(whole, {}), silent]) {
    const warn = vi.fn<Logger['warn']>();
    expect((await send(createShop(records, warn), 'pay', { order: '1' })).text).toBe('paid');
    expect(warn).not.toHaveBeenCalled();
  }
});

it('a store that is full says what to do, and what was recorded is still answered', async () => {
  const error = vi.fn<Logger['error']>();
  const server = createServer(
    { name: 'shop', version: '1.0.0' },
    { records: createMemoryRecordStore({ maxRecords: 1 }), logger: { ...silentLogger, error } },
  ).tool('pay', { input: z.object({ order: z.string() }) }, async ({ order }, ctx) => ctx.once(order, () => 'paid'));
  await payOrders(server, 0, 2);
  expect((await send(server, 'pay', { order: '0' })).text).toBe('paid');
  expect(error.mock.calls.map(([bound]) => String((bound as { err?: unknown }).err))).toContainEqual(
    expect.stringMatching(/at most 1 records .*raise maxRecords and maxTotalChars/),
  );
});
