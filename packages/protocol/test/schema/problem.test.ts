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
    [{ type: 'integer' }, 'a', '', 'type', 'Expected integer, got string (rule "type").'],
    [{ type: ['string', 'null'] }, [], '', 'type', 'Expected string or null, got array (rule "type").'],
    [
      { properties: { a: { items: { type: 'string' } } } },
      { a: ['x', null] },
      '/a/1',
      'type',
      'At "/a/1": expected string, got null (rule "type").',
    ],
    [{ required: ['a', 'b'] }, { a: 1 }, '', 'required', 'Expected the property "b" to be present (rule "required").'],
    [
      { properties: { a: true }, additionalProperties: false },
      { a: 1, z: 2 },
      '',
      'additionalProperties',
      'Expected no property other than the declared ones, got "z" (rule "additionalProperties").',
    ],
    [
      { unevaluatedProperties: false },
      { z: 2 },
      '',
      'unevaluatedProperties',
      'Expected no property other than the declared ones, got "z" (rule "unevaluatedProperties").',
    ],
    [{ enum: ['a', 1, null] }, 'b', '', 'enum', 'Expected one of "a", 1, null (rule "enum").'],
    [{ enum: [] }, 'b', '', 'enum', 'Expected one of no values at all (rule "enum").'],
    [{ const: { a: 1 } }, 'b', '', 'const', 'Expected the value {"a":1} (rule "const").'],
    [{ minimum: 1 }, 0, '', 'minimum', 'Expected a number >= 1 (rule "minimum").'],
    [{ exclusiveMaximum: 1 }, 1, '', 'exclusiveMaximum', 'Expected a number < 1 (rule "exclusiveMaximum").'],
    [{ multipleOf: 5 }, 7, '', 'multipleOf', 'Expected a multiple of 5 (rule "multipleOf").'],
    [{ minLength: 2 }, 'a', '', 'minLength', 'Expected at least 2 characters (rule "minLength").'],
    [{ maxLength: 2 }, 'abc', '', 'maxLength', 'Expected at most 2 characters (rule "maxLength").'],
    [{ pattern: '^a+$' }, 'b', '', 'pattern', 'Expected a string that matches the pattern "^a+$" (rule "pattern").'],
    [{ format: 'email' }, 'b', '', 'format', 'Expected a string in the format "email" (rule "format").'],
    [{ minItems: 1 }, [], '', 'minItems', 'Expected at least 1 items (rule "minItems").'],
    [{ maxItems: 1 }, [1, 2], '', 'maxItems', 'Expected at most 1 items (rule "maxItems").'],
    [{ prefixItems: [true], items: false }, [1, 2], '', 'items', 'Expected at most 1 items (rule "items").'],
    [
      { uniqueItems: true },
      [1, 1],
      '',
      'uniqueItems',
      'Expected items that all differ from one another (rule "uniqueItems").',
    ],
    [
      { contains: { type: 'string' } },
      [1],
      '',
      'contains',
      'Expected at least 1 items that match the schema in it (rule "contains").',
    ],
    [
      { contains: true, minContains: 2, maxContains: 3 },
      [1],
      '',
      'contains',
      'Expected at most 3 and at least 2 items that match the schema in it (rule "contains").',
    ],
    [{ minProperties: 1 }, {}, '', 'minProperties', 'Expected at least 1 properties (rule "minProperties").'],
    [{ maxProperties: 0 }, { a: 1 }, '', 'maxProperties', 'Expected at most 0 properties (rule "maxProperties").'],
    [
      { not: { type: 'string' } },
      'a',
      '',
      'not',
      'Expected a value that does not match the schema in it (rule "not").',
    ],
    [
      { dependentRequired: { a: ['b'] } },
      { a: 1 },
      '',
      'dependentRequired',
      'Expected the property "b", because "a" is present (rule "dependentRequired").',
    ],
    [
      { propertyNames: { maxLength: 1 } },
      { ab: 1 },
      '',
      'propertyNames',
      'Expected other property names than "ab" (rule "propertyNames").',
    ],
    [{ properties: { a: false } }, { a: 1 }, '/a', 'false', 'At "/a": expected no value here (rule "false").'],
    [
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      5,
      '',
      'anyOf',
      'Expected one of the alternatives to match (string, got number; or null, got number) (rule "anyOf").',
    ],
    [
      { oneOf: [{ required: ['a'] }, { properties: { b: { type: 'number' } }, required: ['b'] }] },
      { b: 'x' },
      '',
      'oneOf',
      'Expected one of the alternatives to match (the property "a" to be present; or at "/b" number, got string) (rule "oneOf").',
    ],
    [
      { oneOf: [{ type: 'string' }, { minLength: 1 }, true] },
      'a',
      '',
      'oneOf',
      'Expected exactly one of the alternatives to match, but number 1 and 2 do (rule "oneOf").',
    ],
    [{ if: true, then: { minimum: 5 } }, 1, '', 'minimum', 'Expected a number >= 5 (rule "minimum").'],
    [
      { properties: { 'a/b~"': { type: 'null' } } },
      { 'a/b~"': 1 },
      '/a~1b~0"',
      'type',
      'At "/a~1b~0\\"": expected null, got number (rule "type").',
    ],
    [
      { $ref: '#/$defs/a', $defs: { a: { properties: { b: { $ref: '#/$defs/c' } } }, c: { minimum: 1 } } },
      { b: 0 },
      '/b',
      'minimum',
      'At "/b": expected a number >= 1 (rule "minimum").',
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
