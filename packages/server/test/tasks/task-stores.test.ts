import { type RequestContext, type ServerOptions, silentLogger } from '@switchyard/server';
import { createMemoryEventBus, createMemoryRecordStore, type RecordStore, StoreError } from '@switchyard/stores';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { storeWith } from '../effects/store-with.ts';
import { useEveryStore } from '../effects/stores.ts';
import { confirm, createJobServer } from './job-server.ts';
import { accept, begin, cancel, gate, get, request, until, update } from './task-route.ts';

const open: RecordStore[] = [];
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
});

/** One process of a server. */
function processOf(options: ServerOptions, work: (ctx: RequestContext) => Promise<string>) {
  return createJobServer(work, options);
}

/** The stores are real. */
const patient = { timeout: 8_000, interval: 5 };

/** Has the runs of this test look into the store as often as {@link afterLooks} is asked, in place of once a second. */
function lookOnDemand(): void {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
}

/**
 * Answers the function that lets a second pass before it reads; not so many that a sign of life, which looks as well,
 * is due.
 */
function afterLooks<T>(read: () => T): () => T {
  let seconds = 9;
  return () => {
    if (seconds > 0) vi.advanceTimersByTime(1_000);
    seconds -= 1;
    return read();
  };
}

const unused = async (): Promise<string> => {
  throw new Error('the other process runs the task');
};

describe.each(useEveryStore())('a task over %s', (_store, openTwo) => {
  /** Two processes; the first runs the handler. */
  async function two(work: (ctx: RequestContext) => Promise<string>, options: ServerOptions = {}) {
    const clock = { now: 1_700_000_000_000 };
    const epochNow = (): number => clock.now;
    const [one, other] = await openTwo(epochNow);
    open.push(one, other);
    return {
      clock,
      stores: [one, other] as const,
      one: processOf({ epochNow, ...options, records: one }, work),
      other: processOf({ epochNow, ...options, records: other }, unused),
    };
  }

  it('[TASK-14] is there for another process as soon as its caller knows of it, and so is its result', async () => {
    const { open: goOn, opened } = gate();
    const { one, other } = await two(async (ctx) => {
      const task = await ctx.task();
      await opened;
      await task.update({ statusMessage: 'Nearly' });
      return 'done';
    });
    const taskId = await begin(one, 'job');
    expect((await get(other, taskId)).status).toBe('working');
    goOn();
    expect((await until(other, taskId, 'completed')).result?.content[0]?.text).toBe('done');
  });

  it('takes answers and cancellation that another process was sent', async () => {
    lookOnDemand();
    const { one, other } = await two(async (ctx) => {
      await ctx.task();
      const answer = await ctx.elicit('a', confirm);
      return answer.action;
    });
    const taskId = await begin(one, 'job');
    await until(other, taskId, 'input_required');
    await update(other, taskId, { a: accept({ ok: true }) });
    await expect
      .poll(
        afterLooks(async () => (await get(one, taskId)).status),
        patient,
      )
      .toBe('completed');
    expect((await get(one, taskId)).result?.content[0]?.text).toBe('accept');

    const stopped = await begin(one, 'job');
    await until(other, stopped, 'input_required');
    await cancel(other, stopped);
    await expect
      .poll(
        afterLooks(async () => (await get(one, stopped)).status),
        patient,
      )
      .toBe('cancelled');
  });

  it('[TASK-18] [TASK-19] has failed for good when its process gave no sign of life for 30 seconds, even if that wakes up', async () => {
    lookOnDemand();
    const { open: goOn, opened } = gate();
    const signals: AbortSignal[] = [];
    const { one, other, clock } = await two(async (ctx) => {
      signals.push((await ctx.task()).signal);
      await opened;
      return 'too late';
    });
    const taskId = await begin(one, 'job');
    clock.now += 30_000;
    expect((await get(other, taskId)).status).toBe('working');
    clock.now += 1;
    const failed = await get(other, taskId);
    expect(failed).toMatchObject({ status: 'failed', error: { code: -32603 } });
    expect(failed.statusMessage).toContain('is gone');
    await expect
      .poll(
        afterLooks(() => signals[0]?.aborted),
        patient,
      )
      .toBe(true);
    goOn();
    expect(await get(one, taskId)).toEqual(failed);
  });

  it('[TASK-24] is gone from every process when its time is over', async () => {
    const { one, other, clock } = await two(async (ctx) => {
      await ctx.task({ ttlMs: 5_000 });
      return 'done';
    });
    const taskId = await begin(one, 'job');
    await until(one, taskId, 'completed');
    clock.now += 4_999;
    expect((await get(other, taskId)).status).toBe('completed');
    clock.now += 1;
    for (const server of [one, other]) await expect(get(server, taskId)).rejects.toMatchObject({ code: -32602 });
  });

  it('[TASK-19] ends in one way when it is cancelled, answered and read by many at the moment of its end', async () => {
    lookOnDemand();
    const { one, other } = await two(async (ctx) => {
      await ctx.task();
      await ctx.elicit('a', confirm);
      return 'done';
    });
    for (let round = 0; round < 5; round += 1) {
      const taskId = await begin(one, 'job');
      await until(other, taskId, 'input_required');
      await Promise.all([
        update(one, taskId, { a: accept({ ok: true }) }),
        cancel(other, taskId),
        update(other, taskId, { a: accept({ ok: false }) }),
        cancel(one, taskId),
      ]);
      await expect
        .poll(
          afterLooks(async () => (await get(other, taskId)).status),
          patient,
        )
        .toMatch(/^(?:completed|cancelled)$/);
      const ended = await get(other, taskId);
      await Promise.all([
        cancel(one, taskId),
        cancel(other, taskId),
        update(other, taskId, { a: { action: 'cancel' } }),
      ]);
      for (const server of [one, other]) expect(await get(server, taskId)).toEqual(ended);
    }
  });
});

describe('a task', () => {
  it('hears of answers over the bus, without looking into the store for them', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    open.push(records);
    const bus = createMemoryEventBus();
    onTestFinished(() => bus.close());
    const one = processOf({ records, bus, epochNow: () => 0 }, async (ctx) => {
      await ctx.task();
      return (await ctx.elicit('a', confirm)).action;
    });
    const other = processOf({ records, bus, epochNow: () => 0 }, unused);
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const taskId = await begin(one, 'job');
    await vi.waitFor(async () => expect((await get(other, taskId)).status).toBe('input_required'));
    await update(other, taskId, { a: accept({ ok: true }) });
    await vi.waitFor(async () => expect((await get(other, taskId)).status).toBe('completed'));
  });

  it('looks into the store when the bus does not answer', async () => {
    lookOnDemand();
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    open.push(records);
    const dead = createMemoryEventBus();
    await dead.close();
    const errors: unknown[] = [];
    const logger = { ...silentLogger, error: ({ err }: { readonly err?: unknown }) => errors.push(err) };
    const options = { records, bus: dead, epochNow: () => 0, logger };
    const one = processOf(options, async (ctx) => {
      await ctx.task();
      return (await ctx.elicit('a', confirm)).action;
    });
    const taskId = await begin(one, 'job');
    await until(one, taskId, 'input_required');
    await update(processOf(options, unused), taskId, { a: accept({ ok: true }) });
    await expect
      .poll(
        afterLooks(async () => (await get(one, taskId)).status),
        patient,
      )
      .toBe('completed');
    expect(errors[0]).toBeInstanceOf(StoreError);
  });

  it('is not told of when it could not be stored: the call has failed, and nothing runs on', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0, maxRecords: 1 });
    open.push(records);
    await records.put('other', 'value', { expected: undefined });
    const reached: string[] = [];
    const server = processOf({ records, epochNow: () => 0 }, async (ctx) => {
      await ctx.task();
      reached.push('after the task');
      return '';
    });
    const { result } = await request(server, 'tools/call', { name: 'job' });
    expect(result).toMatchObject({ resultType: 'complete', isError: true });
    expect(reached).toEqual([]);
  });

  it('does not end its process when nobody awaits that it could not be stored', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0, maxRecords: 1 });
    open.push(records);
    await records.put('other', 'value', { expected: undefined });
    const server = processOf({ records, epochNow: () => 0 }, async (ctx) => {
      void ctx.task();
      await new Promise((resolve) => setImmediate(resolve));
      return 'done';
    });
    expect((await request(server, 'tools/call', { name: 'job' })).result).toMatchObject({
      content: [{ text: 'done' }],
    });
  });

  it('writes its end again when the store did not take it', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0 });
    open.push(records);
    let refusals = 2;
    const flaky = storeWith(records, {
      put(...written) {
        if (!written[1].includes('"completed"') || refusals === 0) return records.put(...written);
        refusals -= 1;
        return Promise.reject(new StoreError('unavailable', 'down for a moment'));
      },
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = processOf({ records: flaky, epochNow: () => 0 }, async (ctx) => {
      await ctx.task();
      return 'done';
    });
    const taskId = await begin(server, 'job');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(refusals).toBe(0);
    expect(await get(server, taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'done' }] } });
  });

  it('has failed, and says why, when the store takes no record of that size', async () => {
    const records = createMemoryRecordStore({ epochNow: () => 0, maxValueChars: 2_000 });
    open.push(records);
    const server = processOf({ records, epochNow: () => 0 }, async (ctx) => {
      await ctx.task();
      return 'x'.repeat(3_000);
    });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const taskId = await begin(server, 'job');
    await vi.advanceTimersByTimeAsync(1_000);
    const task = await get(server, taskId);
    expect(task.status).toBe('failed');
    expect(task.statusMessage).toContain('larger than the store');
  });

  it('is alive to the process that runs it, however late its sign of life is', async () => {
    const clock = { now: 0 };
    const records = createMemoryRecordStore({ epochNow: () => clock.now });
    open.push(records);
    const { open: goOn, opened } = gate();
    const server = processOf({ records, epochNow: () => clock.now }, async (ctx) => {
      await ctx.task();
      await opened;
      return 'done';
    });
    const taskId = await begin(server, 'job');
    // As after a sleep of the machine, or work that kept the process from everything else.
    clock.now = 600_000;
    expect((await get(server, taskId)).status).toBe('working');
    goOn();
    await until(server, taskId, 'completed');
  });

  it('stays alive while its handler runs', async () => {
    const clock = { now: 0 };
    const records = createMemoryRecordStore({ epochNow: () => clock.now });
    open.push(records);
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { open: goOn, opened } = gate();
    const server = processOf({ records, epochNow: () => clock.now }, async (ctx) => {
      await ctx.task();
      await opened;
      return 'done';
    });
    const taskId = await begin(server, 'job');
    for (let count = 0; count < 12; count += 1) {
      clock.now += 10_000;
      await vi.advanceTimersByTimeAsync(10_000);
    }
    expect((await get(server, taskId)).status).toBe('working');
    goOn();
    await vi.waitFor(async () => expect((await get(server, taskId)).status).toBe('completed'));
  });
});
