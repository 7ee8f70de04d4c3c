import { createServer, type Server, silentLogger } from '@switchyard/server';
import { createMemoryRecordStore, type RecordStore, StoreError } from '@switchyard/stores';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

import { createClaims } from '../../src/effects/claim.ts';
import { accept, send } from '../input/input-route.ts';
import { storeWith } from './store-with.ts';

const epochNow = (): number => Date.now();
const ada = { who: accept({ name: 'Ada' }) };

/** Whether a call of a store fails before it does something, or after: then it was done all the same. */
type When = 'before' | 'after';

/** A store one of whose calls fails, counted from the first one after `arm`. */
function failing(when: When): { readonly store: RecordStore; arm(call: number): void } {
  const whole = createMemoryRecordStore({ epochNow });
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
    store: storeWith(whole, {
      get: (key) => failOnce(() => whole.get(key)),
      put: (...written) => failOnce(() => whole.put(...written)),
      delete: (...removed) => failOnce(() => whole.delete(...removed)),
      keys: (...listed) => failOnce(() => whole.keys(...listed)),
    }),
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
        epochNow,
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
});
