import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeHeaderValue, HeaderValueError } from '../src/header-value.ts';
import { checkParamHeaders, mintParamHeaders } from '../src/param-headers/param-header-values.ts';
import { type ParamHeaders, planParamHeaders } from '../src/param-headers/plan-param-headers.ts';

const annotated = (type: unknown, header: unknown): object => ({ type, 'x-mcp-header': header });
const objectOf = (properties: object): object => ({ type: 'object', properties });

function planOf(inputSchema: unknown): ParamHeaders {
  const plan = planParamHeaders(inputSchema);
  if ('problem' in plan) throw new Error(plan.problem);
  return plan;
}

function problemOf(inputSchema: unknown): string {
  const plan = planParamHeaders(inputSchema);
  if (!('problem' in plan)) throw new Error('The plan has no problem.');
  return plan.problem;
}

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

describe('planParamHeaders', () => {
  test('[HDR-22] finds annotated properties in the order of the schema', () => {
    const schema = objectOf({
      region: annotated('string', 'Region'),
      query: { type: 'string' },
      limits: objectOf({ rows: annotated('integer', 'Max-Rows'), strict: annotated('boolean', 'strict') }),
      last: annotated('string', 'Last'),
    });
    expect(planOf(schema).headers).toEqual([
      { name: 'Mcp-Param-Region', key: 'mcp-param-region', path: ['region'], type: 'string' },
      { name: 'Mcp-Param-Max-Rows', key: 'mcp-param-max-rows', path: ['limits', 'rows'], type: 'integer' },
      { name: 'Mcp-Param-strict', key: 'mcp-param-strict', path: ['limits', 'strict'], type: 'boolean' },
      { name: 'Mcp-Param-Last', key: 'mcp-param-last', path: ['last'], type: 'string' },
    ]);
  });

  test.each([undefined, null, true, 7, 'x', [], {}, objectOf({}), objectOf({ a: true })])(
    'finds nothing in %j',
    (schema) => {
      expect(planOf(schema).headers).toEqual([]);
    },
  );

  test('shares one plan among all schemas without annotations', () => {
    expect(planOf(objectOf({ a: { type: 'string' } }))).toBe(planOf({}));
  });

  test.each(["!#$%&'*+-.^_`|~09azAZ", 'X', 'a.b'])('[HDR-25] accepts the token %j', (token) => {
    expect(planOf(objectOf({ a: annotated('string', token) })).headers[0]?.name).toBe(`Mcp-Param-${token}`);
  });

  test.each([
    ['[HDR-24]', ''],
    ['[HDR-25]', 'My Region'],
    ['[HDR-25]', 'Region:Primary'],
    ['[HDR-25]', 'Région'],
    ['[HDR-25]', 'a/b'],
    ['[HDR-25]', '"a"'],
    ['[HDR-25]', 'a,b'],
    ['[HDR-25]', 'x'.repeat(257)],
    ['[HDR-26]', 'Region\t1'],
    ['[HDR-26]', 'A\r\nB'],
    ['[HDR-26]', 'A\n'],
    ['[HDR-26]', '\0'],
    ['[HDR-25]', 7],
    ['[HDR-25]', null],
    ['[HDR-25]', { name: 'A' }],
  ])('%s refuses the value %j and names its place', (_, value) => {
    const problem = problemOf(objectOf({ a: annotated('string', value) }));
    expect(problem).toContain('x-mcp-header at /properties/a must be');
    expect(problem).not.toMatch(/[\r\n]/);
  });

  test.each([
    ['Id', 'ID'],
    ['Region', 'Region'],
    ['MyField', 'myfield'],
  ])('[HDR-27] refuses %j beside %j and names both places', (first, second) => {
    const schema = objectOf({ one: annotated('string', first), deep: objectOf({ two: annotated('string', second) }) });
    expect(problemOf(schema)).toContain(
      `x-mcp-header at /properties/deep/properties/two gives the header Mcp-Param-${second}`,
    );
    expect(problemOf(schema)).toContain('/one');
  });

  test.each([
    'number',
    'object',
    'array',
    'null',
    'String',
    undefined,
    null,
    7,
    [],
    ['null'],
    ['string', 'integer'],
    ['string', 'number'],
    [['string']],
  ])('[HDR-28] refuses a property of type %j', (type) => {
    expect(problemOf(objectOf({ a: annotated(type, 'A') }))).toBe(
      'x-mcp-header at /properties/a needs a property whose type is string, integer or boolean.',
    );
  });

  test.each([
    ['string', 'string'],
    ['integer', 'integer'],
    ['boolean', 'boolean'],
    [['string'], 'string'],
    [['integer', 'null'], 'integer'],
    [['null', 'boolean'], 'boolean'],
  ])('[HDR-28] accepts a property of type %j', (type, planned) => {
    expect(planOf(objectOf({ a: annotated(type, 'A') })).headers[0]?.type).toBe(planned);
  });

  const inner = annotated('string', 'A');
  test.each<[string, object, string]>([
    ['the root', { ...objectOf({}), ...inner }, 'the root'],
    ['items', objectOf({ l: { type: 'array', items: objectOf({ a: inner }) } }), '/properties/l/items/properties/a'],
    ['prefixItems', objectOf({ l: { prefixItems: [{}, inner] } }), '/properties/l/prefixItems/1'],
    ['contains', objectOf({ l: { contains: inner } }), '/properties/l/contains'],
    ['oneOf', { oneOf: [objectOf({ a: inner })] }, '/oneOf/0/properties/a'],
    ['anyOf', objectOf({ a: { anyOf: [inner, { type: 'null' }] } }), '/properties/a/anyOf/0'],
    ['allOf', { allOf: [{}, objectOf({ a: inner })] }, '/allOf/1/properties/a'],
    ['$defs, which $ref leads to', { $defs: { A: inner }, ...objectOf({ a: { $ref: '#/$defs/A' } }) }, '/$defs/A'],
    ['definitions', { definitions: { A: inner } }, '/definitions/A'],
    ['additionalProperties', { additionalProperties: inner }, '/additionalProperties'],
    ['patternProperties', { patternProperties: { '^a~/': inner } }, '/patternProperties/^a~0~1'],
    ['unevaluatedProperties', { unevaluatedProperties: inner }, '/unevaluatedProperties'],
    ['propertyNames', { propertyNames: inner }, '/propertyNames'],
    ['dependentSchemas', { dependentSchemas: { a: objectOf({ a: inner }) } }, '/dependentSchemas/a/properties/a'],
    ['contentSchema', objectOf({ a: { contentSchema: inner } }), '/properties/a/contentSchema'],
    ['an unknown keyword', { 'x-vendor': { any: [inner] } }, '/x-vendor/any/0'],
  ])('[HDR-30] [HDR-31] refuses an annotation under %s, whatever its value', (_, schema, pointer) => {
    expect(problemOf(schema)).toContain(`x-mcp-header stands at ${pointer},`);
  });

  test.each(['not', 'if', 'then', 'else'])('[HDR-31] refuses an annotation under %s', (keyword) => {
    expect(problemOf({ [keyword]: objectOf({ a: inner }) })).toContain(`stands at /${keyword}/properties/a,`);
  });

  test('[HDR-30] accepts a property whose sibling keywords do not lead to it', () => {
    const schema = objectOf({ a: { ...inner, anyOf: [{ minLength: 1 }], $ref: '#/$defs/B' } });
    expect(planOf(schema).headers).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['a property with that name', objectOf({ 'x-mcp-header': { type: 'number' } })],
    ['a nested property with that name', { items: objectOf({ 'x-mcp-header': { type: 'string' } }) }],
    ['a definition with that name', { $defs: { 'x-mcp-header': { type: 'string' } } }],
    ['a dependency with that name', { dependentRequired: { 'x-mcp-header': ['a'] } }],
    ['a default value', objectOf({ a: { type: 'object', default: { 'x-mcp-header': 7 } } })],
    ['a constant', objectOf({ a: { const: { 'x-mcp-header': '' } } })],
    ['an enumeration', objectOf({ a: { enum: [{ 'x-mcp-header': '' }] } })],
    ['examples', { examples: [{ properties: { 'x-mcp-header': '' } }, { 'x-mcp-header': '' }] }],
    ['a required name', { ...objectOf({}), required: ['x-mcp-header'] }],
  ])('takes %s for no annotation', (_, schema) => {
    expect(planOf(schema).headers).toEqual([]);
  });

  test('[HDR-32] keeps and refuses the tools that broke other clients', () => {
    const kept = {
      good: objectOf({ r: annotated('string', 'Region') }),
      crlf: objectOf({ r: annotated('string', 'A\r\nB') }),
      empty: objectOf({ r: annotated('string', '') }),
      dup: objectOf({ a: annotated('string', 'Zone'), b: annotated('string', 'zone') }),
      num: objectOf({ a: annotated('number', 'A') }),
      inarray: objectOf({ l: { type: 'array', items: objectOf({ a: annotated('string', 'A') }) } }),
      nested: objectOf({ o: objectOf({ a: annotated('string', 'Deep') }) }),
    };
    expect(
      Object.entries(kept).flatMap(([name, schema]) => ('problem' in planParamHeaders(schema) ? [] : [name])),
    ).toEqual(['good', 'nested']);
  });

  test.each(['properties', 'items', 'not', 'x'])(
    'answers a schema of 200,000 levels of %s with a problem',
    (keyword) => {
      let schema: object = annotated('string', 'A');
      for (let level = 0; level < 200_000; level += 1)
        schema = { [keyword]: keyword === 'properties' ? { a: schema } : schema };
      const problem = problemOf(schema);
      expect(problem).toMatch(/more than 256 levels deep/);
      expect(problem.length).toBeLessThan(400);
    },
  );

  test('answers a schema object with a cycle with a problem', () => {
    const schema: Record<string, unknown> = { type: 'object' };
    schema['allOf'] = [schema, schema];
    expect(problemOf(schema)).toMatch(/more than/);
  });

  test('answers more than 100,000 places and more than 128 annotations with a problem', () => {
    const wide = Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`p${index}`, {}]));
    expect(problemOf(objectOf(wide))).toMatch(/more than 100000 places/);
    const many = (count: number): object =>
      objectOf(
        Object.fromEntries(
          Array.from({ length: count }, (_, index) => [`p${index}`, annotated('string', `P${index}`)]),
        ),
      );
    expect(planOf(many(128)).headers).toHaveLength(128);
    expect(problemOf(many(129))).toMatch(/more than 128/);
  });

  test('writes one short line about hostile names', () => {
    const problem = problemOf(objectOf({ [`a\r\nX: 1\u2028${'n'.repeat(10_000)}`]: annotated('number', 'A') }));
    expect(problem).not.toMatch(/[\p{Cc}\u2028]/u);
    expect(problem.length).toBeLessThan(400);
  });

  test('never throws on any JSON value', () => {
    const schema = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom<unknown>(null, true, 'string', 'X', 1),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom('properties', 'items', 'type', 'x-mcp-header', 'default', 'a', '__proto__', 'allOf'),
          tie('node'),
        ),
      ),
    })).node;
    fc.assert(fc.property(schema, (value) => void planParamHeaders(value)));
  });
});

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
