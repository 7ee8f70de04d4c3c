import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { createDeadlines, Watched } from '../src/timing/deadlines.ts';

const LIMIT_MS = 1_000;
/** An expiry may come a tenth of the time late. */
const LATEST_MS = 1_100;

class Work extends Watched {
  expiries = 0;
  readonly #onExpire: () => boolean;

  constructor(onExpire: () => boolean = () => true) {
    super();
    this.#onExpire = onExpire;
  }

  expire(): boolean {
    this.expiries += 1;
    return this.#onExpire();
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('deadlines', () => {
  it('expire what is watched for the time limit, a tenth of it late at most, and nothing before', () => {
    const deadlines = createDeadlines(LIMIT_MS);
    const work = new Work();
    deadlines.watch(work);
    vi.advanceTimersByTime(LIMIT_MS - 1);
    expect(work.expiries).toBe(0);
    vi.advanceTimersByTime(LATEST_MS - LIMIT_MS + 1);
    expect(work.expiries).toBe(1);
    vi.advanceTimersByTime(10 * LIMIT_MS);
    expect(work.expiries).toBe(1);
  });

  it.each(['first', 'middle', 'last'] as const)('forget the %s of three, and expire the others', (forgotten) => {
    const deadlines = createDeadlines(LIMIT_MS);
    const works = { first: new Work(), middle: new Work(), last: new Work() };
    for (const work of Object.values(works)) deadlines.watch(work);
    deadlines.forget(works[forgotten]);
    deadlines.forget(works[forgotten]);
    vi.advanceTimersByTime(LATEST_MS);
    for (const [name, { expiries }] of Object.entries(works)) expect(expiries).toBe(name === forgotten ? 0 : 1);
  });

  it('expire the others, too, when one fails, which is told and is not expired again', () => {
    const failures: unknown[] = [];
    const deadlines = createDeadlines(LIMIT_MS, (error) => failures.push(error));
    const broken = new Work(() => {
      throw new Error('broken');
    });
    const [before, after] = [new Work(), new Work()];
    for (const work of [before, broken, after]) deadlines.watch(work);
    vi.advanceTimersByTime(3 * LATEST_MS);
    expect([before.expiries, broken.expiries, after.expiries]).toEqual([1, 1, 1]);
    expect(failures).toMatchObject([{ message: 'broken' }]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('let one that was forgotten be watched anew', () => {
    const deadlines = createDeadlines(LIMIT_MS);
    const work = new Work();
    deadlines.watch(work);
    deadlines.forget(work);
    vi.advanceTimersByTime(LIMIT_MS);
    deadlines.watch(work);
    vi.advanceTimersByTime(LIMIT_MS - 1);
    expect(work.expiries).toBe(0);
    vi.advanceTimersByTime(LATEST_MS);
    expect(work.expiries).toBe(1);
  });

  it('count from the second watch of what is watched twice, and expire it once', () => {
    const deadlines = createDeadlines(LIMIT_MS);
    const [twice, other] = [new Work(), new Work()];
    deadlines.watch(twice);
    deadlines.watch(other);
    vi.advanceTimersByTime(LIMIT_MS / 2);
    deadlines.watch(twice);
    vi.advanceTimersByTime(LATEST_MS - LIMIT_MS / 2);
    expect([twice.expiries, other.expiries]).toEqual([0, 1]);
    vi.advanceTimersByTime(LATEST_MS);
    expect([twice.expiries, other.expiries]).toEqual([1, 1]);
  });

  it('give the whole time again to what answers false', () => {
    const deadlines = createDeadlines(LIMIT_MS);
    const stubborn = new Work(() => stubborn.expiries === 3);
    const follower = new Work();
    deadlines.watch(stubborn);
    deadlines.watch(follower);
    vi.advanceTimersByTime(LATEST_MS);
    expect([stubborn.expiries, follower.expiries]).toEqual([1, 1]);
    vi.advanceTimersByTime(3 * LATEST_MS);
    expect(stubborn.expiries).toBe(3);
  });

  it('let an expiry end the watch of others, and begin new ones', () => {
    const deadlines = createDeadlines(LIMIT_MS);
    const [victim, heir] = [new Work(), new Work()];
    const first = new Work(() => {
      deadlines.forget(victim);
      deadlines.watch(heir);
      return true;
    });
    deadlines.watch(first);
    deadlines.watch(victim);
    vi.advanceTimersByTime(LATEST_MS);
    expect([first.expiries, victim.expiries, heir.expiries]).toEqual([1, 0, 0]);
    vi.advanceTimersByTime(LATEST_MS);
    expect(heir.expiries).toBe(1);
  });

  it('leave no timer behind when nothing is watched', () => {
    const deadlines = createDeadlines(LIMIT_MS);
    deadlines.watch(new Work());
    vi.advanceTimersByTime(LATEST_MS);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('never come where there is no time limit', () => {
    const deadlines = createDeadlines(Infinity);
    deadlines.watch(new Work());
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a race against a deadline', () => {
  const late = (): never => {
    throw new Error('too late');
  };

  it('answers what the promise does in time', async () => {
    const deadlines = createDeadlines(LIMIT_MS);
    await expect(deadlines.race(Promise.resolve(1), late)).resolves.toBe(1);
    await expect(deadlines.race(Promise.reject(new Error('no')), late)).rejects.toThrow('no');
  });

  it('answers what stands for one that is late, or rejects with what is thrown', async () => {
    const deadlines = createDeadlines(LIMIT_MS);
    const { promise, reject } = Promise.withResolvers<number>();
    const races = Promise.allSettled([deadlines.race(promise, () => 2), deadlines.race(promise, late)]);
    vi.advanceTimersByTime(LATEST_MS);
    expect(await races).toEqual([
      { status: 'fulfilled', value: 2 },
      { status: 'rejected', reason: new Error('too late') },
    ]);
    // Nobody waits for it any more, and nobody hears of it.
    reject(new Error('later still'));
  });
});
