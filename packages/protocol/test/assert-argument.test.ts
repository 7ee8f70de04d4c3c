import { describe, expect, it } from 'vitest';

import { assertHandler, assertObject, assertText } from '../src/index.ts';

const kinds: readonly [value: unknown, kind: string][] = [
  [undefined, 'undefined'],
  [null, 'null'],
  [[], 'a list'],
  [3, 'a number'],
];

describe('an argument of the wrong kind is refused with a TypeError that says of which it is', () => {
  it.each([...kinds, [() => {}, 'a function'], ['text', 'a string']])('an object: %s', (value, kind) => {
    const assert = (): void => assertObject('tool add', value);
    expect(assert).toThrow(TypeError);
    expect(assert).toThrow(`tool add: an object is needed here, not ${kind}`);
  });

  it.each([...kinds, [{}, 'an object']])('a text: %s', (value, kind) => {
    const assert = (): void => assertText('the name', value);
    expect(assert).toThrow(TypeError);
    expect(assert).toThrow(`the name must be a text, not ${kind}`);
  });

  it.each([...kinds, [{}, 'an object']])('a handler: %s', (value, kind) => {
    const assert = (): void => assertHandler('tool add', value);
    expect(assert).toThrow(TypeError);
    expect(assert).toThrow(`tool add: the handler, which comes last, must be a function, not ${kind}`);
  });
});
