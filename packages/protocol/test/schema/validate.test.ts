import { describe, expect, it } from 'vitest';
import { createSchemaCompiler } from '../../src/schema/index.ts';
import { refusal } from './refused.ts';

const compiler = createSchemaCompiler();
const accepts = (schema: unknown, value: unknown): boolean => compiler.compile(schema).validate(value) === undefined;

describe('a compiled schema', () => {
  it.each([
    ['{"limit":3.0}', true],
    ['{"limit":0.5}', false],
    ['{"limit":"3"}', false],
    ['{"limit":3,"ratio":2}', true],
    ['{"limit":1e2}', true],
    ['{}', false],
    ['{"limit":1e999}', false],
  ])('[schema-10] never converts a value: %s', (raw, expected) => {
    const schema = {
      type: 'object',
      properties: { limit: { type: 'integer', minimum: 1 }, ratio: { type: 'number' } },
      required: ['limit'],
    };
    const value: unknown = JSON.parse(raw);
    const problem = compiler.compile(schema).validate(value);
    expect(problem === undefined).toBe(expected);
    if (!expected) expect(problem?.message).toContain('limit');
    expect(value).toEqual(JSON.parse(raw));
  });

  it('[schema-01] validates through definitions that other definitions use', () => {
    const schema = {
      type: 'object',
      properties: { crate: { $ref: '#/$defs/Crate', description: 'the crate to ship' } },
      required: ['crate'],
      $defs: {
        Crate: {
          type: 'object',
          properties: { kg: { type: 'number' }, lid: { $ref: '#/$defs/Lid' } },
          required: ['kg'],
        },
        Lid: { type: 'string', enum: ['flat', 'domed'] },
      },
    };
    expect(accepts(schema, { crate: { kg: 2, lid: 'flat' } })).toBe(true);
    expect(accepts(schema, { crate: {} })).toBe(false);
    expect(accepts(schema, { crate: { kg: 2, lid: 'round' } })).toBe(false);
  });

  it('[schema-02] refuses what cannot be resolved one by one, with the pointer', () => {
    const refused = (schema: unknown): string => refusal(() => compiler.compile(schema)).pointer;
    expect(accepts({ type: 'object' }, {})).toBe(true);
    expect(refused({ type: 'object', properties: { s: { $ref: '#/$defs/Missing' } } })).toBe('/properties/s/$ref');
    expect(refused({ type: 'object', properties: { s: { $ref: 'https://schemas.kiln.test/x.json' } } })).toBe(
      '/properties/s/$ref',
    );
  });

  it.each([[undefined], [null], [{ type: 'object', properties: null }]])(
    '[schema-09] %j is refused alone',
    (schema) => {
      expect(() => compiler.compile(schema)).toThrow('Schema');
      expect(accepts({ type: 'object', additionalProperties: false }, {})).toBe(true);
    },
  );

  it('lets none of several schemas of the same $id see another', () => {
    const one = compiler.compile({
      $id: 'https://x.test/same',
      items: { $ref: '#/$defs/a' },
      $defs: { a: { type: 'string' } },
    });
    const two = compiler.compile({
      $id: 'https://x.test/same',
      items: { $ref: '#/$defs/a' },
      $defs: { a: { type: 'number' } },
    });
    expect([one.validate(['a']), two.validate([1])]).toEqual([undefined, undefined]);
    expect([one.validate([1])?.rule, two.validate(['a'])?.rule]).toEqual(['type', 'type']);
    const other = { properties: { a: { $ref: 'https://x.test/same' } } };
    expect(refusal(() => compiler.compile(other)).code).toBe('network-ref');
  });

  it.each([
    [{ id: 'a', nullable: true, discriminator: {}, $async: true, 'x-mcp-header': 'A', $recursiveRef: '#' }],
    [{ type: 'string', '$steps:enter': 1e9, '$steps:text': 1e9 }],
    [{ $data: '1/a', formatMinimum: 5, $comment: 'c', $vocabulary: {} }],
    [{ format: 'an-unknown-one' }],
  ])('passes over keywords that its dialect does not have: %j', (schema) => {
    expect(accepts(schema, 'a')).toBe(true);
    expect(accepts({ properties: { v: schema }, required: ['v'] }, {})).toBe(false);
  });

  it('can be compiled ahead of its first value', () => {
    const compiled = compiler.compile({ type: 'string' });
    expect(compiled.prepare()).toBeUndefined();
    expect(compiled.validate(1)?.rule).toBe('type');
  });

  it('is refused when it is compiled where that is the first time its size shows, the same way each time', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const $defs = Object.fromEntries(
      names.map((name) => [
        name,
        {
          $id: name,
          $dynamicAnchor: 'x',
          properties: Object.fromEntries([
            ...names.map((other) => [other, { $ref: other }]),
            ['x', { $dynamicRef: '#x' }],
          ]),
        },
      ]),
    );
    const compiled = createSchemaCompiler({ limits: { maxSubschemas: 100 } }).compile({ $ref: 'a', $defs });
    const codes = [() => compiled.prepare(), () => compiled.validate({}), () => compiled.prepare()].map(
      (run) => refusal(run).code,
    );
    expect(codes).toEqual(['too-many-subschemas', 'too-many-subschemas', 'too-many-subschemas']);
  });

  it('accepts everything for true and nothing for false', () => {
    expect(accepts(true, { a: [1] })).toBe(true);
    expect(compiler.compile(false).validate(1)).toMatchObject({ path: '', rule: 'false' });
  });

  it('validates recursive schemas', () => {
    const tree = {
      type: 'object',
      properties: { value: { type: 'number' }, next: { $ref: '#' } },
      required: ['value'],
    };
    expect(accepts(tree, { value: 1, next: { value: 2, next: { value: 3 } } })).toBe(true);
    expect(compiler.compile(tree).validate({ value: 1, next: { value: 2, next: {} } })?.path).toBe('/next/next');
  });
});

describe('names that objects inherit', () => {
  it.each(['toString', 'constructor', '__proto__', 'hasOwnProperty', 'valueOf'])(
    'are required as own members: %s',
    (name) => {
      expect(compiler.compile({ type: 'object', required: [name] }).validate({})?.rule).toBe('required');
      expect(accepts({ type: 'object', required: [name] }, JSON.parse(`{"${name}":1}`))).toBe(true);
    },
  );

  it.each(['toString', 'constructor', '__proto__', 'valueOf'])('are members like any other: %s', (name) => {
    const value: unknown = JSON.parse(`{"${name}":1}`);
    const text: unknown = JSON.parse(`{"properties":{"${name}":{"type":"string"}},"additionalProperties":false}`);
    expect(accepts({ additionalProperties: false }, value)).toBe(false);
    expect(compiler.compile(text).validate(value)?.rule).toBe('type');
    expect(accepts(text, JSON.parse(`{"${name}":"a"}`))).toBe(true);
    expect(accepts(text, {})).toBe(true);
    expect(accepts(JSON.parse(`{"const":{"${name}":1}}`), value)).toBe(true);
    expect(accepts(JSON.parse(`{"enum":[{"${name}":2}]}`), value)).toBe(false);
    expect(accepts({ uniqueItems: true }, [value, JSON.parse(`{"${name}":1}`)])).toBe(false);
    expect(accepts(JSON.parse(`{"patternProperties":{"${name}":false}}`), value)).toBe(false);
    expect(accepts(JSON.parse(`{"dependentSchemas":{"${name}":false}}`), value)).toBe(false);
    expect(accepts(JSON.parse(`{"dependentSchemas":{"${name}":false}}`), {})).toBe(true);
    expect(accepts(JSON.parse(`{"dependentRequired":{"${name}":["a"]}}`), value)).toBe(false);
    expect(accepts(JSON.parse(`{"dependentRequired":{"${name}":["a"]}}`), {})).toBe(true);
  });

  it('are not taken for evaluated', () => {
    expect(accepts({ patternProperties: { '^a': true }, unevaluatedProperties: false }, { toString: 1 })).toBe(false);
  });
});

describe('equality', () => {
  it.each<[unknown, unknown, boolean]>([
    [JSON.parse('1'), JSON.parse('1.0'), true],
    [0, -0, true],
    [1, '1', false],
    [1, true, false],
    [0, false, false],
    [null, false, false],
    ['[1]', [1], false],
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [[1, 2], [2, 1], false],
    [[], {}, false],
    [{ a: undefined }, {}, false],
    [['a,b'], ['a', 'b'], false],
    [{ 'a":1,"b': 1 }, { a: 1, b: 1 }, false],
  ])('between %j and %j is %j in uniqueItems, const and enum', (a, b, isEqual) => {
    expect(accepts({ uniqueItems: true }, [a, b])).toBe(!isEqual);
    expect(accepts({ items: { uniqueItems: true } }, [[a, 7, b]])).toBe(!isEqual);
    if (JSON.stringify([a, b]).includes('undefined') || Object.values(Object(a)).includes(undefined)) return;
    expect(accepts({ const: a }, b)).toBe(isEqual);
    expect(accepts({ enum: ['x', a] }, b)).toBe(isEqual);
  });

  it('does not ask for unique items where uniqueItems is false', () => {
    expect(accepts({ uniqueItems: false }, [1, 1])).toBe(true);
  });

  it('looks at each of many objects as often as at each of a few', () => {
    const looksAt = (count: number): number => {
      let looks = 0;
      const items = Array.from({ length: count }, (_, at) => ({
        same: 1,
        get id() {
          looks += 1;
          return at;
        },
      }));
      expect(accepts({ uniqueItems: true }, items)).toBe(true);
      return looks / count;
    };
    expect(looksAt(8_000)).toBe(looksAt(10));
    expect(looksAt(10)).toBeGreaterThan(0);
  });

  it('finds one duplicate among 8,000 objects', () => {
    const items = Array.from({ length: 8_000 }, (_, i) => ({ id: i, tags: [{ name: `t${i}` }] }));
    expect(accepts({ uniqueItems: true }, items)).toBe(true);
    expect(accepts({ uniqueItems: true }, [...items, { tags: [{ name: 't7' }], id: 7 }])).toBe(false);
  });

  it.each([
    [19.99, 0.01, true],
    [0.0075, 0.0001, true],
    [0.00751, 0.0001, false],
    [4.5, 1.5, true],
    [1e22, 1, true],
    [1e308, 0.5, true],
    [-6, 3, true],
    [7, 2, false],
    [0, 0.3, true],
    [1e-7, 1e-8, true],
  ])('by decimal digits says of %d as a multiple of %d: %j', (value, multipleOf, expected) => {
    expect(accepts({ multipleOf }, value)).toBe(expected);
  });
});

describe('keywords with many entries', () => {
  const named = (count: number, value: unknown): object =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, value]));

  it.each<[string, object, unknown, unknown]>([
    [
      'properties',
      { properties: named(1_990, { type: 'string', minLength: 1 }), additionalProperties: false },
      { p1989: 'a' },
      { p1989: 1 },
    ],
    ['properties and others', { properties: named(1_990, true), additionalProperties: false }, { p5: 1 }, { q: 1 }],
    [
      'patternProperties',
      { patternProperties: named(200, { type: 'string' }), additionalProperties: false },
      { p7: 'a' },
      { q: 'a' },
    ],
    ['allOf', { allOf: Array.from({ length: 1_990 }, (_, i) => ({ maxLength: 2_000 - i })) }, 'a', 'a'.repeat(50)],
    ['anyOf', { anyOf: Array.from({ length: 1_990 }, (_, i) => ({ const: i })) }, 1_989, 1_990],
    ['oneOf', { oneOf: Array.from({ length: 1_990 }, (_, i) => ({ const: i })) }, 1_989, 1_990],
    [
      'prefixItems',
      { prefixItems: Array.from({ length: 1_990 }, () => ({ type: 'string' })), items: false },
      ['a'],
      ['a', 1],
    ],
    ['dependentSchemas', { dependentSchemas: named(1_990, { required: ['q'] }) }, { p1989: 1, q: 1 }, { p1989: 1 }],
    ['dependentRequired', { dependentRequired: named(5_000, ['q']) }, { p4999: 1, q: 1 }, { p4999: 1 }],
    ['required', { required: Object.keys(named(5_000, 1)) }, named(5_000, 1), named(4_999, 1)],
    ['enum', { enum: Array.from({ length: 5_000 }, (_, i) => ({ i })) }, { i: 4_999 }, { i: 5_000 }],
  ])('are compiled and checked to the last: %s', (_, schema, good, bad) => {
    const compiled = compiler.compile(schema);
    expect(compiled.validate(good)).toBeUndefined();
    expect(compiled.validate(bad)).toBeDefined();
  });

  it('are compiled in a chain of 900 definitions', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 900 }, (_, i) => [
        `d${i}`,
        i === 899 ? { type: 'string' } : { items: { $ref: `#/$defs/d${i + 1}` } },
      ]),
    );
    expect(accepts({ $ref: '#/$defs/d0', $defs }, [[[]]])).toBe(true);
    expect(accepts({ $ref: '#/$defs/d899', $defs }, 1)).toBe(false);
  });
});

describe('keywords that ajv gets wrong in combination', () => {
  it.each<[string, object, unknown, boolean]>([
    [
      'anyOf and patternProperties',
      { anyOf: [{ required: ['z'], properties: { b: true } }, true], patternProperties: { a: true } },
      { a: 1 },
      true,
    ],
    [
      'contains after a tuple that is longer than the value',
      { prefixItems: [{ type: 'string' }], contains: { type: 'number' } },
      [],
      false,
    ],
    [
      'uniqueItems after a tuple that is partly free',
      { prefixItems: [true, true, { type: 'string' }], uniqueItems: true },
      [1, 1],
      false,
    ],
    ['contains in a loop', { items: { contains: { type: 'number' } } }, [[1], []], false],
    [
      'what `if` evaluates where it fails',
      { if: { properties: { a: { const: 1 } }, required: ['a'] }, unevaluatedProperties: false },
      { a: 2 },
      false,
    ],
    [
      'what `if` evaluates where it matches',
      { if: { properties: { a: { const: 1 } } }, unevaluatedProperties: false },
      { a: 1 },
      true,
    ],
    [
      'a reference beside anyOf',
      {
        $ref: '#/$defs/a',
        anyOf: [{ required: ['z'], properties: { z: true } }, true],
        unevaluatedProperties: false,
        $defs: { a: { properties: { a: true } } },
      },
      { a: 1 },
      true,
    ],
    [
      'a branch of oneOf that fails',
      { oneOf: [{ properties: { a: true }, required: ['b'] }, true], unevaluatedProperties: false },
      { a: 1 },
      false,
    ],
    [
      'members that a failing branch of anyOf finds by their names',
      {
        anyOf: [{ allOf: [{ patternProperties: { '^a': true } }], required: ['z'] }, true],
        unevaluatedProperties: false,
      },
      { a: 1 },
      false,
    ],
    [
      'members that a failing branch of oneOf finds by their names',
      {
        oneOf: [{ allOf: [{ patternProperties: { '^a': true } }], required: ['z'] }, true],
        unevaluatedProperties: false,
      },
      { a: 1 },
      false,
    ],
    [
      'properties beside dependentSchemas',
      { properties: { a: true }, dependentSchemas: { x: { properties: { b: true } } }, unevaluatedProperties: false },
      { a: 1 },
      true,
    ],
    [
      'all items of a branch',
      { anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: { type: 'boolean' } },
      ['a', 'b'],
      true,
    ],
    [
      'no branch with items',
      { anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: { type: 'boolean' } },
      ['a', 1],
      false,
    ],
  ])('are right: %s', (_, schema, value, expected) => {
    expect(accepts(schema, value)).toBe(expected);
  });
});

describe('formats', () => {
  it.each([
    ['date', '2024-02-29', '2023-02-29'],
    ['date-time', '2024-01-01T00:00:00Z', '2024-01-01 noon'],
    ['email', 'a@x.test', 'a.x.test'],
    ['uri', 'https://x.test/a', 'a b'],
    ['uuid', '123e4567-e89b-12d3-a456-426614174000', '123'],
    ['ipv4', '127.0.0.1', '256.0.0.1'],
    ['json-pointer', '/a~1b', 'a'],
  ])('%s is checked, unless formats are annotations', (format, good, bad) => {
    expect(accepts({ format }, good)).toBe(true);
    expect(accepts({ format }, bad)).toBe(false);
    expect(accepts({ format }, 5)).toBe(true);
    const annotating = createSchemaCompiler({ checksFormats: false });
    expect(annotating.compile({ format }).validate(bad)).toBeUndefined();
    expect(annotating.compile({ not: { format } }).validate(bad)?.rule).toBe('not');
    expect(annotating.compile({ format, type: 'number' }).validate(bad)?.rule).toBe('type');
  });
});
