import { describe, expect, it } from 'vitest';
import { createSchemaCompiler, detectDialect, measureSchema } from '../../src/schema/index.ts';
import { refusal } from './refused.ts';

const accepts = (schema: unknown, value: unknown): boolean =>
  createSchemaCompiler().compile(schema).validate(value) === undefined;

describe('detectDialect', () => {
  it.each([
    [undefined, '2020-12'],
    ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
    ['http://json-schema.org/draft/2020-12/schema#', '2020-12'],
    ['http://json-schema.org/draft-07/schema#', 'draft-07'],
    ['http://json-schema.org/draft-07/schema', 'draft-07'],
    ['https://json-schema.org/draft-07/schema#', 'draft-07'],
  ])('[JSCH-01] tells that %j is %s', (declared, dialect) => {
    expect(detectDialect(declared)).toBe(dialect);
  });

  it.each(['https://schemas.kiln.test/dialect/9', 'http://json-schema.org/draft-04/schema#', '', 5, null, {}])(
    '[JSCH-03] refuses %j and names the supported ones',
    (declared) => {
      const { code, pointer, message } = refusal(() => measureSchema({ $schema: declared }));
      expect({ code, pointer }).toEqual({ code: 'unsupported-dialect', pointer: '/$schema' });
      expect(message).toContain('https://json-schema.org/draft/2020-12/schema');
      expect(message).toContain('http://json-schema.org/draft-07/schema');
    },
  );

  it('passes over $schema in a subschema that is no document of its own', () => {
    expect(measureSchema({ items: { $schema: 'http://json-schema.org/draft-07/schema#' } }).dialect).toBe('2020-12');
  });

  it('refuses an embedded document in another dialect', () => {
    const schema = { $defs: { a: { $id: 'https://x.test/a', $schema: 'http://json-schema.org/draft-07/schema#' } } };
    expect(refusal(() => measureSchema(schema))).toMatchObject({
      code: 'unsupported-dialect',
      pointer: '/$defs/a/$schema',
    });
  });
});

describe('a dialect', () => {
  it.each<[string, unknown, unknown, unknown]>([
    [
      '[schema-05] 2020-12',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { a: { type: 'integer' } },
      },
      { a: 1 },
      { a: '1' },
    ],
    [
      '[schema-05] draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: { type: 'integer' } } },
      { a: 1 },
      { a: '1' },
    ],
    [
      '[schema-05] none',
      {
        type: 'object',
        properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false } },
      },
      { pair: ['x', 1] },
      { pair: ['x', 1, 2] },
    ],
  ])('[JSCH-01] [JSCH-02] is applied as declared: %s', (_, schema, good, bad) => {
    expect(accepts(schema, good)).toBe(true);
    expect(accepts(schema, bad)).toBe(false);
  });

  it.each([
    [{ p: ['a', 1] }, true],
    [{ p: [1, 'a'] }, false],
    [{ p: ['a', 1, 2] }, false],
    [{ p: ['a'] }, true],
    [{}, false],
  ])('[JSCH-02] [schema-07] keeps the tuples of draft-07, for %j', (value, expected) => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { p: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false } },
      required: ['p'],
    };
    expect(accepts(schema, value)).toBe(expected);
  });

  it.each<[string, object, unknown, unknown]>([
    ['additionalItems', { items: [true], additionalItems: { type: 'string' } }, [1, 'a'], [1, 2]],
    ['additionalItems after an empty tuple', { items: [], additionalItems: false }, [], [1]],
    ['dependencies on properties', { dependencies: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
    ['dependencies as schemas', { dependencies: { a: { required: ['b'] } } }, { a: 1, b: 1 }, { a: 1 }],
  ])('[JSCH-02] keeps %s of draft-07', (_, rule, good, bad) => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', ...rule };
    expect(accepts(schema, good)).toBe(true);
    expect(accepts(schema, bad)).toBe(false);
  });

  it('[JSCH-02] does not know the keywords of the other one', () => {
    const rules = { prefixItems: [{ type: 'string' }], dependentRequired: { a: ['b'] }, unevaluatedProperties: false };
    expect(accepts({ $schema: 'http://json-schema.org/draft-07/schema#', ...rules }, [1])).toBe(true);
    expect(accepts({ $schema: 'http://json-schema.org/draft-07/schema#', ...rules }, { a: 1 })).toBe(true);
    expect(accepts({ additionalItems: false }, [1])).toBe(true);
  });

  it('[JSCH-02] calls a rule by the name that it has there', () => {
    const rule = (rules: object, value: unknown): string | undefined =>
      createSchemaCompiler()
        .compile({ $schema: 'http://json-schema.org/draft-07/schema#', ...rules })
        .validate(value)?.rule;
    expect(rule({ items: [true], additionalItems: false }, [1, 2])).toBe('additionalItems');
    expect(rule({ dependencies: { a: ['b'] } }, { a: 1 })).toBe('dependencies');
  });
});
