import { createMemoryRecordStore, type RecordStore, StoreError } from '@switchyard/stores';
import { expect, it, onTestFinished, vi } from 'vitest';

import { type ClaimedWork, createClaims } from '../../src/effects/claim.ts';
import { storeWith } from './store-with.ts';

const gone = (): Promise<never> => Promise.reject(new StoreError('unavailable', 'the store did not answer in time'));

/** A process of its own, whose claims are told apart by its name. */
function claimsOf(
  store: RecordStore,
  epochNow: () => number,
  name = 'a',
  onFailure: (error: unknown) => void = () => {},
) {
  let count = 0;
  return createClaims(store, { epochNow, createId: () => `${name}${(count += 1)}`, onFailure });
}

function workOf(run: () => Promise<unknown>): ClaimedWork {
  return {
    key: 'k',
    subject: 's',
    retentionMs: 1_000_000,
    signal: new AbortController().signal,
    run: async () => ({ outcome: { value: await run() } }),
  };
}

/** A store whose puts, while `isLate`, fail and are made all the same: after the next look at the record. */
function lateStore(whole: RecordStore): { readonly store: RecordStore; isLate: boolean } {
  const late: (() => Promise<unknown>)[] = [];
  const control = {
    isLate: false,
    store: storeWith(whole, {
      put: (...written) => {
        if (!control.isLate) return whole.put(...written);
        control.isLate = false;
        late.push(() => whole.put(...written));
        return gone();
      },
      get: async (key) => {
        const found = await whole.get(key);
        for (const put of late.splice(0)) await put();
        return found;
      },
    }),
  };
  return control;
}

it('a claim whose write fails and is made after all, while that is looked at, is known again', async () => {
  const control = lateStore(createMemoryRecordStore({ epochNow: () => 0 }));
  const claims = claimsOf(control.store, () => 0);
  control.isLate = true;
  expect(await claims.once(workOf(async () => 1))).toMatchObject({ kind: 'ran', outcome: { value: 1 } });
  expect(await claims.once(workOf(async () => 2))).toMatchObject({ kind: 'recorded', outcome: { value: 1 } });
});

it('a claim is not lost through a sign of life that was given up and is written after all', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const epochNow = (): number => Date.now();
  const whole = createMemoryRecordStore({ epochNow });
  const late: (() => Promise<unknown>)[] = [];
  let isAway = false;
  const store = storeWith(whole, {
    get: (key) => (isAway ? gone() : whole.get(key)),
    put: (...written) => {
      if (!isAway) return whole.put(...written);
      if (late.length === 0) late.push(() => whole.put(...written));
      return gone();
    },
  });
  const held = Promise.withResolvers<number>();
  const running = claimsOf(store, epochNow).once(workOf(() => held.promise));
  await vi.advanceTimersByTimeAsync(1);
  isAway = true;
  await vi.advanceTimersByTimeAsync(18_000);
  isAway = false;
  expect(late).toHaveLength(1);
  for (const put of late) expect(await put()).toBeDefined();
  held.resolve(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await running).toMatchObject({ kind: 'ran', outcome: { value: 1 } });
});

it('a store that hangs is asked for one sign of life at a time', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const epochNow = (): number => Date.now();
  const whole = createMemoryRecordStore({ epochNow });
  const hanging = Promise.withResolvers<void>();
  let puts = 0;
  const store = storeWith(whole, {
    put: async (...written) => {
      puts += 1;
      if (puts > 1) await hanging.promise;
      return whole.put(...written);
    },
  });
  const held = Promise.withResolvers<number>();
  const running = claimsOf(store, epochNow).once(workOf(() => held.promise));
  await vi.advanceTimersByTimeAsync(300_000);
  expect(puts).toBe(2);
  held.resolve(1);
  hanging.resolve();
  expect(await running).toMatchObject({ kind: 'ran', outcome: { value: 1 } });
  expect(puts).toBe(3);
});

it.each(['a sign of life', 'an outcome'])('each failure to write %s is reported', async (what) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const epochNow = (): number => Date.now();
  const whole = createMemoryRecordStore({ epochNow });
  let puts = 0;
  const store = storeWith(whole, { put: (...written) => ((puts += 1) === 1 ? whole.put(...written) : gone()) });
  const reported: unknown[] = [];
  const held = Promise.withResolvers<number>();
  const claims = claimsOf(store, epochNow, 'a', (error) => reported.push(error));
  const running = claims.once(workOf(() => held.promise));
  await vi.advanceTimersByTimeAsync(1);
  if (what === 'an outcome') held.resolve(1);
  else await vi.advanceTimersByTimeAsync(10_000);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(reported).toHaveLength(6);
  expect(reported[0]).toMatchObject({ code: 'unavailable' });
  held.resolve(1);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(await running).toEqual({ kind: 'unknown' });
});

it('a claim is left to whoever took it over', async () => {
  const clock = { now: 1_000_000 };
  const epochNow = (): number => clock.now;
  const store = createMemoryRecordStore({ epochNow });
  const held = Promise.withResolvers<string>();
  const slow = claimsOf(store, epochNow, 'a').once(workOf(() => held.promise));
  await expect.poll(() => store.get('k')).toBeDefined();
  clock.now += 30_001;
  const found = workOf(async () => 'found');
  expect(await claimsOf(store, epochNow, 'b').once({ ...found, reconcile: found.run })).toMatchObject({ kind: 'ran' });
  held.resolve('late');
  expect(await slow).toEqual({ kind: 'unknown' });
  expect(await claimsOf(store, epochNow, 'c').once(found)).toMatchObject({ outcome: { value: 'found' } });
});

it('a claim is alive to the process that holds it, however late its sign of life is', async () => {
  const clock = { now: 0 };
  const epochNow = (): number => clock.now;
  const store = createMemoryRecordStore({ epochNow });
  const claims = claimsOf(store, epochNow);
  const held = Promise.withResolvers<string>();
  const running = claims.once(workOf(() => held.promise));
  await expect.poll(() => store.get('k')).toBeDefined();
  // As after a sleep of the machine.
  clock.now = 600_000;
  const guess = workOf(async () => 'guessed');
  const waiting = claims.once({ ...guess, reconcile: guess.run });
  await new Promise((resolve) => setImmediate(resolve));
  held.resolve('done');
  expect(await running).toMatchObject({ kind: 'ran', outcome: { value: 'done' } });
  expect(await waiting).toMatchObject({ kind: 'recorded', outcome: { value: 'done' } });
});

it('a caller whose signal has aborted does not claim, and one that waits stops waiting', async () => {
  const store = createMemoryRecordStore({ epochNow: () => 0 });
  const aborter = new AbortController();
  const held = Promise.withResolvers<number>();
  const running = claimsOf(store, () => 0, 'a').once(workOf(() => held.promise));
  const waiting = claimsOf(store, () => 0, 'b').once({ ...workOf(async () => 2), signal: aborter.signal });
  aborter.abort(new Error('the caller is gone'));
  await expect(waiting).rejects.toThrow('the caller is gone');
  await expect(
    claimsOf(store, () => 0, 'c').once({ ...workOf(async () => 3), key: 'other', signal: aborter.signal }),
  ).rejects.toThrow('the caller is gone');
  held.resolve(1);
  await running;
  expect(await store.keys('')).toEqual(['k']);
});

it('a claim is not tried again where the store says that it is full', async () => {
  const store = createMemoryRecordStore({ epochNow: () => 0, maxRecords: 1 });
  await store.put('other', 'x', { expected: undefined });
  const reported: unknown[] = [];
  const claimed = claimsOf(
    store,
    () => 0,
    'a',
    (error) => reported.push(error),
  ).once(workOf(() => Promise.reject(new Error('ran'))));
  await expect(claimed).rejects.toMatchObject({ code: 'too-large' });
  expect(reported).toHaveLength(1);
});
