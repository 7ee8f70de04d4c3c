/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { describe, expect, it } from 'vitest';
import { type JsonSchema, closeSchema, createSchemaCompiler } from '../../src/schema/index.ts';
import { refusal } from './refused.ts';

const object = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more });
const closed = (properties: object, more: object = {}): JsonSchema =>
  object(properties, { ...more, additionalProperties: false });
const text = { type: 'string' };

describe('closeSchema', () => {
  it.each<[string, JsonSchema, JsonSchema]>([
    ['the root', object({ a: text }), closed({ a: text })],
    [
      'nested objects and items',
      object({ a: { items: object({ b: text }) } }),
      closed({ a: { items: closed({ b: text }) } }),
    ],
    [
      'tuples and other members',
      { prefixItems: [object({ a: text })], additionalProperties: object({}) },
      { prefixItems: [closed({ a: text })], additionalProperties: closed({}) },
    ],
    [
      'definitions that are referred to alone',
      object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: object({ b: text }) } }),
      closed({ a: { $ref: '#/$defs/A' } }, { $defs: { A: closed({ b: text }) } }),
    ],
    ['recursive schemas', object({ next: { $ref: '#' } }), closed({ next: { $ref: '#' } })],
    [
      'plain alternatives',
      { anyOf: [object({ a: text }), { type: 'null' }] },
      { anyOf: [closed({ a: text }), { type: 'null' }] },
    ],
    [
      'alternatives of one another',
      { oneOf: [{ $ref: '#/$defs/A' }, { anyOf: [object({ b: text })] }], $defs: { A: object({ a: text }) } },
      { oneOf: [{ $ref: '#/$defs/A' }, { anyOf: [closed({ b: text })] }], $defs: { A: closed({ a: text }) } },
    ],
    [
      'an object beside not',
      object({ a: text }, { not: { required: ['a'] } }),
      closed({ a: text }, { not: { required: ['a'] } }),
    ],
  ])('closes %s', (_, schema, expected) => {
    expect(closeSchema(schema)).toEqual(expected);
  });

  it.each<[string, JsonSchema]>([
    ['what says so itself', object({ a: text }, { additionalProperties: true })],
    ['what has a schema for other members', object({ a: text }, { additionalProperties: text })],
    ['unevaluatedProperties', object({ a: text }, { unevaluatedProperties: false })],
    ['patternProperties', object({ a: object({ b: text }) }, { patternProperties: { '^a': object({ c: text }) } })],
    ['an object without properties', { type: 'object' }],
    [
      'both parts of an intersection, with all in them',
      { allOf: [object({ a: object({ b: text }) }), object({ a: object({ c: text }) })] },
    ],
    [
      'an object and the alternatives beside it',
      object({ a: object({ x: text }) }, { anyOf: [object({ b: text }), object({ a: object({ y: text }) })] }),
    ],
    [
      'a definition that an intersection uses',
      { allOf: [{ $ref: '#/$defs/A' }, object({ b: text })], $defs: { A: object({ a: object({ c: text }) }) } },
    ],
    [
      'a reference with properties beside it',
      object({ b: text }, { $ref: '#/$defs/A', $defs: { A: object({ a: text }) } }),
    ],
    ['conditions', { if: object({ a: text }), then: object({ b: text }), else: object({ c: text }) }],
    ['what must not match', { not: object({ a: object({ b: text }) }) }],
    ['dependentSchemas', { dependentSchemas: { a: object({ b: text }) } }],
    ['contains', { contains: object({ a: text }) }],
  ])('leaves %s open', (_, schema) => {
    expect(closeSchema(schema)).toEqual(schema);
  });

  it('leaves the schema that it is given as it is', () => {
    const schema = object({ a: object({ b: text }) });
    const before = structuredClone(schema);
    closeSchema(schema);
    expect(schema).toEqual(before);
  });

  it('leaves an object open that stands in two places, one of which is an intersection', () => {
    const shared = object({ a: text });
    const schema = object({ x: shared, y: { allOf: [shared, object({ b: text })] } });
    expect(
      createSchemaCompiler()
        .compile(closeSchema(schema))
        .validate({ y: { a: '', b: '' } }),
    ).toBeUndefined();
  });

  it('refuses what is no usable schema', () => {
    expect(refusal(() => closeSchema({ properties: { a: { $ref: '#/nowhere' } } })).code).toBe('unresolved-ref');
  });
});
