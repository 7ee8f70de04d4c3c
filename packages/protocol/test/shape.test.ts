import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';

import {
  array,
  boolean,
  describeMisfit,
  either,
  integer,
  isJsonObject,
  jsonObject,
  number,
  object,
  oneOf,
  record,
  type Shape,
  type Shaped,
  string,
  stringOrInteger,
  unknown,
  variant,
} from '../src/shape.ts';

const point = object({ x: number }, { label: string });

describe('shapes', () => {
  it.each<[string, Shape<unknown>, readonly unknown[], readonly unknown[]]>([
    ['string', string, ['', 'a'], [1, null, undefined, [], {}]],
    ['boolean', boolean, [true, false], [0, 'true', null]],
    ['number', number, [0, -1.5, 1e300], [NaN, Infinity, '1', 1n, null]],
    ['integer', integer, [0, -3, 3.0], [0.5, NaN, '3', 1n]],
    ['stringOrInteger', stringOrInteger, ['', '7', 0, -1], [1.5, null, true, {}]],
    ['jsonObject', jsonObject, [{}, { a: 1 }], [null, [], 'x', 1]],
    ['unknown', unknown, [undefined, null, 1, []], []],
    ['oneOf', oneOf('a', 'b'), ['a', 'b'], ['A', 'c', '', null, ['a']]],
    ['array', array(integer), [[], [1, 2]], [[1, 0.5], { length: 0 }, null, 'ab']],
    ['record', record(integer), [{}, { a: 1, '': 2 }], [{ a: 'x' }, [], null]],
    ['object', point, [{ x: 1 }, { x: 1, label: 'a', more: null }], [{}, { x: '1' }, { x: 1, label: null }, null, []]],
    ['either', either(string, integer), ['a', 1], [null, 1.5]],
  ])('%s takes what fits and names what does not', (_, shape, fitting, others) => {
    for (const value of fitting) expect(shape(value)).toBeUndefined();
    for (const value of others) expect(shape(value)).toEqual({ at: expect.any(String), must: expect.any(String) });
  });

  it.each<[Shape<unknown>, unknown, string]>([
    [object({ ref: object({ name: string }) }), { ref: { name: 7 } }, 'params.ref.name must be a string'],
    [object({ ref: object({ name: string }) }), { ref: {} }, 'params.ref.name must be present'],
    [object({ list: array(point) }), { list: [{ x: 1 }, { x: '1' }] }, 'params.list[1].x must be a finite number'],
    [record(array(string)), { 'a b': ['', 1] }, 'params["a b"][1] must be a string'],
    [oneOf('user', 'assistant'), 'system', 'params must be one of "user", "assistant"'],
    [variant('type', { text: object({ text: string }) }), {}, 'params.type must be present'],
  ])('says where a value breaks the shape', (shape, value, sentence) => {
    const misfit = shape(value);
    expect(misfit && describeMisfit('params', misfit)).toBe(sentence);
  });

  it('selects the shape of a variant by its own member, and takes a selector it does not know as the others', () => {
    const known = { text: object({ type: oneOf('text'), text: string }) };
    const closed = variant('type', known);
    const open = variant('type', known, object({ type: string }));
    expect(closed({ type: 'text', text: 'a' })).toBeUndefined();
    expect(closed({ type: 'text' })).toEqual({ at: '.text', must: 'be present' });
    expect(open({ type: 'hologram' })).toBeUndefined();
    for (const type of ['hologram', 'toString', '__proto__', 7, null]) expect(closed({ type })?.at).toBe('.type');
    for (const type of [7, null]) expect(open({ type })?.at).toBe('.type');
  });

  it('cuts a long key in the place that it names', () => {
    const misfit = record(string)({ ['k'.repeat(5_000)]: 1 });
    expect(misfit?.at.length).toBeLessThan(100);
  });

  it('never throws on a JSON value', () => {
    const shapes = [point, record(point), array(point), variant('type', { point }, point), either(point, string)];
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(...shapes), (value, shape) => {
        const misfit = shape(value);
        expect(misfit === undefined || typeof misfit.at === 'string').toBe(true);
      }),
    );
  });

  it('carries the type that it describes', () => {
    expectTypeOf<Shaped<typeof point>>().toEqualTypeOf<{ readonly x: number; readonly label?: string }>();
  });
});

describe('isJsonObject', () => {
  it('answers what JSON calls an object', () => {
    for (const value of [{}, { a: 1 }, Object.create(null)]) expect(isJsonObject(value)).toBe(true);
    for (const value of [null, undefined, [], 'x', 1, true]) expect(isJsonObject(value)).toBe(false);
  });
});
