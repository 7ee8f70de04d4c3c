import { clip } from '@switchyard/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('clip', () => {
  it.each([
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['abcd', 1, '…'],
    ['😀', 2, '😀'],
    ['a😀b', 3, 'a…'],
    ['a😀bc', 4, 'a😀…'],
    ['😀😀', 2, '…'],
  ])('cuts %j to %i units: %j', (text, max, clipped) => {
    expect(clip(text, max)).toBe(clipped);
  });

  it('cuts to 100 units unless told otherwise', () => {
    expect(clip('x'.repeat(100))).toBe('x'.repeat(100));
    expect(clip('x'.repeat(101))).toBe(`${'x'.repeat(99)}…`);
  });

  it('never answers more than the limit, nor half a pair of surrogates', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, max) => {
        const clipped = clip(text, max);
        expect(clipped.length).toBeLessThanOrEqual(max);
        expect(clipped.isWellFormed()).toBe(true);
        expect(clipped === text || (clipped.endsWith('…') && text.startsWith(clipped.slice(0, -1)))).toBe(true);
      }),
    );
  });
});
