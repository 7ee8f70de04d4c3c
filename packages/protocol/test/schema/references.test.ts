import { describe, expect, it, vi } from 'vitest';
import { createSchemaCompiler, measureSchema } from '../../src/schema/index.ts';
import { refusal } from './refused.ts';

const accepts = (schema: unknown, value: unknown): boolean =>
  createSchemaCompiler().compile(schema).validate(value) === undefined;

const draft07 = 'http://json-schema.org/draft-07/schema#';

describe('references out of the document', () => {
  it.each([
    [{ properties: { s: { $ref: 'https://schemas.kiln.test/x.json' } } }, '/properties/s/$ref'],
    [{ $defs: { unused: { $ref: 'http://127.0.0.1/x' } } }, '/$defs/unused/$ref'],
    [{ $dynamicRef: 'https://schemas.kiln.test/x.json#node' }, '/$dynamicRef'],
    [{ items: { $ref: 'other.json' } }, '/items/$ref'],
    [{ $id: 'https://x.test/root.json', items: { $ref: 'other.json#/a' } }, '/items/$ref'],
    [{ items: { $ref: 'file:///etc/passwd' } }, '/items/$ref'],
    [{ items: { $ref: '//x.test/a' } }, '/items/$ref'],
    [{ $schema: draft07, items: [{ $ref: 'https://x.test/a' }] }, '/items/0/$ref'],
    [{ properties: { s: { $ref: 'https://json-schema.org/draft/2020-12/schema' } } }, '/properties/s/$ref'],
  ])('[JSCH-06] [JSCH-10] are refused, in %j', (schema, pointer) => {
    const { message, ...refused } = refusal(() => measureSchema(schema));
    expect(refused).toEqual({ code: 'network-ref', pointer });
    expect(message).toContain('not fetched');
  });

  it('[JSCH-06] [JSCH-07] are not fetched', () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    try {
      refusal(() => createSchemaCompiler().compile({ $ref: 'https://schemas.kiln.test/x.json' }));
      expect(fetched).not.toHaveBeenCalled();
    } finally {
      fetched.mockRestore();
    }
  });

  it.each([
    { properties: { $ref: { type: 'string' } } },
    { const: { $ref: 'https://x.test/' } },
    { enum: [{ $ref: 'https://x.test/' }] },
    { default: { $ref: 'https://x.test/' } },
    { examples: [{ $ref: 'https://x.test/' }] },
    { 'x-vendor': { $ref: 'https://x.test/' } },
  ])('are not seen in %j, where there is no schema', (schema) => {
    expect(measureSchema(schema).refPaths).toBe(0);
  });
});

describe('references inside of the document', () => {
  it.each([
    [{ properties: { s: { $ref: '#/$defs/Missing' } } }, '/properties/s/$ref'],
    [{ properties: { s: { $ref: '#missing' } }, $defs: {} }, '/properties/s/$ref'],
    [{ items: { $ref: '#/allOf/01' }, allOf: [true, true] }, '/items/$ref'],
    [{ items: { $ref: '#/toString' } }, '/items/$ref'],
    [{ items: { $ref: '#/%zz' } }, '/items/$ref'],
    [{ $dynamicRef: '#missing' }, '/$dynamicRef'],
  ])('[JSCH-10] are refused where they lead to nothing, in %j', (schema, pointer) => {
    expect(refusal(() => measureSchema(schema))).toMatchObject({ code: 'unresolved-ref', pointer });
  });

  it('are refused where they lead to something that is no schema', () => {
    expect(refusal(() => measureSchema({ type: 'string', items: { $ref: '#/type' } }))).toMatchObject({
      code: 'not-a-schema',
      pointer: '/type',
    });
  });

  it.each<[string, unknown]>([
    ['a pointer', { items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } }],
    ['an escaped pointer', { items: { $ref: '#/$defs/a~1b%25%20~0' }, $defs: { 'a/b% ~': { type: 'number' } } }],
    ['a pointer into a list', { prefixItems: [{ type: 'number' }], items: { $ref: '#/prefixItems/0' } }],
    ['a place under an unknown keyword', { items: { $ref: '#/x-types/n' }, 'x-types': { n: { type: 'number' } } }],
    ['an anchor', { items: { $ref: '#n' }, $defs: { n: { $anchor: 'n', type: 'number' } } }],
    [
      'an $id',
      { $id: 'https://x.test/a', items: { $ref: 'n' }, $defs: { n: { $id: 'https://x.test/n', type: 'number' } } },
    ],
    ['an $id without a base', { items: { $ref: 'n' }, $defs: { n: { $id: 'n', type: 'number' } } }],
    ['a URN', { $id: 'urn:uuid:1', items: { $ref: 'urn:uuid:1#/$defs/n' }, $defs: { n: { type: 'number' } } }],
    ['a dynamic anchor', { items: { $dynamicRef: '#n' }, $defs: { n: { $dynamicAnchor: 'n', type: 'number' } } }],
    ['definitions', { items: { $ref: '#/definitions/n' }, definitions: { n: { type: 'number' } } }],
    [
      'draft-07 anchors',
      { $schema: draft07, items: { $ref: '#n' }, definitions: { n: { $id: '#n', type: 'number' } } },
    ],
  ])('are followed by %s', (_, schema) => {
    expect(accepts(schema, [1])).toBe(true);
    expect(accepts(schema, ['a'])).toBe(false);
  });

  it('are followed to boolean schemas', () => {
    expect(accepts({ properties: { a: { $ref: '#/$defs/no' } }, $defs: { no: false } }, { a: 1 })).toBe(false);
    expect(accepts({ properties: { a: { $ref: '#/$defs/no' } }, $defs: { no: false } }, {})).toBe(true);
    const escaped = { $defs: { 'a/b': true, 'a~1b': false, a: { b: true } }, $ref: '#/$defs/a~01b' };
    expect(accepts(escaped, 1)).toBe(false);
    expect(accepts({ ...escaped, $ref: '#/$defs/a~1b' }, 1)).toBe(true);
  });

  it('hold beside other keywords in 2020-12 and silence them in draft-07', () => {
    const schema = { $ref: '#/definitions/text', maxLength: 1, definitions: { text: { type: 'string' } } };
    expect(accepts(schema, 'ab')).toBe(false);
    expect(accepts({ $schema: draft07, ...schema }, 'ab')).toBe(true);
    expect(accepts({ $schema: draft07, ...schema }, 1)).toBe(false);
  });

  it('mean the outermost dynamic anchor on the way to them', () => {
    const tree = {
      $id: 'tree',
      $dynamicAnchor: 'node',
      type: 'object',
      properties: { data: true, children: { type: 'array', items: { $dynamicRef: '#node' } } },
    };
    const strict = {
      $id: 'strict',
      $dynamicAnchor: 'node',
      $ref: 'tree',
      unevaluatedProperties: false,
      $defs: { tree },
    };
    expect(accepts(strict, { children: [{ data: 1, children: [] }] })).toBe(true);
    expect(accepts(strict, { children: [{ daat: 1 }] })).toBe(false);
    expect(accepts({ $ref: 'tree', $defs: { tree } }, { children: [{ daat: 1 }] })).toBe(true);
  });

  it.each([
    { allOf: [{ $anchor: 'a' }, { $anchor: 'a' }] },
    { allOf: [{ $id: 'https://x.test/a' }, { $id: 'https://x.test/a' }] },
  ])('are refused where a name is given twice, in %j', (schema) => {
    expect(refusal(() => measureSchema(schema)).code).toBe('invalid');
  });
});
