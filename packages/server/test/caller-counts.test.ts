import { describe, expect, it } from 'vitest';

import { createCallerCounts } from '../src/limits/caller-counts.ts';

const ann = { subject: 'ann' };
const bob = { subject: 'bob' };

describe('counts of callers', () => {
  it('refuse the caller whose own bound is reached, and nobody else', () => {
    const counts = createCallerCounts({ max: 10, maxOfOne: 1 });
    counts.take(ann);
    expect(counts.take(ann)).toBe('own');
    expect(counts.take(bob)).toBeTypeOf('function');
  });

  it('refuse everybody once the bound of all is reached', () => {
    const counts = createCallerCounts({ max: 2, maxOfOne: 2 });
    counts.take(ann);
    counts.take(undefined);
    expect(counts.take(bob)).toBe('all');
    expect(counts.take(undefined)).toBe('all');
  });

  it('hold callers whom nobody authenticated to the bound of all alone', () => {
    const counts = createCallerCounts({ max: 3, maxOfOne: 1 });
    counts.take(undefined);
    expect(counts.take(undefined)).toBeTypeOf('function');
  });

  it('hold them to a bound of their own, as one caller, where that is asked for', () => {
    const counts = createCallerCounts({ max: 3, maxOfOne: 1, boundsAnonymous: true });
    counts.take(undefined);
    expect(counts.take(undefined)).toBe('own');
    expect(counts.take(ann)).toBeTypeOf('function');
  });

  it('get a place back once, however often it is given back', () => {
    const counts = createCallerCounts({ max: 2, maxOfOne: 2 });
    const release = counts.take(ann);
    counts.take(ann);
    if (typeof release === 'function') {
      release();
      release();
    }
    expect(counts.take(ann)).toBeTypeOf('function');
    expect(counts.take(ann)).toBe('all');
  });
});
