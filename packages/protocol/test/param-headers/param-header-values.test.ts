import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { encodeHeaderValue, HeaderValueError } from '../../src/header-value.ts';
import { checkParamHeaders, mintParamHeaders } from '../../src/param-headers/param-header-values.ts';
import type { ParamHeaders } from '../../src/param-headers/plan-param-headers.ts';
import { annotated, objectOf, planOf } from './annotated.ts';

function check(plan: ParamHeaders, args: unknown, headers: Record<string, string>): string | undefined {
  const byKey = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return checkParamHeaders(plan, args, (key) => byKey.get(key));
}

const everyType = planOf(
  objectOf({
    city: annotated('string', 'City'),
    n: annotated('integer', 'N'),
    ok: annotated('boolean', 'Ok'),
    tag: annotated('string', 'Tag'),
  }),
);

describe('mintParamHeaders', () => {
  test('[HDR-35] writes a string as it is, an integer in decimal, a boolean in lower case', () => {
    expect(mintParamHeaders(everyType, { city: 'Oslo', n: -7, ok: true, tag: '=?base64?x?=', other: 1 })).toEqual({
      'Mcp-Param-City': 'Oslo',
      'Mcp-Param-N': '-7',
      'Mcp-Param-Ok': 'true',
      'Mcp-Param-Tag': '=?base64?PT9iYXNlNjQ/eD89?=',
    });
  });

  test('[HDR-36] [HDR-37] omits null and absent values and sends empty ones', () => {
    expect(mintParamHeaders(everyType, { city: null, n: 0, ok: false, tag: '' })).toEqual({
      'Mcp-Param-N': '0',
      'Mcp-Param-Ok': 'false',
      'Mcp-Param-Tag': '',
    });
    expect(mintParamHeaders(everyType, { city: undefined })).toEqual({});
  });

  test.each([undefined, null, 7, 'text', [], [['city', 'Oslo']]])(
    '[HDR-36] omits every header for the arguments %j',
    (args) => {
      expect(mintParamHeaders(everyType, args)).toEqual({});
    },
  );

  const deep = planOf(
    objectOf({
      o: objectOf({ a: annotated('string', 'Deep') }),
      constructor: objectOf({ name: annotated('string', 'Name') }),
    }),
  );
  test('[HDR-36] reads the exact path only, and own members only', () => {
    expect(mintParamHeaders(deep, { o: { a: 'x' }, a: 'y' })).toEqual({ 'Mcp-Param-Deep': 'x' });
    expect(mintParamHeaders(deep, { a: 'y' })).toEqual({});
    expect(mintParamHeaders(deep, { o: 'a' })).toEqual({});
    expect(mintParamHeaders(deep, Object.create({ o: { a: 'inherited' } }))).toEqual({});
    const arrays = planOf(
      objectOf({ l: objectOf({ 0: annotated('string', 'First'), length: annotated('integer', 'Length') }) }),
    );
    expect(mintParamHeaders(arrays, { l: ['x'] })).toEqual({});
  });

  test('[HDR-29] refuses an integer that JSON readers would round, and names it', () => {
    const max = Number.MAX_SAFE_INTEGER;
    expect(mintParamHeaders(everyType, { n: max })).toEqual({ 'Mcp-Param-N': '9007199254740991' });
    expect(mintParamHeaders(everyType, { n: -max })).toEqual({ 'Mcp-Param-N': '-9007199254740991' });
    for (const n of [max + 1, -max - 1, 1e21, 9007199254740993n, -(2n ** 64n)]) {
      expect(() => mintParamHeaders(everyType, { n })).toThrow(HeaderValueError);
      expect(() => mintParamHeaders(everyType, { n })).toThrow('/n');
    }
  });

  test.each([{ city: { a: 1 } }, { city: ['Oslo'] }, { city: '\ud800' }])(
    'refuses what no header may carry',
    (args) => {
      expect(() => mintParamHeaders(everyType, args)).toThrow(HeaderValueError);
    },
  );

  test('sends a value of the wrong type by its own type, so that the server can say what is wrong', () => {
    expect(mintParamHeaders(everyType, { city: 5, n: 'five', ok: 1.5 })).toEqual({
      'Mcp-Param-City': '5',
      'Mcp-Param-N': 'five',
      'Mcp-Param-Ok': '1.5',
    });
  });

  test('omits a number that JSON writes as null', () => {
    expect(mintParamHeaders(everyType, { n: Number.NaN })).toEqual({});
  });

  test('answers one shared record for a tool without annotations', () => {
    const none = planOf({ type: 'object' });
    expect(mintParamHeaders(none, { a: 1 })).toBe(mintParamHeaders(none, { b: 2 }));
  });
});

describe('checkParamHeaders', () => {
  test('[HDR-40] accepts what mintParamHeaders makes', () => {
    const args = fc.record(
      {
        city: fc.option(fc.string({ unit: 'binary' })),
        n: fc.option(
          fc.oneof(fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e15, min: -1e15 })),
        ),
        ok: fc.option(fc.boolean()),
        tag: fc.option(fc.oneof(fc.string(), fc.constant('=?base64?cGx1bQ==?='))),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(args, (value) => {
        const sent: unknown = JSON.parse(JSON.stringify(value));
        expect(check(everyType, sent, mintParamHeaders(everyType, value))).toBeUndefined();
      }),
    );
  });

  test('[HDR-40] refuses any value but the argument', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (city, other) => {
        fc.pre(city !== other);
        expect(check(everyType, { city }, { 'Mcp-Param-City': encodeHeaderValue(other) })).toBe(
          'Header mismatch: Mcp-Param-City differs from the argument at /city.',
        );
      }),
    );
  });

  test.each([{ city: 'Oslo' }, { city: '' }, { n: 0 }, { ok: false }])(
    '[HDR-38] refuses %j without its header',
    (args) => {
      expect(check(everyType, args, {})).toMatch(/ is missing beside the argument at \/(city|n|ok)\.$/);
    },
  );

  test.each([{}, { city: null, n: null, ok: null, tag: null }, undefined, null, 'text', ['Oslo']])(
    '[HDR-39] expects no header for the arguments %j',
    (args) => {
      expect(check(everyType, args, {})).toBeUndefined();
    },
  );

  test('[HDR-40] refuses a header without an argument', () => {
    expect(check(everyType, { city: null }, { 'Mcp-Param-City': 'Oslo' })).toMatch(
      'is present without the argument at /city',
    );
    expect(check(everyType, {}, { 'Mcp-Param-City': '' })).toMatch('is present without');
  });

  test.each([
    [42, '42'],
    [42, '42.0'],
    [42, ' 42 '],
    [42, '042'],
    [42, '4.2e1'],
    [42, '420E-1'],
    [42, '=?base64?NDI=?='],
    [0, '0'],
    [0, '-0.00'],
    [-7, '-7'],
    [1.5, '1.50'],
    [1e-7, '0.0000001'],
    [9007199254740991, '9007199254740991'],
    [9007199254740991, '9007199254740991.0'],
  ])('[HDR-41] compares %d with %j as numbers and accepts it', (n, header) => {
    expect(check(everyType, { n }, { 'Mcp-Param-N': header })).toBeUndefined();
  });

  test.each([
    [42, '43'],
    [42, '-42'],
    [42, ''],
    [0, ''],
    [0, ' '],
    [42, '+42'],
    [42, '0x2a'],
    [42, '4 2'],
    [42, '42,42'],
    [42, '42.'],
    [42, '42.00000000000000000001'],
    [1, 'true'],
    [9007199254740991, '9007199254740991.4'],
    [9007199254740992, '9007199254740992'],
    [9007199254740992, '9007199254740993'],
    [1, `1.${'0'.repeat(100_000)}`],
  ])('[HDR-41] refuses %d with %j', (n, header) => {
    expect(check(everyType, { n }, { 'Mcp-Param-N': header })).toBeDefined();
  });

  test.each([
    ['city', 'Oslo', 'oslo'],
    ['city', '42', '42.0'],
    ['ok', true, 'True'],
    ['ok', true, '1'],
    ['ok', false, 'true'],
    ['ok', false, ''],
    ['n', '42', '42.0'],
  ])('[HDR-12] compares text with its letter case: %s %j with %j', (name, value, header) => {
    expect(check(everyType, { [name]: value }, { [`Mcp-Param-${name}`]: header })).toMatch(/differs/);
  });

  test.each([
    ['Oslo!', '=?base64?T3NsbyE?='],
    ['Hello', '=?base64?SGVs!!!bG8=?='],
    ['z\u00e4', 'z\u00e4'],
    ['a\u0001', 'a\u0001'],
  ])('[HDR-15] [HDR-20] refuses %j in the header %j', (city, header) => {
    expect(check(everyType, { city }, { 'Mcp-Param-City': header })).toMatch(
      /holds invalid characters, Base64 or UTF-8/,
    );
  });

  test.each([
    ['Hello', '=?base64?SGVsbG8=?='],
    ['T3Nsbw==', 'T3Nsbw=='],
    ['=?base64?SGVsbG8=', '=?base64?SGVsbG8='],
    ['=?base64?cGx1bQ==?=', '=?base64?PT9iYXNlNjQ/Y0d4MWJRPT0/PQ==?='],
    ['Oslo', '  Oslo\t'],
  ])('[HDR-19] [HDR-21] accepts %j in the header %j', (city, header) => {
    expect(check(everyType, { city }, { 'Mcp-Param-City': header })).toBeUndefined();
  });

  test.each([{ city: { a: 1 } }, { city: [] }, { n: 1e300 }, { city: '\ud800' }])(
    'refuses an argument that no header may carry, whatever the header',
    (args) => {
      const [name = ''] = Object.keys(args);
      expect(check(everyType, args, { [`mcp-param-${name}`]: '[object Object]' })).toMatch(/cannot carry/);
      expect(check(everyType, args, {})).toMatch(/is missing/);
    },
  );

  test('reads own members only', () => {
    const plan = planOf(objectOf({ constructor: objectOf({ name: annotated('string', 'Name') }) }));
    expect(check(plan, {}, {})).toBeUndefined();
    expect(check(plan, {}, { 'Mcp-Param-Name': 'Object' })).toBeDefined();
  });

  test('[HDR-29] refuses an integer that only an exact reader holds, and takes a small one', () => {
    expect(check(everyType, { n: 9007199254740993n }, { 'Mcp-Param-N': '9007199254740993' })).toMatch(/cannot carry/);
    expect(check(everyType, { n: 42n }, { 'Mcp-Param-N': '42.0' })).toBeUndefined();
  });

  test('tells neither the argument nor the header', () => {
    expect(check(everyType, { city: 'secret-a' }, { 'Mcp-Param-City': 'secret-b' })).not.toMatch(/secret/);
  });
});
