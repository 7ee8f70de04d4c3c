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

  it('says whose the option is where it is one of another function', () => {
    expect(() => assertKnownOptions<object>('f', { port: 1 }, known, { serve: { port: true } })).toThrow(
      'f: there is no option "port"; that is an option of serve',
    );
  });

  it('takes what is known, and what is undefined', () => {
    expect(() => assertKnownOptions<object>('f', { pageSize: 1, zzz: undefined }, known)).not.toThrow();
  });

  it('cuts a long name, which is no near one', () => {
    expect(() => assertKnownOptions<object>('f', { [`x${'pageSize'.repeat(100_000)}`]: 1 }, known)).toThrow(
      /^f: there is no option "x(?:pageSize)+[a-zA-Z]*…"; known are .{60,90}$/,
    );
  });
});
