import { createMemoryRecordStore, type RecordStore, StoreError } from '@switchyard/stores';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';

import { type ClaimedWork, type Claims, createClaims } from '../../src/effects/claim.ts';
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

it.each([
  ['no JSON', 'x'],
  ['no time of its end', JSON.stringify({ claim: 'b1', subject: 's', aliveUntil: 0, outcome: {}, doneAt: 'now' })],
])('what another program left under a key is a conflict, and nothing runs: %s', async (_what, value) => {
  const store = createMemoryRecordStore({ epochNow: () => 0 });
  await store.put('k', value, { expected: undefined });
  const run = vi.fn<() => Promise<unknown>>();
  expect(await claimsOf(store, () => 0).once(workOf(run))).toEqual({ kind: 'conflict' });
  expect(run).not.toHaveBeenCalled();
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

/** A process whose clock is ahead of every other one by more than a lease. */
const aheadNow = (): number => Date.now() + 31_000;

it('a claim is left to whoever took it over', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const epochNow = (): number => Date.now();
  const whole = createMemoryRecordStore({ epochNow });
  const woken = Promise.withResolvers<void>();
  let puts = 0;
  const hung = storeWith(whole, {
    put: async (...written) => {
      puts += 1;
      if (puts > 1) await woken.promise;
      return whole.put(...written);
    },
  });
  const held = Promise.withResolvers<string>();
  const slow = claimsOf(hung, epochNow, 'a').once(workOf(() => held.promise));
  await vi.advanceTimersByTimeAsync(30_001);
  const found = workOf(async () => 'found');
  const taking = claimsOf(whole, epochNow, 'b').once({ ...found, reconcile: found.run });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(await taking).toMatchObject({ kind: 'ran' });
  held.resolve('late');
  woken.resolve();
  expect(await slow).toEqual({ kind: 'unknown' });
  expect(await claimsOf(whole, epochNow, 'c').once(found)).toMatchObject({ outcome: { value: 'found' } });
});

it('work is not reconciled while its process gives signs of life, whatever the clocks say', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const epochNow = (): number => Date.now();
  const store = createMemoryRecordStore({ epochNow });
  const held = Promise.withResolvers<string>();
  const running = claimsOf(store, epochNow, 'a').once(workOf(() => held.promise));
  await vi.advanceTimersByTimeAsync(9_000);
  const guess = workOf(async () => 'guessed');
  const waiting = claimsOf(store, aheadNow, 'b').once({ ...guess, reconcile: guess.run });
  await vi.advanceTimersByTimeAsync(120_000);
  held.resolve('done');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await running).toMatchObject({ kind: 'ran', outcome: { value: 'done' } });
  expect(await waiting).toMatchObject({ kind: 'recorded', outcome: { value: 'done' } });
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

describe('a claim whose write is made although it failed, with a store that is away for a while', () => {
  /** A store that loses the answer to the next claim and is away from then on. */
  function losingStore(whole: RecordStore) {
    const control: { isAway: boolean; losesNext: boolean; readonly store: RecordStore } = {
      isAway: false,
      losesNext: false,
      store: storeWith(whole, {
        get: (key) => (control.isAway ? gone() : whole.get(key)),
        delete: (...removed) => (control.isAway ? gone() : whole.delete(...removed)),
        put: async (...written) => {
          if (control.isAway) return gone();
          const version = await whole.put(...written);
          if (!control.losesNext) return version;
          control.isAway = true;
          return gone();
        },
      }),
    };
    return control;
  }

  /** What a claim rejects with within some time. */
  async function failureOf(claiming: Promise<unknown>, waitMs = 2_000): Promise<unknown> {
    const [[failed]] = await Promise.all([Promise.allSettled([claiming]), vi.advanceTimersByTimeAsync(waitMs)]);
    return failed.status === 'rejected' ? failed.reason : undefined;
  }

  async function claimInVain(control: ReturnType<typeof losingStore>, claims: Claims, work: ClaimedWork) {
    control.losesNext = true;
    expect(await failureOf(claims.once(work))).toMatchObject({ code: 'unavailable' });
    control.losesNext = false;
    control.isAway = false;
  }

  const epochNow = (): number => Date.now();
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('does not keep its own process from the work', async () => {
    const control = losingStore(createMemoryRecordStore({ epochNow }));
    const claims = claimsOf(control.store, epochNow);
    await claimInVain(
      control,
      claims,
      workOf(() => Promise.reject(new Error('began'))),
    );
    expect(await claims.once({ ...workOf(async () => 1), subject: 'other' })).toMatchObject({ kind: 'ran' });
  });

  it('is taken back for every other process, however long the store is away', async () => {
    const whole = createMemoryRecordStore({ epochNow });
    const control = losingStore(whole);
    await claimInVain(
      control,
      claimsOf(control.store, epochNow, 'a'),
      workOf(async () => 1),
    );
    control.isAway = true;
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(await whole.keys('')).toEqual(['k']);
    control.isAway = false;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await claimsOf(whole, epochNow, 'b').once(workOf(async () => 2))).toMatchObject({ kind: 'ran' });
  });

  it('is taken back also when the write is made only after that was tried', async () => {
    const whole = createMemoryRecordStore({ epochNow });
    const late: (() => Promise<unknown>)[] = [];
    const store = storeWith(whole, {
      put: (...written) => {
        late.push(() => whole.put(...written));
        return gone();
      },
    });
    await failureOf(claimsOf(store, epochNow, 'a').once(workOf(async () => 1)));
    for (const put of late) {
      await put();
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(late.length).toBeGreaterThan(1);
    expect(await whole.keys('')).toEqual([]);
  });

  it('of work that began before leaves it as begun', async () => {
    const whole = createMemoryRecordStore({ epochNow });
    const dead = JSON.stringify({ claim: 'x', subject: 's', aliveUntil: 0 });
    await whole.put('k', dead, { expected: undefined });
    const control = losingStore(whole);
    const claims = claimsOf(control.store, epochNow, 'a');
    const found = workOf(async () => 'found');
    control.losesNext = true;
    await failureOf(claims.once({ ...found, reconcile: found.run }), 20_000);
    control.losesNext = control.isAway = false;
    expect(await claims.once(workOf(async () => 'again'))).toEqual({ kind: 'unknown' });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await whole.get('k')).toMatchObject({ value: dead });
  });
});
