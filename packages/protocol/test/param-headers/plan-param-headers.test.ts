import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planParamHeaders } from '../../src/param-headers/plan-param-headers.ts';
import { annotated, objectOf, planOf } from './annotated.ts';

function problemOf(inputSchema: unknown): string {
  const plan = planParamHeaders(inputSchema);
  if (!('problem' in plan)) throw new Error('The plan has no problem.');
  return plan.problem;
}

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
