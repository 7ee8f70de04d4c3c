import { describe, expect, it } from 'vitest';
import { createSchemaCompiler } from '../../src/schema/index.ts';

const compiler = createSchemaCompiler();
const filling = createSchemaCompiler({ fillDefaults: true });

const nest = (times: number, inside: unknown, wrap: (inner: unknown) => unknown): unknown => {
  let value = inside;
  for (let i = 0; i < times; i += 1) value = wrap(value);
  return value;
};

/** A value that would take longer than a test may run, were there no bound, and is refused for that. */
function expectLimit(schema: unknown, value: unknown, by = compiler): void {
  const problem = by.compile(schema).validate(value);
  expect(problem).toMatchObject({ path: '', rule: 'limit' });
  expect(problem?.message).toContain('smaller or less deeply nested');
}

describe('[JSCH-11] the work of one validation is bounded', () => {
  it('where each level of the value is checked twice', () => {
    const schema = {
      $ref: '#/$defs/n',
      $defs: {
        n: {
          anyOf: [
            { required: ['n', 'z'], properties: { n: { $ref: '#/$defs/n' } } },
            { required: ['n'], properties: { n: { $ref: '#/$defs/n' } } },
          ],
        },
      },
    };
    expectLimit(
      schema,
      nest(60, {}, (n) => ({ n, z: 1 })),
    );
  });

  it('where alternatives leave errors behind in every level', () => {
    const schema = {
      $ref: '#/$defs/n',
      $defs: { n: { oneOf: Array.from({ length: 20 }, () => ({ items: { $ref: '#/$defs/n' }, type: 'array' })) } },
    };
    expectLimit(
      schema,
      nest(30, 1, (n) => [n, n]),
    );
  });

  it('where the same long text is measured many times', () => {
    expectLimit({ allOf: Array.from({ length: 1_900 }, (_, i) => ({ maxLength: 1e9 + i })) }, 'a'.repeat(1_000_000));
  });

  it('where the same long list is compared many times', () => {
    expectLimit(
      { allOf: Array.from({ length: 1_900 }, () => ({ uniqueItems: true })) },
      Array.from({ length: 50_000 }, (_, i) => i),
    );
  });

  it('where the same members are counted many times', () => {
    const members = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`m${i}`, 1]));
    expectLimit({ allOf: Array.from({ length: 1_900 }, (_, i) => ({ minProperties: i % 3 })) }, members);
  });

  it('where many patterns look at many members', () => {
    const members = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`m${'x'.repeat(40)}${i}`, 1]));
    const patterns = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`(?:x+x+)+y${i}`, {}]));
    expectLimit({ patternProperties: patterns, additionalProperties: { type: 'number' } }, members);
  });

  it('where a pattern has very many states', () => {
    let seed = 1;
    const bits = Array.from({ length: 200_000 }, () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return (seed >> 16) % 2 === 0 ? 'a' : 'b';
    });
    expectLimit({ pattern: '[ab]*a[ab]{300}[cd]' }, bits.join(''));
  });

  it('where no item of a long list is the one that is looked for', () => {
    const schema = { contains: { $ref: '#/$defs/x' }, $defs: { x: { type: 'object', required: ['a'] } } };
    expect(compiler.compile(schema).validate(Array.from({ length: 100_000 }, () => 1))?.rule).toBe('contains');
  });

  it('where defaults are filled into the items of defaults', () => {
    const items = Array.from({ length: 300 }, () => ({}));
    const schema = nest(3, { properties: { n: { default: 1 } } }, (inner) => ({
      properties: { n: { default: items, items: inner } },
    }));
    expectLimit(schema, {}, filling);
  });

  it('where a large default is filled into many items', () => {
    const schema = { items: { properties: { n: { default: 'a'.repeat(200_000) } } } };
    expectLimit(
      schema,
      Array.from({ length: 100 }, () => ({})),
      filling,
    );
  });

  it('where the same long list or object is looked through many times for something to fill', () => {
    const inner = { properties: { n: { default: 1 } } };
    const list = Array.from({ length: 100_000 }, () => 0);
    expectLimit({ allOf: Array.from({ length: 600 }, () => ({ items: inner })) }, list, filling);
    const members = Object.fromEntries(list.map((value, index) => [`m${index}`, value]));
    expectLimit({ allOf: Array.from({ length: 600 }, () => ({ additionalProperties: inner })) }, members, filling);
  });

  it('by a limit that a caller can set', () => {
    const schema = { items: { type: 'number' } };
    const value = Array.from({ length: 1_000 }, () => 1);
    expect(compiler.compile(schema).validate(value)).toBeUndefined();
    expect(
      createSchemaCompiler({ limits: { maxSteps: 500 } })
        .compile(schema)
        .validate(value)?.rule,
    ).toBe('limit');
  });

  it('anew for each value', () => {
    const compiled = createSchemaCompiler({ limits: { maxSteps: 3_000 } }).compile({ items: { type: 'number' } });
    for (let i = 0; i < 50; i += 1) expect(compiled.validate(Array.from({ length: 500 }, () => 1))).toBeUndefined();
  });
});

describe('a value that is nested without end', () => {
  const deep = nest(200_000, {}, (n) => ({ n }));

  it.each<[string, unknown]>([
    ['a recursive schema', { properties: { n: { $ref: '#' } } }],
    ['const', { const: { n: { n: {} } } }],
    ['enum', { enum: [{}, { n: {} }] }],
  ])('is refused by %s instead of overflowing the stack', (_, schema) => {
    expect(compiler.compile(schema).validate(deep)?.rule).toBeDefined();
  });

  it('is refused by uniqueItems instead of overflowing the stack', () => {
    expectLimit({ uniqueItems: true }, [deep, 1]);
  });

  it('is left alone by a schema that does not look into it', () => {
    expect(compiler.compile({ type: 'object' }).validate(deep)).toBeUndefined();
  });

  it('is refused while defaults are filled in', () => {
    const schema = { properties: { n: { $ref: '#' }, a: { default: 1 } } };
    expect(filling.compile(schema).validate(nest(200_000, {}, (n) => ({ n })))?.rule).toBe('limit');
  });
});
