/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SchemaError, createSchemaCompiler, measureSchema } from '../../src/schema/index.ts';

const budget = { interruptAfterTimeLimit: 3_000, markInterruptAsFailure: false };

const names = ['a', 'b', 'toString', '__proto__'];
const pointers = ['#', '#/$defs/x', '#/$defs/y', '#/properties/a', 'other.json', '#nowhere'];

/** Any JSON value, with members that are called like methods and strings that patterns and formats care about. */
const anyJson = fc.jsonValue({ maxDepth: 4 });

/** Schemas out of every keyword, sound and unsound. */
const { schema: anySchema } = fc.letrec<{ schema: unknown; object: unknown }>((tie) => {
  const sub = tie('schema');
  const list = fc.array(sub, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(fc.constantFrom(...names), sub, { maxKeys: 3 });
  const count = fc.integer({ min: 0, max: 4 });
  return {
    schema: fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.boolean(), tie('object')),
    object: fc.record(
      {
        type: fc.constantFrom<unknown>(
          'string',
          'number',
          'integer',
          'object',
          'array',
          'null',
          ['string', 'null'],
          'any',
        ),
        properties: map,
        patternProperties: fc.dictionary(fc.constantFrom('^a', '(?=a)', '(a|b)+$', '__proto__', '['), sub, {
          maxKeys: 2,
        }),
        additionalProperties: sub,
        propertyNames: sub,
        required: fc.subarray(names),
        dependentSchemas: map,
        dependentRequired: fc.dictionary(fc.constantFrom(...names), fc.subarray(names), { maxKeys: 2 }),
        dependencies: fc.dictionary(fc.constantFrom(...names), fc.oneof(sub, fc.subarray(names)), { maxKeys: 2 }),
        items: fc.oneof(sub, list),
        prefixItems: list,
        additionalItems: sub,
        contains: sub,
        minContains: count,
        maxContains: count,
        unevaluatedItems: sub,
        unevaluatedProperties: sub,
        allOf: list,
        anyOf: list,
        oneOf: list,
        not: sub,
        if: sub,
        then: sub,
        else: sub,
        const: anyJson,
        enum: fc.array(anyJson, { maxLength: 3 }),
        minimum: fc.double({ noNaN: true }),
        multipleOf: fc.double({ min: 0, max: 10, noNaN: true }),
        minLength: count,
        maxLength: count,
        minItems: count,
        maxProperties: count,
        uniqueItems: fc.boolean(),
        pattern: fc.oneof(fc.constantFrom('^a', '(a+)+$', '(?!a)', '\\p{L}', '['), fc.string({ maxLength: 6 })),
        format: fc.constantFrom('date', 'email', 'uri', 'regex', 'nope'),
        default: anyJson,
        $ref: fc.constantFrom(...pointers),
        $dynamicRef: fc.constantFrom('#', '#n'),
        $dynamicAnchor: fc.constantFrom('n'),
        $anchor: fc.constantFrom('m', '1'),
        $id: fc.constantFrom('https://x.test/a', 'b', '#c', 'http://['),
        $defs: fc.record({ x: sub, y: sub }, { requiredKeys: [] }),
        $schema: fc.constantFrom('http://json-schema.org/draft-07/schema#', 'nope'),
      },
      { requiredKeys: [] },
    ),
  };
});

const errorOf = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('for anything at all', () => {
  it('measureSchema throws nothing but SchemaError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withBigInt: true, withDate: true, withMap: true }), anySchema), (value) => {
        const error = errorOf(() => measureSchema(value));
        if (error !== undefined) expect(error).toBeInstanceOf(SchemaError);
      }),
      { numRuns: 1_500, ...budget },
    );
  });

  it('measureSchema counts the bytes of the JSON text', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' }), (value) => {
        const schema = { const: value };
        expect(measureSchema(schema).bytes).toBe(Buffer.byteLength(JSON.stringify(schema)));
      }),
      { numRuns: 500, ...budget },
    );
  });

  it.each([false, true])(
    'a schema that was measured compiles and validates every value, fillDefaults %j',
    (fillDefaults) => {
      const compiler = createSchemaCompiler({ fillDefaults, limits: { maxSteps: 200_000 } });
      let compiledSchemas = 0;
      fc.assert(
        fc.property(anySchema, fc.array(anyJson, { minLength: 4, maxLength: 4 }), (schema, values) => {
          if (errorOf(() => compiler.compile(schema)) !== undefined) return;
          const compiled = compiler.compile(schema);
          compiled.prepare();
          compiledSchemas += 1;
          for (const value of values) {
            const problem = compiled.validate(value);
            expect(problem === undefined || problem.message.length <= 500).toBe(true);
          }
        }),
        { numRuns: 1_500, ...budget },
      );
      expect(compiledSchemas).toBeGreaterThan(20);
    },
  );

  it('a schema says the same of a value each time, whatever came between', () => {
    fc.assert(
      fc.property(anySchema, fc.array(anyJson, { minLength: 3, maxLength: 3 }), (schema, values) => {
        const compiler = createSchemaCompiler();
        if (errorOf(() => compiler.compile(schema)) !== undefined) return;
        const compiled = compiler.compile(schema);
        const first = values.map((value) => compiled.validate(value));
        expect([...values].reverse().map((value) => compiled.validate(value))).toEqual(first.reverse());
      }),
      { numRuns: 300, ...budget },
    );
  });
});
