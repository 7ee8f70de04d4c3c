import { createServer, type Server, silentLogger } from '@switchyard/server';
import { createMemoryRecordStore, type RecordStore, StoreError } from '@switchyard/stores';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

import { createClaims } from '../../src/effects/claim.ts';
import { accept, send } from '../input/input-route.ts';

const now = (): number => Date.now();
const ada = { who: accept({ name: 'Ada' }) };

/** Whether a call of a store fails before it does something, or after: then it was done all the same. */
type When = 'before' | 'after';

/** A store one of whose calls fails, counted from the first one after `arm`. */
function failing(when: When): { readonly store: RecordStore; arm(call: number): void } {
  const whole = createMemoryRecordStore({ now });
  let left = Infinity;
  const failOnce = async <T>(run: () => Promise<T>): Promise<T> => {
    left -= 1;
    const fails = left === 0;
    if (fails && when === 'before') throw new StoreError('unavailable', 'the store does not answer');
    const answer = await run();
    if (fails) throw new StoreError('unavailable', 'the store did not answer in time');
    return answer;
  };
  return {
    arm: (call) => void (left = call),
    store: {
      get: (key) => failOnce(() => whole.get(key)),
      put: (key, value, options) => failOnce(() => whole.put(key, value, options)),
      delete: (key, options) => failOnce(() => whole.delete(key, options)),
      keys: (prefix, options) => failOnce(() => whole.keys(prefix, options)),
      close: () => whole.close(),
      [Symbol.asyncDispose]: () => whole.close(),
    },
  };
}

const failures = [1, 2, 3].flatMap((call) => [
  { call, when: 'before' as const },
  { call, when: 'after' as const },
]);

describe.each(failures)('with a store whose call $call fails $when it is done', ({ call, when }) => {
  it('an effect runs once, and its outcome is there for whoever comes next', async () => {
    const { store, arm } = failing(when);
    let paid = 0;
    const server = createServer({ name: 'shop', version: '1.0.0' }, { logger: silentLogger, records: store }).tool(
      'pay',
      {},
      async (_args, ctx) => `receipt ${await ctx.once('order-1', () => (paid += 1))}`,
    );
    arm(call);
    const first = await send(server, 'pay');
    // Of a store that cannot even be read nothing was begun.
    expect(first.text).toMatch(call === 1 ? /failed/ : /^receipt 1$/);
    expect((await send(server, 'pay')).text).toBe('receipt 1');
    expect(paid).toBe(1);
  });

  it('a state is used once, and the identical retry gets the outcome', async () => {
    const { store, arm } = failing(when);
    let ran = 0;
    const server: Server = createServer(
      { name: 'shop', version: '1.0.0' },
      { logger: silentLogger, records: store },
    ).tool('ask', { singleUse: true }, async (_args, ctx) => {
      await ctx.elicit('who', { message: 'Who?', schema: z.object({ name: z.string() }) });
      ran += 1;
      return `ran ${ran}`;
    });
    const { state } = await send(server, 'ask');
    arm(call);
    const first = await send(server, 'ask', {}, { state, answers: ada });
    if (call === 1) expect(first.error?.code).toBe(-32603);
    else expect(first.text).toBe('ran 1');
    expect((await send(server, 'ask', {}, { state, answers: ada })).text).toBe('ran 1');
    expect((await send(server, 'ask', {}, { state, answers: {} })).error?.code).toBe(-32602);
  });
});

describe('a claim', () => {
  it.each(['before', 'after'] as const)(
    'is kept alive, and its outcome recorded, when a sign of life fails %s it is written',
    async (when) => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const { store, arm } = failing(when);
      let ids = 0;
      const claims = createClaims(store, {
        epochNow: now,
        createId: () => String((ids += 1)),
        onFailure: () => undefined,
      });
      const { promise, resolve } = Promise.withResolvers<void>();
      const work = {
        key: 'k',
        subject: 's',
        retentionMs: 1_000_000,
        signal: new AbortController().signal,
        run: () => promise.then(() => ({ outcome: { value: 1 } })),
      };
      const running = claims.once(work);
      await vi.advanceTimersByTimeAsync(1);
      arm(1);
      await vi.advanceTimersByTimeAsync(120_000);
      resolve();
      expect(await running).toMatchObject({ kind: 'ran', outcome: { value: 1 } });
      expect(await claims.once(work)).toMatchObject({ kind: 'recorded', outcome: { value: 1 } });
    },
  );

  it('is not tried again where the store says that it is full', async () => {
    const store = createMemoryRecordStore({ now, maxRecords: 1 });
    await store.put('other', 'x', { expected: undefined });
    const failed: unknown[] = [];
    const claims = createClaims(store, {
      epochNow: now,
      createId: () => '1',
      onFailure: (error) => failed.push(error),
    });
    const claimed = claims.once({
      key: 'k',
      subject: 's',
      retentionMs: 1_000,
      signal: new AbortController().signal,
      run: () => Promise.reject(new Error('ran')),
    });
    await expect(claimed).rejects.toMatchObject({ code: 'too-large' });
    expect(failed).toHaveLength(1);
  });

  it('is left to whoever took it over', async () => {
    const clock = { now: 1_000_000 };
    const store = createMemoryRecordStore({ now: () => clock.now });
    const open = (id: string) =>
      createClaims(store, { epochNow: () => clock.now, createId: () => id, onFailure: () => undefined });
    const held = Promise.withResolvers<void>();
    const work = { key: 'k', subject: 's', retentionMs: 1_000_000, signal: new AbortController().signal };
    const slow = open('a').once({ ...work, run: () => held.promise.then(() => ({ outcome: { value: 'late' } })) });
    await expect.poll(() => store.get('k')).toBeDefined();
    clock.now += 30_001;
    const found = async () => ({ outcome: { value: 'found' } });
    expect(await open('b').once({ ...work, run: found, reconcile: found })).toMatchObject({ kind: 'ran' });
    held.resolve();
    expect(await slow).toEqual({ kind: 'unknown' });
    expect(await open('c').once({ ...work, run: found })).toMatchObject({ outcome: { value: 'found' } });
  });
});
