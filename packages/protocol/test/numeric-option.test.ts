import { MAX_TIMER_MS, toBound, toLimit, toMilliseconds } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';

describe('a limit', () => {
  it.each([1, 5, 10])('may be %d from 1 to 10', (given) => {
    expect(toLimit('maxItems', given, 1, 10)).toBe(given);
  });

  it.each([
    [0, '0'],
    [11, '11'],
    [2.5, '2.5'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    ['5', '"5"'],
    ['x'.repeat(1_000), `"${'x'.repeat(39)}…"`],
    [null, 'null'],
    [{ toString: () => 'secret' }, 'an object'],
  ])('cannot be %j, and the error names the option, what it takes and what it got', (given, shown) => {
    const refused = () => toLimit('maxItems', given as number, 1, 10);
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(`maxItems must be an integer from 1 to 10, not ${shown}`);
  });

  it('without a greatest value takes any exact integer', () => {
    expect(toLimit('maxItems', Number.MAX_SAFE_INTEGER, 1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(() => toLimit('maxItems', 2 ** 53, 1)).toThrow(
      'maxItems must be an integer of at least 1, not 9007199254740992',
    );
  });
});

describe('a bound', () => {
  it.each([1, 2.5, 2 ** 60, Infinity])('may be %d', (given) => {
    expect(toBound('maxBytes', given)).toBe(given);
  });

  it.each([
    [0.5, '0.5'],
    [-Infinity, '-Infinity'],
    [NaN, 'NaN'],
    ['5', '"5"'],
    [Object.create(null), 'an object'],
  ])('cannot be %j, and the error names the option, what it takes and what it got', (given, shown) => {
    const refused = () => toBound('maxBytes', given as number);
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(`maxBytes must be a number of at least 1, not ${shown}`);
  });
});

describe('a time', () => {
  it.each([
    [0, 0],
    [0.5, 0.5],
    [1_000, 1_000],
    [Infinity, MAX_TIMER_MS],
  ])('of %d milliseconds is a timer of %d', (given, expected) => {
    expect(toMilliseconds('timeoutMs', given, 0)).toBe(expected);
  });

  it.each([
    [-1, '-1'],
    [NaN, 'NaN'],
    ['5', '"5"'],
    [undefined, 'undefined'],
  ])('cannot be %j, and the error names the option, what it takes and what it got', (given, shown) => {
    const refused = () => toMilliseconds('timeoutMs', given as number, 0);
    expect(refused).toThrow(TypeError);
    expect(refused).toThrow(`timeoutMs must be a number of at least 0 milliseconds, not ${shown}`);
  });
});
