import { describe, expect, it } from 'vitest';

import { compareTranscripts, explainDifferences, readExplanations } from '../../src/index.ts';
import { exchangeOf, transcriptOf } from './transcript-of.ts';

describe('an explanation', () => {
  const differences = compareTranscripts(
    transcriptOf(exchangeOf('list', {}, { a: 1, 'b.c': { d: 1 } })),
    transcriptOf(exchangeOf('list', {}, { a: 2, 'b.c': { d: 2 } })),
  );

  it('covers the differences whose path and exchange fit, and is unused where none does', () => {
    const explanations = readExplanations([
      { path: 'response.*.d', because: 'It grew.' },
      { path: '*', label: 'other', because: 'Not this.' },
    ]);
    const { explained, unexplained, unused } = explainDifferences(differences, explanations);
    expect(explained.map(({ difference, because }) => [difference.path, because])).toEqual([
      ['response.result.b.c.d', 'It grew.'],
    ]);
    expect(unexplained.map(({ path }) => path)).toEqual(['response.result.a']);
    expect(unused).toEqual([{ path: '*', label: 'other', because: 'Not this.' }]);
  });

  it.each([
    ['response.result.a', true],
    ['response.result', false],
    ['result.a', false],
    ['*a', true],
    ['response*', true],
    ['response*result*a', true],
    ['response.result.a*a', false],
    ['*', true],
  ])('with the path %s covers response.result.a: %s', (path, covers) => {
    const { explained } = explainDifferences(differences.slice(0, 1), [{ path, because: 'x' }]);
    expect(explained.length === 1).toBe(covers);
  });

  it.each([
    [{}, /expected a list/],
    [[1], /explanation 1 is no object/],
    [[{ path: 'a' }], /explanation 1 has no "because"/],
    [[{ path: 'a', because: ' ' }], /no "because"/],
    [[{ because: 'x' }], /no "path"/],
    [[{ path: 'a', because: 'x', why: 'y' }], /has "why"; it may have path, label and because/],
    [[{ path: 'a', because: 'x', label: 1 }], /label of explanation 1/],
  ])('that is none is refused: %j', (value, why) => {
    expect(() => readExplanations(value)).toThrow(why);
  });
});
