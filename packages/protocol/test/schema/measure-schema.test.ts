import { describe, expect, it } from 'vitest';
import { type JsonSchema, defaultSchemaLimits, measureSchema } from '../../src/schema/index.ts';
import { refusal } from './refused.ts';

const nest = (times: number, inside: unknown, wrap: (inner: unknown) => unknown): unknown => {
  let schema = inside;
  for (let i = 0; i < times; i += 1) schema = wrap(schema);
  return schema;
};

/** Definitions that each refer to the next one twice: 2 ** length ways through them. */
const doubling = (length: number): JsonSchema => ({
  $ref: '#/$defs/a0',
  $defs: Object.fromEntries(
    Array.from({ length }, (_, i) => {
      const next = { $ref: `#/$defs/a${i + 1}` };
      return [`a${i}`, i === length - 1 ? { type: 'string' } : { allOf: [next, next] }];
    }),
  ),
});

describe('measureSchema', () => {
  it('counts bytes, subschemas, depth and paths through references', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/text' }, b: { $ref: '#/$defs/text' }, 'ä"\n': true },
      $defs: { text: { type: 'string' } },
    };
    expect(measureSchema(schema)).toEqual({
      dialect: '2020-12',
      bytes: new TextEncoder().encode(JSON.stringify(schema)).length,
      subschemas: 5,
      depth: 2,
      refPaths: 2,
    });
  });

  it('accepts the boolean schemas', () => {
    expect(measureSchema(true).subschemas).toBe(1);
    expect(measureSchema(false).subschemas).toBe(1);
  });

  it('takes a member that is undefined for absent', () => {
    expect(measureSchema({ type: 'object', properties: undefined, additionalProperties: undefined }).subschemas).toBe(
      1,
    );
  });

  it.each([[null], [[]], ['string'], [5], [undefined]])('refuses %j, which is no schema', (schema) => {
    expect(refusal(() => measureSchema(schema))).toMatchObject({ pointer: '' });
  });

  it.each([
    [{ properties: null }, 'invalid', '/properties'],
    [{ properties: { a: null } }, 'not-a-schema', '/properties/a'],
    [{ properties: { 'a/b~c': 5 } }, 'not-a-schema', '/properties/a~1b~0c'],
    [{ items: [{ type: 'string' }] }, 'not-a-schema', '/items'],
    [{ allOf: [] }, 'invalid', '/allOf'],
    [{ allOf: { type: 'string' } }, 'invalid', '/allOf'],
    [{ type: 'text' }, 'invalid', '/type'],
    [{ type: [] }, 'invalid', '/type'],
    [{ required: true }, 'invalid', '/required'],
    [{ properties: { a: { minLength: -1 } } }, 'invalid', '/properties/a/minLength'],
    [{ maxItems: 1.5 }, 'invalid', '/maxItems'],
    [{ multipleOf: 0 }, 'invalid', '/multipleOf'],
    [{ exclusiveMinimum: true }, 'invalid', '/exclusiveMinimum'],
    [{ enum: 'a' }, 'invalid', '/enum'],
    [{ pattern: 5 }, 'invalid', '/pattern'],
    [{ dependentRequired: { a: 'b' } }, 'invalid', '/dependentRequired'],
    [{ $anchor: '1a' }, 'invalid', ''],
    [{ $id: 'https://x.test/a#b' }, 'invalid', '/$id'],
  ])('[JSCH-04] refuses %j at the place that is wrong', (schema, code, pointer) => {
    expect(refusal(() => measureSchema(schema))).toMatchObject({ code, pointer });
  });

  it('refuses what JSON cannot hold', () => {
    const refused = { code: 'invalid', pointer: '/const' };
    expect(refusal(() => measureSchema({ const: 5n }))).toMatchObject(refused);
    expect(refusal(() => measureSchema({ const: () => 1 }))).toMatchObject(refused);
  });

  it('passes over annotations and unknown keywords, whatever is in them', () => {
    const schema = {
      description: null,
      examples: 'none',
      'x-mcp-header': 5,
      deprecated: 'yes',
      default: { $ref: 'https://x.test/' },
    };
    expect(measureSchema(schema).subschemas).toBe(1);
  });

  it('names the place and what was expected in its message', () => {
    const { message } = refusal(() => measureSchema({ properties: { a: { minLength: '1' } } }));
    expect(message).toBe(
      'Schema at "/properties/a/minLength": "minLength" is a string; expected an integer of at least 0',
    );
  });
});

describe('the limits of a schema', () => {
  it('[JSCH-11] refuses more bytes than allowed, counted as UTF-8', () => {
    const schema = { description: 'ä'.repeat(100) };
    const { bytes } = measureSchema(schema);
    expect(measureSchema(schema, { maxBytes: bytes }).bytes).toBe(bytes);
    expect(refusal(() => measureSchema(schema, { maxBytes: bytes - 1 })).code).toBe('too-large');
    expect(refusal(() => measureSchema({ description: 'a'.repeat(256 * 1024) })).code).toBe('too-large');
  });

  it('[JSCH-11] refuses subschemas nested deeper than allowed and names where', () => {
    const items = (depth: number): unknown => nest(depth - 1, {}, (inner) => ({ items: inner }));
    expect(measureSchema(items(64)).depth).toBe(64);
    const { code, pointer } = refusal(() => measureSchema(items(65)));
    expect(code).toBe('too-deep');
    expect(pointer).toBe('/items'.repeat(64));
  });

  it.each<[string, unknown]>([
    ['subschemas', nest(100_000, {}, (inner) => ({ items: inner }))],
    ['data in const', { const: nest(100_000, [], (inner) => [inner]) }],
    ['an unknown keyword', { 'x-tree': nest(100_000, {}, (inner) => ({ inner })) }],
    ['[schema-04] 2,000 objects', nest(2_000, { type: 'string' }, (p) => ({ type: 'object', properties: { p } }))],
  ])('[JSCH-11] survives extreme nesting in %s', (_, schema) => {
    expect(refusal(() => measureSchema(schema)).code).toBe('too-deep');
  });

  it('[JSCH-11] refuses more subschemas than allowed', () => {
    const wide = (count: number): unknown => ({ allOf: Array.from({ length: count - 1 }, () => true) });
    expect(measureSchema(wide(defaultSchemaLimits.maxSubschemas)).subschemas).toBe(2_000);
    expect(refusal(() => measureSchema(wide(2_001)))).toMatchObject({
      code: 'too-many-subschemas',
      pointer: '/allOf/1999',
    });
    expect(refusal(() => measureSchema(wide(5_000))).code).toBe('too-many-subschemas');
  });

  it('[JSCH-11] refuses definitions that multiply through references', () => {
    expect(measureSchema(doubling(12)).refPaths).toBe(4_095);
    const { code, pointer } = refusal(() => measureSchema(doubling(60)));
    expect(code).toBe('too-many-ref-paths');
    expect(pointer).toMatch(/^\/\$defs\/a\d+/);
    expect(refusal(() => measureSchema(doubling(12), { maxRefPaths: 4_094 })).code).toBe('too-many-ref-paths');
  });

  it('does not count definitions that nothing refers to', () => {
    const { $defs } = doubling(60);
    expect(measureSchema({ type: 'string', $defs }).refPaths).toBe(0);
  });

  it('gives up on a cycle of JavaScript objects', () => {
    const schema: { [key: string]: unknown } = { type: 'object' };
    schema.not = schema;
    expect(refusal(() => measureSchema(schema)).code).toBe('too-deep');
  });

  it('accepts recursive schemas, alone and in circles, and counts each reference once', () => {
    expect(measureSchema({ properties: { left: { $ref: '#' }, right: { $ref: '#' } } }).refPaths).toBe(2);
    const kinds = Array.from({ length: 30 }, (_, i) => `k${i}`);
    const circle = {
      $ref: '#/$defs/expression',
      $defs: {
        expression: { anyOf: kinds.map((kind) => ({ $ref: `#/$defs/${kind}` })) },
        ...Object.fromEntries(
          kinds.map((kind) => [kind, { properties: { a: { $ref: '#/$defs/expression' }, b: { $ref: '#/$defs/k0' } } }]),
        ),
      },
    };
    expect(measureSchema(circle).refPaths).toBe(91);
  });

  it.each([
    { $ref: '#' },
    { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { anyOf: [{ $ref: '#' }] } } },
    { not: { if: { $ref: '#' } } },
  ])('refuses %j, which never descends into the value', (schema) => {
    expect(refusal(() => measureSchema(schema)).code).toBe('invalid');
  });
});
