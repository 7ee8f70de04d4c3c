import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodePointer, encodePointer } from '../../src/schema/index.ts';

describe('a JSON pointer', () => {
  it.each([
    [[], ''],
    [[''], '/'],
    [['items', 0], '/items/0'],
    [['a/b', 'm~n', '~1'], '/a~1b/m~0n/~01'],
  ])('writes the tokens %j', (tokens, pointer) => {
    expect(encodePointer(tokens)).toBe(pointer);
    expect(decodePointer(pointer)).toEqual(tokens.map(String));
  });

  it('gives back any tokens', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('~', '/', '0', '1', 'a') })), (tokens) => {
        expect(decodePointer(encodePointer(tokens))).toEqual(tokens);
      }),
    );
  });
});
