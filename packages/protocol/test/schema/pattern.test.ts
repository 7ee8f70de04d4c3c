/* oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSchemaCompiler } from '../../src/schema/index.ts';
import { compileLinearPattern, createPatternFamily } from '../../src/schema/pattern/linear-pattern.ts';

const compiler = createSchemaCompiler();
const accepts = (schema: unknown, value: unknown): boolean => compiler.compile(schema).validate(value) === undefined;
const linear = (source: string): ReturnType<typeof compileLinearPattern> =>
  compileLinearPattern(source, createPatternFamily());

/** The pattern in an alternative, which keeps the native engine out: what RE2 says of it. */
const throughRe2 = (source: string): ReturnType<typeof compileLinearPattern> => linear(`(?:${source})|(?:[]){2}`);

const texts = [
  '',
  'a',
  'A',
  'b',
  'ab',
  'aab',
  'aaab',
  'foo',
  'x foo y',
  'foobarbaz',
  'é',
  'éfoo',
  'α',
  'Ω',
  '😀',
  '𝌆',
  '\ud83d',
  '\ude00',
  '\n',
  '\r',
  '\t ',
  ' \n',
  'a\nb',
  'a\n',
  'b\na',
  '\u2028',
  '\u00a0',
  '\ufeff',
  '\u180e',
  '/',
  'a/b',
  '\b',
  '\0',
  '_.-',
  '-',
  ']',
  '${abc}',
  '{a}',
  '.*+?^()[]|\\',
  'AB-12',
  '12',
  '-5',
  '1.5e10',
  '2024-01-31',
  'z'.repeat(64),
  'z'.repeat(65),
];

describe('a pattern', () => {
  it.each([
    '',
    '^',
    '$',
    '^$',
    'a',
    '^a$',
    'a.b',
    '.',
    '^.$',
    '^[a-z0-9_-]{1,64}$',
    '^(a+)+$',
    '\\d+\\.\\d*',
    '^\\s*$',
    '^\\S+$',
    '\\W',
    '^\\w+$',
    '[\\s\\S]*x$',
    '^[^]$',
    '^[]$',
    '[^\\S\\n]',
    '\\bfoo\\b',
    '\\Bo',
    '[\\b]',
    '\\u0041',
    '\\x41',
    '\\u{1F600}',
    '\\ud83d\\ude00',
    '^\\ud83d$',
    '[\\ud800-\\udfff]',
    '^[\\u{1d300}-\\u{1d3ff}]$',
    '\\cJ',
    '\\0',
    '\\t',
    '\\n|\\r',
    '\\/',
    '\\.\\*\\+',
    '^\\p{L}+$',
    '\\p{Lu}',
    '^\\p{Letter}+$',
    '^\\P{Lu}$',
    '^\\p{Script=Greek}+$',
    '\\p{sc=Greek}',
    '\\p{gc=Nd}',
    '[\\p{L}\\d]',
    '\\p{ASCII}',
    '\\P{ASCII}',
    '^(?<year>\\d{4})-(?:\\d{2})-',
    '^(|a)b',
    'a{2,3}?b',
    'a*?b',
    '^a{2}$',
    'a{2,}',
    '(foo|bar)*baz',
    '^(?:[A-Z]{2}-)?\\d+$',
    '^-?\\d+$',
    '^[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?$',
    '^a{0,3}b?',
    '[\\]-]',
    '[^a-z]',
    '[a\\-z]',
    '^\\$\\{[a-z]+\\}$',
    '(?:a|b|)+$',
    '^(?:^a|b)$',
    '\\v|\\f',
  ])('means what the native engine makes of it: %j', (source) => {
    const native = new RegExp(source, 'u');
    const expected = texts.map((text) => native.test(text));
    expect(texts.map((text) => linear(source)?.test(text))).toEqual(expected);
    expect(texts.map((text) => throughRe2(source)?.test(text))).toEqual(expected);
  });

  it.each([
    ['^[\\w-.]+$', 'a-.', 'a+'],
    ['\\-\\_\\@', '-_@', '-'],
    ['^a{$', 'a{', 'a'],
    ['^{a}$', '{a}', 'a'],
    ['x{,3}', 'x{,3}', 'xxx'],
    ['^]$', ']', '['],
  ])('may be written as older engines read it: %j', (source, good, bad) => {
    expect(linear(source)?.test(good)).toBe(true);
    expect(linear(source)?.test(bad)).toBe(false);
  });

  it.each([
    '(?=a)b',
    '(?!a)',
    '(?<=a)b',
    '(?<!a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    '(?i)a',
    '(?i:a)',
    '(?P<n>a)',
    '(?>a)',
    '(',
    ')',
    '[',
    'a)',
    '*a',
    '+',
    'a**',
    'a{2}{3}',
    '{2}',
    '^*',
    '\\b+',
    '\\A',
    '\\Z',
    '\\h',
    '\\',
    '[z-a]',
    'a{3,2}',
    '\\p{Nope}',
    '\\pL',
    '\\u{110000}',
    '(?:a{100}){100}',
    '(?:ab){1,1500}',
    '((a{999999}){999999}){999999}',
    '(((){999999}){999999}){999999}',
    '(?:(?:a{0}){5000}){5000}',
    '((a{0,999999}){0,999999}){0,999999}',
    '('.repeat(60) + ')'.repeat(60),
    'a'.repeat(5_000),
    '('.repeat(4_000),
  ])('that cannot be held is told and passes: %j', (pattern) => {
    const compiled = compiler.compile({ properties: { a: { pattern, minLength: 2 } } });
    expect(compiled.uncheckedPatterns).toEqual([pattern]);
    expect(compiled.validate({ a: 'zz' })).toBeUndefined();
    expect(compiled.validate({ a: 'z' })?.rule).toBe('minLength');
  });

  it.each(['^(a+)+$', '^(\\w+\\s?)*$', '(x+x+)+y', '(a|aa)+$', '^(?:a?){30}a{30}$', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '[schema-08] answers for a text that makes backtracking endless: %j',
    (pattern) => {
      const compiled = compiler.compile({ type: 'object', properties: { k: { type: 'string', pattern } } });
      expect(compiled.uncheckedPatterns).toEqual([]);
      for (const text of [
        `${'a'.repeat(34)}!`,
        `${'a'.repeat(28)}b`,
        `${'a'.repeat(50_000)}!`,
        `${'x'.repeat(50_000)}!`,
      ]) {
        compiled.validate({ k: text });
      }
      expect(compiled.validate({ k: '!' })?.rule).toBe('pattern');
    },
  );

  it('keeps its answers when its engine is made anew', () => {
    const pattern = linear('^(?:[ab]*a[ab]{12}c)+$');
    const text = 'ab'.repeat(2_000);
    for (let i = 0; i < 400; i += 1) expect(pattern?.test(text)).toBe(false);
    expect(pattern?.test(`a${'b'.repeat(12)}c`)).toBe(true);
  });

  it('is compared over many random patterns with the native engine', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\d',
      '\\w',
      '\\s',
      '[ab]',
      '[^a]',
      '\\b',
      '^',
      '$',
      'é',
      '😀',
      '[\\s\\S]',
      '\\S',
    );
    const { pattern } = fc.letrec<{ pattern: string; piece: string; group: string }>((tie) => ({
      pattern: fc.array(tie('piece'), { maxLength: 4 }).map((pieces) => pieces.join('')),
      piece: fc.oneof({ maxDepth: 3 }, atom, tie('group')),
      group: fc
        .tuple(
          fc.array(tie('pattern'), { minLength: 1, maxLength: 3 }),
          fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '{0,7}?'),
        )
        .map(([alternatives, repeat]) => `(${alternatives.join('|')})${repeat}`),
    }));
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '\n', 'é', '😀'), maxLength: 8 });
    fc.assert(
      fc.property(pattern, fc.array(text, { minLength: 3, maxLength: 3 }), (source, samples) => {
        // A search that is spelled out, since V8 passes over some matches of /[\s\S]a$/u after a character beyond the
        // first plane.
        const native = new RegExp(`^[^]*?(?:${source})`, 'u');
        const compiled = linear(source);
        for (const sample of samples) expect(compiled?.test(sample) ?? native.test(sample)).toBe(native.test(sample));
      }),
      { numRuns: 500 },
    );
  });

  it('finds what the native engine passes over', () => {
    expect(linear('[\\s\\S]a$')?.test('😀a')).toBe(true);
  });
});

describe('a pattern that is not checked', () => {
  const unchecked = '(?=x)y';

  it.each<[string, object, unknown]>([
    ['not', { not: { pattern: unchecked } }, 'a'],
    [
      'not, through a reference',
      { not: { $ref: '#/$defs/p' }, $defs: { p: { allOf: [{ pattern: unchecked }] } } },
      'a',
    ],
    ['oneOf', { oneOf: [{ pattern: unchecked }, { type: 'string' }] }, 'a'],
    ['if', { if: { pattern: unchecked }, then: false }, 'a'],
    ['if and else', { if: { pattern: unchecked }, then: { type: 'string' }, else: { type: 'number' } }, 'a'],
    ['contains with a maximum', { contains: { pattern: unchecked }, maxContains: 1 }, ['a', 'b']],
    ['patternProperties', { patternProperties: { [unchecked]: false } }, { a: 1 }],
    [
      'additionalProperties beside it',
      { patternProperties: { [unchecked]: true }, additionalProperties: false },
      { a: 1 },
    ],
    [
      'unevaluatedProperties beside it',
      { patternProperties: { [unchecked]: true }, unevaluatedProperties: false },
      { a: 1 },
    ],
    ['propertyNames', { propertyNames: { pattern: unchecked } }, { a: 1 }],
  ])('never refuses a value by way of %s', (_, schema, value) => {
    expect(compiler.compile(schema).uncheckedPatterns).toEqual([unchecked]);
    expect(accepts(schema, value)).toBe(true);
  });

  it('leaves the other rules in force', () => {
    expect(accepts({ if: { pattern: unchecked }, then: { type: 'string' }, else: { type: 'null' } }, 5)).toBe(false);
    expect(accepts({ oneOf: [{ pattern: unchecked, type: 'string' }, { type: 'null' }] }, 5)).toBe(false);
    expect(accepts({ contains: { pattern: unchecked, type: 'string' }, maxContains: 1 }, [5])).toBe(false);
  });

  it('is told of patterns past the 256th', () => {
    const patternProperties = Object.fromEntries(
      Array.from({ length: 300 }, (_, i) => [`^p${i}$`, { type: 'string' }]),
    );
    const compiled = compiler.compile({ patternProperties });
    expect(compiled.uncheckedPatterns).toHaveLength(44);
    expect(compiled.validate({ p0: 1 })?.rule).toBe('type');
    expect(compiled.validate({ p299: 1 })).toBeUndefined();
  });

  it('does not count in a draft-07 schema beside $ref, where it means nothing', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    const schema = { $schema, $ref: '#/definitions/a', pattern: unchecked, definitions: { a: { type: 'string' } } };
    expect(compiler.compile(schema).uncheckedPatterns).toEqual([]);
  });
});

describe('two patterns of one schema', () => {
  it('are told apart, in pattern and in patternProperties', () => {
    const schema = {
      properties: { a: { pattern: '^(a|b)+$' }, c: { pattern: '^(c|d)+$' } },
      patternProperties: { '^(e|f)+$': { type: 'number' } },
    };
    expect(accepts(schema, { a: 'ab', c: 'cd', ef: 1 })).toBe(true);
    for (const value of [{ a: 'cd' }, { c: 'ab' }, { ef: 'a' }]) expect(accepts(schema, value)).toBe(false);
  });
});
