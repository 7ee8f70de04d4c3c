import { createMemoryRecordStore, type RecordStore } from '@switchyard/stores';
import { expect, it, onTestFinished, vi } from 'vitest';

import { type ClaimedWork, createClaims } from '../../src/effects/claim.ts';
import { storeWith } from './store-with.ts';

const epochNow = (): number => Date.now();
const claimsOf = (store: RecordStore) =>
  createClaims(store, { epochNow, createId: () => 'a1', onFailure: () => undefined });

function workOf(run: () => Promise<unknown>, signal = new AbortController().signal): ClaimedWork {
  return {
    key: 'k',
    subject: 's',
    retentionMs: 1_000_000,
    signal,
    run: async () => ({ outcome: { value: await run() } }),
  };
}

it.each([
  ['nothing', undefined],
  ['a claim that is over', JSON.stringify({ claim: 'x', subject: 's', aliveUntil: 0 })],
])('a store that reads %s and refuses each write is one that does not answer', async (_what, before) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let reads = 0;
  const whole = createMemoryRecordStore({ epochNow });
  if (before !== undefined) await whole.put('k', before, { expected: undefined });
  const store = storeWith(whole, {
    get: (key) => {
      reads += 1;
      if (reads > 10_000) throw new Error('it is read for ever');
      return whole.get(key);
    },
    put: async () => undefined,
  });
  const run = vi.fn<() => Promise<unknown>>();
  const work = workOf(run);
  const [[claimed]] = await Promise.all([
    Promise.allSettled([claimsOf(store).once({ ...work, reconcile: work.run })]),
    vi.advanceTimersByTimeAsync(60_000),
  ]);
  expect(claimed).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  expect(run).not.toHaveBeenCalled();
});

it('whoever finds that somebody else was first pauses, and gives up when its caller does', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let reads = 0;
  const aborter = new AbortController();
  // Every second read is of a copy that lags: the record is there whenever it is to be written.
  const store = storeWith(createMemoryRecordStore({ epochNow }), {
    get: async () => {
      reads += 1;
      if (reads > 10_000) aborter.abort(new Error('it is read for ever'));
      return reads % 2 === 1 ? undefined : { value: '{}', version: 'other' };
    },
    put: async () => undefined,
  });
  const claiming = claimsOf(store).once(workOf(async () => 1, aborter.signal));
  const [[claimed]] = await Promise.all([
    Promise.allSettled([claiming]),
    vi.advanceTimersByTimeAsync(10_000).then(() => aborter.abort(new Error('the caller is gone'))),
  ]);
  expect(claimed).toMatchObject({ status: 'rejected', reason: { message: 'the caller is gone' } });
  expect(reads).toBeLessThan(100);
});
