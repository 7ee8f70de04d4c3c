import { describe, expect, it } from 'vitest';

import { EndingEntries } from '../../src/authorization/ending-entries.ts';

/** Entries that are the times at which they end, with how often one of them was looked at. */
function create(maxEntries: number) {
  const seen = { looks: 0 };
  const entries = new EndingEntries<number>(maxEntries, (end) => {
    seen.looks += 1;
    return end;
  });
  return { entries, seen };
}

describe('entries that end', () => {
  it('take the place of what has ended, and of nothing that still counts', () => {
    const { entries } = create(2);
    expect([entries.set('a', 10, 0), entries.set('b', 20, 0), entries.set('c', 30, 9)]).toEqual([true, true, false]);
    expect([entries.set('c', 30, 10), entries.get('a'), entries.get('b')]).toEqual([true, undefined, 20]);
    expect([entries.set('d', 40, 19), entries.set('d', 40, 20), entries.get('b')]).toEqual([false, true, undefined]);
  });

  it('are set anew when there is no room for others', () => {
    const { entries } = create(1);
    entries.set('a', 10, 0);
    expect([entries.set('a', 30, 5), entries.set('b', 30, 15), entries.set('b', 30, 30)]).toEqual([true, false, true]);
  });

  it('are not looked through for each one that is refused', () => {
    const { entries, seen } = create(1_000);
    for (let key = 0; key < 1_000; key += 1) entries.set(String(key), 10 + key, 0);
    seen.looks = 0;
    for (let count = 0; count < 100; count += 1) entries.set('other', 10_000, 9);
    expect(seen.looks).toBe(0);
  });
});
