import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { holdsBigint, parseJson, roundIntegers, stringifyJson } from '../src/json-text.ts';

const exact = { exactIntegers: true } as const;

describe('parseJson', () => {
  it.each(['', '{', '[1,]', "{'a':1}", 'undefined', 'NaN', '{"a":01}', '\uFEFF{}', '{"a":9007199254740993'])(
    'throws a SyntaxError for %j, exact or not',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
      expect(() => parseJson(text, exact)).toThrow(SyntaxError);
    },
  );

  it('[schema-11] keeps integers that a double cannot hold digit for digit', () => {
    const text = '{"id":9007199254740993,"big":[-1234567890123456789],"amount":0.5,"text":"9007199254740993"}';
    expect(parseJson(text, exact)).toEqual({
      id: 9007199254740993n,
      big: [-1234567890123456789n],
      amount: 0.5,
      text: '9007199254740993',
    });
    expect(stringifyJson(parseJson(text, exact))).toBe(text);
  });

  it('keeps every other number a number', () => {
    const text = '[1,9007199254740991,1E2,1e400,12345678901234567.5,0.1234567890123456789]';
    expect(parseJson(text, exact)).toEqual(JSON.parse(text));
  });

  it('reads and writes JSON as JSON.parse and JSON.stringify do', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(stringifyJson(parseJson(text, exact))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  it('reads any integer and writes its digits again', () => {
    fc.assert(
      fc.property(fc.bigInt(), (integer) => {
        expect(stringifyJson(parseJson(`[${integer}]`, exact))).toBe(`[${integer}]`);
      }),
    );
  });

  it.each([
    ['a key that is a number', '{1234567890123456789: 1}'],
    ['a leading zero', '[01234567890123456789]'],
    ['two signs', '[--1234567890123456789]'],
    ['letters behind the digits', '[1234567890123456789n]'],
    ['a sum', '[1+1234567890123456789]'],
    ['two numbers in a row', '[1234567890123456789 1234567890123456789]'],
  ])('throws a SyntaxError for %s', (_name, text) => {
    expect(() => parseJson(text, exact)).toThrow(SyntaxError);
  });

  it('tells an integer from a string that looks like whatever stands for one', () => {
    const text = String.raw`{"integer0:5":"integer1:12345678901234567890","e":"\\\"","id":12345678901234567890}`;
    expect(stringifyJson(parseJson(text, exact))).toBe(text);
    const spelled = String.raw`{"a":"\u0069nteger0:1","b":"\u0069nteger0:x","id":12345678901234567890}`;
    expect(parseJson(spelled, exact)).toEqual({ a: 'integer0:1', b: 'integer0:x', id: 12345678901234567890n });
  });

  it('[schema-04] reads text as deep as the native parser does', () => {
    const depth = 50_000;
    const text = `{"deep":${'['.repeat(depth)}${']'.repeat(depth)},"id":9007199254740993}`;
    expect(parseJson(text, exact)).toMatchObject({ id: 9007199254740993n });
  });

  it('rounds an integer of more than 1,000 digits', () => {
    expect(parseJson(`[1${'0'.repeat(307)}]`, exact)).toEqual([10n ** 307n]);
    expect(parseJson(`[1${'0'.repeat(20_000_000)}]`, exact)).toEqual([Infinity]);
  });

  it('keeps a member called __proto__ a member', () => {
    const value = parseJson('{"__proto__":{"admin":9007199254740993}}', exact);
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect((value as { admin?: unknown }).admin).toBeUndefined();
    expect(stringifyJson(value)).toBe('{"__proto__":{"admin":9007199254740993}}');
  });
});

describe('stringifyJson', () => {
  it('throws for a cycle, with a bigint or without', () => {
    const cycle: { self?: unknown; id?: bigint } = {};
    cycle.self = cycle;
    expect(() => stringifyJson(cycle)).toThrow(Error);
    cycle.id = 9007199254740993n;
    expect(() => stringifyJson(cycle)).toThrow(Error);
  });

  it('writes a lone surrogate as an escape, so that the text has a UTF-8 form', () => {
    expect(stringifyJson('\ud800')).toBe('"\\ud800"');
  });
});

describe('roundIntegers', () => {
  it('answers a copy that validators of numbers can read', () => {
    const value = { id: 9007199254740993n, list: [1] };
    expect(roundIntegers(value)).toEqual({ id: 9007199254740992, list: [1] });
    expect(value.id).toBe(9007199254740993n);
  });
});

describe('a value that is nested without end', () => {
  const depth = 100_000;
  const deep = parseJson(`${'{"a":['.repeat(depth)}9007199254740993${']}'.repeat(depth)}`, exact);

  it('is read, with its exact integers, without overflowing the stack', () => {
    expect(holdsBigint(deep)).toBe(true);
  });

  it('is refused by what writes it, with a RangeError', () => {
    expect(() => stringifyJson(deep)).toThrow(RangeError);
    expect(() => roundIntegers(deep)).toThrow(RangeError);
  });
});
