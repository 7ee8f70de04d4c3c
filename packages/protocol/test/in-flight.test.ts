import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { InFlight } from '@switchyard/protocol';
import { describe, expect, test } from 'vitest';

describe('what is in flight', () => {
  test('is found by its id, and a string is no number', () => {
    const flying = new InFlight<{ readonly name: string }>();
    flying.set(1, { name: 'number' });
    flying.set('1', { name: 'string' });
    flying.set(-1.5, { name: 'odd' });
    expect(flying.size).toBe(3);
    expect(flying.get(1)).toEqual({ name: 'number' });
    expect(flying.get('1')).toEqual({ name: 'string' });
    expect(flying.get(-1.5)).toEqual({ name: 'odd' });
    expect(flying.get('-1.5')).toBeUndefined();
    expect([...flying.keys()]).toEqual([1, '1', -1.5]);
    expect([...flying.values()].map(({ name }) => name)).toEqual(['number', 'string', 'odd']);
  });

  test('is gone once it was let go, and its id is free', () => {
    const flying = new InFlight<object>();
    flying.set('a', {});
    expect(flying.delete('a')).toBe(true);
    expect(flying.delete('a')).toBe(false);
    expect([flying.has('a'), flying.get('a'), flying.size]).toEqual([false, undefined, 0]);
    const next = {};
    flying.set('a', next);
    expect(flying.get('a')).toBe(next);
  });

  test('may leave while it is walked over, and what left is passed over', () => {
    const flying = new InFlight<{ readonly id: number }>();
    for (let id = 1; id <= 4; id += 1) flying.set(id, { id });
    const seen: number[] = [];
    for (const { id } of flying.values()) {
      seen.push(id);
      flying.delete(id);
      flying.delete(id + 1);
    }
    expect(seen).toEqual([1, 3]);
    expect(flying.size).toBe(0);
  });

  test('is all let go at once', () => {
    const flying = new InFlight<object>();
    for (let id = 0; id < 5; id += 1) flying.set(id, {});
    flying.clear();
    expect([flying.size, ...flying.keys()]).toEqual([0]);
  });

  test('leaves nothing behind in the old part of the heap, which is not collected meanwhile', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (how?: { readonly type: 'minor' }) => void;
    const flying = new InFlight<{ readonly weight: number[] }>();
    const inFlight = 32;
    const churn = (from: number, count: number): void => {
      for (let id = from; id < from + count; id += 1) {
        flying.set(id, { weight: Array.from({ length: 1000 }, () => id) });
        flying.delete(id - inFlight);
        if (id % 400 === 0) collect({ type: 'minor' });
      }
    };
    churn(0, 400);
    // What is alive now grows old: the table of a map, too.
    collect();
    const before = process.memoryUsage().heapUsed;
    churn(400, 8000);
    const grownMiB = (process.memoryUsage().heapUsed - before) / 1024 ** 2;
    // 8,000 values of 8 kB each have come and gone.
    expect(grownMiB).toBeLessThan(10);
  });
});
