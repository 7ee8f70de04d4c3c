import { describe, expect, it } from 'vitest';

import { assertKnownOptions, type KnownOptions } from '../src/index.ts';

const known = {
  maxOpenStreams: true,
  maxOpenStreamsPerCaller: true,
  maxTotalChars: true,
  pageSize: true,
  input: true,
} satisfies KnownOptions<object>;

describe('assertKnownOptions', () => {
  it.each([
    ['maxOpenStreamsPerPrincipal', 'maxOpenStreamsPerCaller'],
    ['maxOpenStreamsPer', 'maxOpenStreamsPerCaller'],
    ['maxOpenStream', 'maxOpenStreams'],
    ['maxOpen', 'maxOpenStreams'],
    ['maxopenstreams', 'maxOpenStreams'],
    ['inputSchema', 'input'],
    ['pagesize', 'pageSize'],
    ['pegaSize', 'pageSize'],
  ])('suggests the name that begins like the word for the longest, or that a slip leads to: %s', (word, meant) => {
    expect(() => assertKnownOptions<object>('f', { [word]: 1 }, known)).toThrow(`did you mean "${meant}"?`);
  });

  it.each(['maxFoo', 'zzz', 'streams'])('names all options where none is near: %s', (word) => {
    expect(() => assertKnownOptions<object>('f', { [word]: 1 }, known)).toThrow(
      'known are maxOpenStreams, maxOpenStreamsPerCaller, maxTotalChars, pageSize, input',
    );
  });
});
