/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import { describe, expect, it } from 'vitest';
import { type SchemaProblem, createSchemaCompiler } from '../../src/schema/index.ts';

const problemOf = (schema: unknown, value: unknown): SchemaProblem => {
  const problem = createSchemaCompiler().compile(schema).validate(value);
  if (problem === undefined) throw new Error('the value is valid');
  return problem;
};

describe('a problem', () => {
  it.each<[object, unknown, string, string, string]>([
    [{ type: 'integer' }, 'a', '', 'type', 'The value does not satisfy "type": expected integer, got string.'],
    [
      { type: ['string', 'null'] },
      [],
      '',
      'type',
      'The value does not satisfy "type": expected string or null, got array.',
    ],
    [
      { properties: { a: { items: { type: 'string' } } } },
      { a: ['x', null] },
      '/a/1',
      'type',
      'The value at "/a/1" does not satisfy "type": expected string, got null.',
    ],
    [
      { required: ['a', 'b'] },
      { a: 1 },
      '',
      'required',
      'The value does not satisfy "required": expected the property "b" to be present.',
    ],
    [
      { properties: { a: true }, additionalProperties: false },
      { a: 1, z: 2 },
      '',
      'additionalProperties',
      'The value does not satisfy "additionalProperties": expected no property other than the declared ones, got "z".',
    ],
    [
      { unevaluatedProperties: false },
      { z: 2 },
      '',
      'unevaluatedProperties',
      'The value does not satisfy "unevaluatedProperties": expected no property other than the declared ones, got "z".',
    ],
    [{ enum: ['a', 1, null] }, 'b', '', 'enum', 'The value does not satisfy "enum": expected one of "a", 1, null.'],
    [{ enum: [] }, 'b', '', 'enum', 'The value does not satisfy "enum": expected one of no values at all.'],
    [{ const: { a: 1 } }, 'b', '', 'const', 'The value does not satisfy "const": expected the value {"a":1}.'],
    [{ minimum: 1 }, 0, '', 'minimum', 'The value does not satisfy "minimum": expected a number >= 1.'],
    [
      { exclusiveMaximum: 1 },
      1,
      '',
      'exclusiveMaximum',
      'The value does not satisfy "exclusiveMaximum": expected a number < 1.',
    ],
    [{ multipleOf: 5 }, 7, '', 'multipleOf', 'The value does not satisfy "multipleOf": expected a multiple of 5.'],
    [{ minLength: 2 }, 'a', '', 'minLength', 'The value does not satisfy "minLength": expected at least 2 characters.'],
    [
      { maxLength: 2 },
      'abc',
      '',
      'maxLength',
      'The value does not satisfy "maxLength": expected at most 2 characters.',
    ],
    [
      { pattern: '^a+$' },
      'b',
      '',
      'pattern',
      'The value does not satisfy "pattern": expected a string that matches the pattern "^a+$".',
    ],
    [
      { format: 'email' },
      'b',
      '',
      'format',
      'The value does not satisfy "format": expected a string in the format "email".',
    ],
    [{ minItems: 1 }, [], '', 'minItems', 'The value does not satisfy "minItems": expected at least 1 items.'],
    [{ maxItems: 1 }, [1, 2], '', 'maxItems', 'The value does not satisfy "maxItems": expected at most 1 items.'],
    [
      { prefixItems: [true], items: false },
      [1, 2],
      '',
      'items',
      'The value does not satisfy "items": expected at most 1 items.',
    ],
    [
      { uniqueItems: true },
      [1, 1],
      '',
      'uniqueItems',
      'The value does not satisfy "uniqueItems": expected items that all differ from one another.',
    ],
    [
      { contains: { type: 'string' } },
      [1],
      '',
      'contains',
      'The value does not satisfy "contains": expected at least 1 items that match the schema in it.',
    ],
    [
      { contains: true, minContains: 2, maxContains: 3 },
      [1],
      '',
      'contains',
      'The value does not satisfy "contains": expected at most 3 and at least 2 items that match the schema in it.',
    ],
    [
      { minProperties: 1 },
      {},
      '',
      'minProperties',
      'The value does not satisfy "minProperties": expected at least 1 properties.',
    ],
    [
      { maxProperties: 0 },
      { a: 1 },
      '',
      'maxProperties',
      'The value does not satisfy "maxProperties": expected at most 0 properties.',
    ],
    [
      { not: { type: 'string' } },
      'a',
      '',
      'not',
      'The value does not satisfy "not": expected a value that does not match the schema in it.',
    ],
    [
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      '',
      'dependentRequired',
      'The value does not satisfy "dependentRequired": expected the property "b", because "a" is present.',
    ],
    [
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      '',
      'propertyNames',
      'The value does not satisfy "propertyNames": expected other property names than "ab".',
    ],
    [
      { properties: { a: false } },
      { a: 1 },
      '/a',
      'false',
      'The value at "/a" does not satisfy "false": expected no value here.',
    ],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      5,
      '',
      'anyOf',
      'The value does not satisfy "anyOf": expected one of the alternatives to match (string, got number; or null, got number).',
    ],
    [
      { oneOf: [{ required: ['a'] }, { properties: { b: { type: 'number' } }, required: ['b'] }] },
      { b: 'x' },
      '',
      'oneOf',
      'The value does not satisfy "oneOf": expected one of the alternatives to match (the property "a" to be present; or at "/b" number, got string).',
    ],
    [
      { oneOf: [{ type: 'string' }, { minLength: 1 }, true] },
      'a',
      '',
      'oneOf',
      'The value does not satisfy "oneOf": expected exactly one of the alternatives to match, but number 1 and 2 do.',
    ],
    [
      { if: true, then: { minimum: 5 } },
      1,
      '',
      'minimum',
      'The value does not satisfy "minimum": expected a number >= 5.',
    ],
    [
      { properties: { 'a/b~"': { type: 'null' } } },
      { 'a/b~"': 1 },
      '/a~1b~0"',
      'type',
      'The value at "/a~1b~0\\"" does not satisfy "type": expected null, got number.',
    ],
    [
      { $ref: '#/$defs/a', $defs: { a: { properties: { b: { $ref: '#/$defs/c' } } }, c: { minimum: 1 } } },
      { b: 0 },
      '/b',
      'minimum',
      'The value at "/b" does not satisfy "minimum": expected a number >= 1.',
    ],
  ])('of %j with %j names path, rule and what was expected', (schema, value, path, rule, message) => {
    expect(problemOf(schema, value)).toEqual({ path, rule, message });
  });

  it('never repeats a value, and cuts every text that comes from outside', () => {
    const long = 'secret-'.repeat(2_000);
    const found = [
      problemOf({ type: 'number' }, long),
      problemOf({ enum: ['a'] }, long),
      problemOf({ format: 'email' }, long),
      problemOf({ anyOf: [{ type: 'number' }, { const: 1 }] }, long),
    ];
    for (const { message } of found) expect(message).not.toContain('secret');
    const cut = [
      problemOf({ additionalProperties: false }, { [long]: 1 }),
      problemOf({ additionalProperties: { type: 'number' } }, { [long]: '' }),
      problemOf({ enum: Array.from({ length: 10 }, (_, i) => `${long}${i}`) }, 1),
      problemOf({ required: [long] }, {}),
      problemOf({ pattern: `^${'(a|b)'.repeat(300)}$` }, 'c'),
      problemOf({ anyOf: Array.from({ length: 9 }, (_, i) => ({ const: `${i}${long}` })) }, 'c'),
    ];
    for (const { message, path } of cut) {
      expect(message.length).toBeLessThanOrEqual(500);
      expect(path.length).toBeLessThanOrEqual(512);
    }
  });

  it('holds no line end or control character of a name', () => {
    expect(problemOf({ additionalProperties: false }, { 'a\nb\u0007': 1 }).message).not.toMatch(/[\n\u0007]/);
  });
});
