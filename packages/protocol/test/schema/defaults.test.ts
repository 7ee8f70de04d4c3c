/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { describe, expect, it } from 'vitest';
import { createSchemaCompiler } from '../../src/schema/index.ts';

const filled = (schema: unknown, value: unknown): unknown => {
  createSchemaCompiler({ fillDefaults: true }).compile(schema).validate(value);
  return value;
};

describe('defaults', () => {
  it('are filled into the value given, also where it turns out to be wrong', () => {
    const schema = { type: 'object', properties: { a: { default: 1 }, b: { type: 'string' } } };
    expect(filled(schema, {})).toEqual({ a: 1 });
    expect(filled(schema, { a: 2 })).toEqual({ a: 2 });
    expect(filled(schema, { a: null })).toEqual({ a: null });
    expect(filled(schema, { a: undefined })).toEqual({ a: 1 });
    expect(filled(schema, { b: 5 })).toEqual({ a: 1, b: 5 });
  });

  it('are left out unless they are asked for', () => {
    const value = {};
    createSchemaCompiler()
      .compile({ properties: { a: { default: 1 } } })
      .validate(value);
    expect(value).toEqual({});
  });

  it('satisfy required, and are checked like any value', () => {
    const compiler = createSchemaCompiler({ fillDefaults: true });
    const compiled = compiler.compile({ properties: { a: { type: 'number', default: 1 } }, required: ['a'] });
    expect(compiled.validate({})).toBeUndefined();
    expect(compiler.compile({ properties: { a: { type: 'number', default: 'x' } } }).validate({})?.path).toBe('/a');
  });

  it.each<[string, object, unknown, unknown]>([
    ['nested objects', { properties: { o: { properties: { a: { default: 1 } } } } }, { o: {} }, { o: { a: 1 } }],
    ['items', { items: { properties: { a: { default: 1 } } } }, [{}, { a: 2 }], [{ a: 1 }, { a: 2 }]],
    [
      'tuples',
      { prefixItems: [true, { properties: { a: { default: 1 } } }], items: { properties: { b: { default: 2 } } } },
      [{}, {}, {}],
      [{}, { a: 1 }, { b: 2 }],
    ],
    [
      'other members',
      { properties: { x: true }, additionalProperties: { properties: { a: { default: 1 } } } },
      { x: {}, y: {} },
      { x: {}, y: { a: 1 } },
    ],
    [
      'allOf',
      { allOf: [{ properties: { a: { default: 1 } } }, { properties: { b: { default: 2 } } }] },
      {},
      { a: 1, b: 2 },
    ],
    [
      'references',
      { properties: { o: { $ref: '#/$defs/o' } }, $defs: { o: { properties: { a: { default: 1 } } } } },
      { o: {} },
      { o: { a: 1 } },
    ],
    [
      'recursive schemas',
      { properties: { next: { $ref: '#' }, a: { default: 1 } } },
      { next: { next: {} } },
      { a: 1, next: { a: 1, next: { a: 1 } } },
    ],
    [
      'defaults in defaults',
      { properties: { o: { default: {}, properties: { a: { default: 1 } } } } },
      {},
      { o: { a: 1 } },
    ],
    [
      'a default beside a reference',
      { properties: { a: { $ref: '#/$defs/n', default: 1 } }, $defs: { n: { type: 'number' } } },
      {},
      { a: 1 },
    ],
    [
      'draft-07 tuples',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{ properties: { a: { default: 1 } } }],
        additionalItems: { properties: { b: { default: 2 } } },
      },
      [{}, {}],
      [{ a: 1 }, { b: 2 }],
    ],
  ])('are filled in through %s', (_, schema, value, expected) => {
    expect(filled(schema, value)).toEqual(expected);
  });

  it.each<[string, object]>([
    [
      'anyOf',
      {
        anyOf: [{ $ref: '#/$defs/a' }, { type: 'object' }],
        $defs: { a: { properties: { a: { default: 1 } }, required: ['z'] } },
      },
    ],
    ['oneOf', { oneOf: [{ properties: { a: { default: 1 } } }] }],
    ['not', { not: { properties: { a: { default: 1 } }, required: ['z'] } }],
    ['if and then', { if: { properties: { a: { default: 1 } } }, then: { properties: { b: { default: 1 } } } }],
    ['dependentSchemas', { dependentSchemas: { a: { properties: { b: { default: 1 } } } } }],
  ])('are never filled in under a condition, as in %s', (_, schema) => {
    expect(filled(schema, {})).toEqual({});
  });

  it('come to an end where a recursive schema has a default for itself', () => {
    expect(filled({ properties: { n: { $ref: '#', default: {} } } }, {})).toEqual({ n: {} });
  });

  it('are copied for each value', () => {
    const schema = { properties: { list: { default: [] } } };
    const compiled = createSchemaCompiler({ fillDefaults: true }).compile(schema);
    const [one, two]: { list?: unknown[] }[] = [{}, {}];
    compiled.validate(one);
    one?.list?.push(1);
    compiled.validate(two);
    expect([one, two, schema.properties.list.default]).toEqual([{ list: [1] }, { list: [] }, []]);
  });

  it.each(['__proto__', 'constructor', 'toString'])('become own members under any name: %s', (name) => {
    const value = filled(JSON.parse(`{"properties":{"${name}":{"default":{"isAdmin":true}}}}`), {});
    expect(Object.keys(value as object)).toEqual([name]);
    expect((value as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(
      JSON.stringify(filled(JSON.parse('{"properties":{"a":{"default":{"__proto__":{"isAdmin":true}}}}}'), {})),
    ).toBe('{"a":{"__proto__":{"isAdmin":true}}}');
  });
});
