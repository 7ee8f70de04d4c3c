import { describe, expect, it } from 'vitest';

import { Cancellation } from '../src/dispatch/cancellation.ts';

describe('a cancellation', () => {
  it('calls back everybody who has not taken that back, once', () => {
    const cancellation = new Cancellation();
    const called: string[] = [];
    cancellation.onCancelled(() => called.push('first'));
    const takeBack = cancellation.onCancelled(() => called.push('second'));
    takeBack();
    cancellation.cancel('a reason');
    cancellation.cancel('another reason');
    expect([called, cancellation.reason]).toEqual([['first'], 'a reason']);
  });

  it('calls back at once when it is one already', () => {
    const cancellation = new Cancellation();
    cancellation.cancel(undefined);
    let calls = 0;
    const takeBack = cancellation.onCancelled(() => (calls += 1));
    takeBack();
    expect(calls).toBe(1);
  });

  it('calls nobody back any more, and aborts no signal, once it was handed over', () => {
    const cancellation = new Cancellation();
    const { signal } = cancellation;
    const called: string[] = [];
    const takeBack = cancellation.onCancelled(() => called.push('taken back'));
    cancellation.onCancelled(() => called.push('kept'));
    const heir = cancellation.handOver();
    takeBack();
    cancellation.cancel('of the request');
    expect([called, signal.aborted]).toEqual([[], false]);
    heir.cancel('of the work');
    expect([called, signal.reason]).toEqual([['kept'], 'of the work']);
  });

  it('follows a signal until it is settled', () => {
    const aborter = new AbortController();
    const [followed, settled] = [Cancellation.following(aborter.signal), Cancellation.following(aborter.signal)];
    settled.settle();
    aborter.abort('gone');
    expect([followed.cancelled, followed.reason, settled.cancelled]).toEqual([true, 'gone', false]);
    expect(Cancellation.following(aborter.signal).cancelled).toBe(true);
  });
});
