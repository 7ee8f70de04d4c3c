import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareTemplates, parseUriTemplate } from '../src/uri-template.ts';
import type { TemplateMatch } from '../src/uri-template/bind.ts';
import type { TemplateValues } from '../src/uri-template/expand.ts';
import { UriTemplateError } from '../src/uri-template/parts.ts';
import { rfc6570Examples } from './data/rfc6570-examples.ts';

const match = (template: string, uri: string): TemplateMatch | undefined => parseUriTemplate(template).match(uri);

function positionOf(template: string): number {
  try {
    parseUriTemplate(template);
  } catch (error) {
    if (error instanceof UriTemplateError) return error.position;
    throw error;
  }
  throw new Error('The template was parsed.');
}

describe('parseUriTemplate', () => {
  test('lists the variables once, in the order of their first use', () => {
    expect(parseUriTemplate('x://{b}{?a,c:3,b}{/d*}').variables).toEqual(['b', 'a', 'c', 'd']);
    expect(parseUriTemplate('x://none').variables).toEqual([]);
    expect(parseUriTemplate('').variables).toEqual([]);
  });

  test.each(['{a.b}', '{a_1}', '{1}', '{%C3%BC}', '{a,b}', '{+a*}', '{?a:9999}'])('[RES-07] accepts %j', (source) => {
    expect(parseUriTemplate(source).source).toBe(source);
  });

  test.each([
    ['x{/id*', 1],
    ['/id*}', 4],
    ['}', 0],
    ['a{b{c}', 2],
    ['{a}}', 3],
    ['{}', 1],
    ['{?}', 2],
    ['{a,}', 3],
    ['{,a}', 1],
    ['{a,,b}', 3],
    ['{=a}', 1],
    ['{,}', 1],
    ['{!a}', 1],
    ['{@a}', 1],
    ['{|a}', 1],
    ['{$a}', 1],
    ['{??a}', 2],
    ['{ a}', 1],
    ['{a }', 1],
    ['{a-b}', 1],
    ['{é}', 1],
    ['{a..b}', 1],
    ['{.a.}', 2],
    ['{%2x}', 1],
    ['x{a,b:}', 5],
    ['{a:0}', 2],
    ['{a:01}', 2],
    ['{a:10000}', 2],
    ['{a:x}', 2],
    ['{a:3*}', 2],
    ['{a*:3}', 1],
    ['{a:3:4}', 2],
    ['{a**}', 1],
    ['100%', 3],
    ['a%2', 1],
    ['a%zz{b}', 1],
    ['a\nb', 1],
    ['\ud800', 0],
  ])('[RES-07] refuses %j at position %i', (source, position) => {
    expect(positionOf(source)).toBe(position);
  });

  test('takes at most 8,192 characters and 64 expressions', () => {
    expect(parseUriTemplate('a'.repeat(8192)).specificity).toBe(8192);
    expect(positionOf('a'.repeat(8193))).toBe(8192);
    expect(parseUriTemplate('{a}'.repeat(64)).variables).toEqual(['a']);
    expect(positionOf('{a}'.repeat(65))).toBe(192);
  });

  test('throws nothing but its own error', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '+',
      '#',
      '.',
      '/',
      ';',
      '?',
      '&',
      ',',
      '*',
      ':',
      '3',
      'a',
      'b',
      '%41',
      '%',
      'é',
      '\ud800',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        try {
          parseUriTemplate(pieces.join('')).match(pieces.toReversed().join(''));
        } catch (error) {
          expect(error).toBeInstanceOf(UriTemplateError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('expand', () => {
  for (const { section, values, examples } of rfc6570Examples) {
    test.each(examples)(`writes the example of RFC 6570 section ${section}: %s`, (template, expansion) => {
      expect(parseUriTemplate(template).expand(values)).toBe(expansion);
    });
  }

  test.each<[string, TemplateValues, string]>([
    ['foo://e/{topic}', { topic: 'a/b c' }, 'foo://e/a%2Fb%20c'],
    ['foo://e{?topic,n}', { topic: 'x&y', n: 2 }, 'foo://e?topic=x%26y&n=2'],
    ['foo://e{?topic,n}', { n: 2 }, 'foo://e?n=2'],
    ['foo://{+path}/end', { path: 'a/b' }, 'foo://a/b/end'],
    ['foo://e/{ids*}', { ids: ['1', '2'] }, 'foo://e/1,2'],
    ['foo://e/{x}', { x: '100%' }, 'foo://e/100%25'],
    ['foo://e{/a,b}', { a: '1', b: 'ü' }, 'foo://e/1/%C3%BC'],
  ])('[resources-03] fills in %s with %j', (template, values, uri) => {
    expect(parseUriTemplate(template).expand(values)).toBe(uri);
  });

  test.each<[string, TemplateValues, string]>([
    ['{a}', { a: "!'()*" }, '%21%27%28%29%2A'],
    ['{+a}', { a: "!'()*[]" }, "!'()*[]"],
    ['{+a}', { a: '%2F%zz%' }, '%2F%25zz%25'],
    ['{a}', { a: '%2F' }, '%252F'],
    ['{a:1}', { a: '🛶x' }, '%F0%9F%9B%B6'],
    ['{+a:2}', { a: '%F0%9F%9B%B6xy' }, '%F0%9F%9B%B6x'],
    ['{+a:2}', { a: '%F0%9Fxy' }, '%F0%9F'],
    ['{#a:1}', { a: '%C3%BCx' }, '#%C3%BC'],
    ['café special/{a}%20', { a: 1 }, 'caf%C3%A9%20special/1%20'],
    ['{a}{b}', { a: true, b: 1.5 }, 'true1.5'],
    ['{?a}', { a: [] }, ''],
    ['{?a*}', { a: [null, undefined] }, ''],
    ['{?a*}', { a: ['x', null, ''] }, '?a=x&a='],
    ['{;a*}', { a: ['x', ''] }, ';a=x;a'],
    ['{;a*}', { a: { 'k&': '', l: 2, m: null } }, ';k%26;l=2'],
    ['{?a}', { a: [''] }, '?a='],
    ['{.a}', { a: '' }, '.'],
    ['{/a*}', { a: { k: 'v/', l: '' } }, '/k=v%2F/l='],
    ['{Stra%C3%9Fe}{?Stra%C3%9Fe}', { 'Stra%C3%9Fe': 'x' }, 'x?Stra%C3%9Fe=x'],
  ])('writes %s with %j', (template, values, expansion) => {
    expect(parseUriTemplate(template).expand(values)).toBe(expansion);
  });

  test('reads own members only', () => {
    expect(parseUriTemplate('x{constructor}{__proto__}').expand({})).toBe('x');
    expect(parseUriTemplate('{a}').expand(Object.create({ a: 'inherited' }))).toBe('');
  });

  test.each<[string, unknown]>([
    ['{a:3}', ['x']],
    ['{a:3}', { k: 'v' }],
    ['{a:3}', []],
    ['{a}', '\ud800'],
    ['{a}', { '\ud800': 'x' }],
    ['{a}', [['x']]],
    ['{a}', { k: {} }],
    ['{a}', Number.NaN],
    ['{a}', 1n],
    ['{a}', () => 'x'],
  ])('refuses a value that %s cannot expand', (template, value) => {
    const parsed = parseUriTemplate(`x://y/${template}`);
    expect(() => parsed.expand({ a: value } as TemplateValues)).toThrow(UriTemplateError);
    expect(() => parsed.expand({ a: value } as TemplateValues)).toThrow('position 6');
  });
});

describe('match', () => {
  test.each<[string, string, TemplateMatch | undefined]>([
    ['depot://item/{id}', 'depot://item/7', { id: '7' }],
    ['depot://item/{id}', 'depot://item/%C2%A7%2014', { id: '§ 14' }],
    ['depot://item/{id}', 'depot://item/a%2Fb', { id: 'a/b' }],
    ['depot://item/{id}', 'depot://item/50%25', { id: '50%' }],
    ['depot://item/{id}', 'depot://item/50%2541', { id: '50%41' }],
    ['depot://item/{id}', "depot://item/a:b@c!$&'()*+,;=d", { id: "a:b@c!$&'()*+,;=d" }],
    ['depot://item/{id}', 'depot://item/é', { id: 'é' }],
    ['depot://item/{id}', 'depot://item/%ZZ', undefined],
    ['depot://item/{id}', 'depot://item/', undefined],
    ['depot://item/{id}', 'depot://item/a/b', undefined],
    ['depot://item/{id}', 'depot://item/a?b', undefined],
    ['depot://item/{id}', 'depot://item/a#b', undefined],
    ['depot://item/{id}', 'depot://item/a[b', undefined],
    ['depot://item/{id}', 'depot://item/a ', undefined],
    ['depot://item/{id}', 'Depot://item/a', undefined],
    ['depot://item/{id}', 'xdepot://item/a', undefined],
    ['orders://{tenant}/{order_id}', 'orders://acme/A-104', { tenant: 'acme', order_id: 'A-104' }],
    ['x://{a}-{b}', 'x://1-2-3', { a: '1', b: '2-3' }],
    ['x://{a}.json', 'x://a.json.json', { a: 'a.json' }],
    ['x://{a}aab', 'x://aaaaab', { a: 'aaa' }],
    ['x://y', 'x://y', {}],
    ['', '', {}],
    ['', 'x', undefined],
    ['{a}', 'x', { a: 'x' }],
  ])('inverts simple expansion: %s of %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each<[string, string, TemplateMatch | undefined]>([
    ['file:///{+path}', 'file:///a/b%20c/d%23e', { path: 'a/b c/d#e' }],
    ['file:///{+path}', 'file:///a?b#c[]', { path: 'a?b#c[]' }],
    ['file:///{+path}', 'file:///', undefined],
    ['{+path}/here', '/foo/bar/here', { path: '/foo/bar' }],
    ['x:{+a}/{b}', 'x:1/2/3', { a: '1/2', b: '3' }],
    ['x:{+a}{?q}', 'x:1/2?q=3', { a: '1/2', q: '3' }],
    ['x:{+a}{?q}', 'x:1/2', { a: '1/2' }],
    ['x:{+a}{#f}', 'x:1/2#3#4', { a: '1/2', f: '3#4' }],
    ['x{#f}', 'x', {}],
    ['x{#f}', 'x#', { f: '' }],
    ['x{#f}', 'x#a/b?c%20d', { f: 'a/b?c d' }],
    ['{+a,b,c}', '1,2/3,4,5', { a: '1', b: '2/3', c: '4,5' }],
  ])('inverts reserved and fragment expansion: %s of %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each<[string, string, TemplateMatch | undefined]>([
    ['X{.var}', 'X.value', { var: 'value' }],
    ['X{.var}', 'X.tar.gz', { var: 'tar.gz' }],
    ['X{.var}', 'X.', { var: '' }],
    ['X{.var}', 'X', {}],
    ['X{.a,b}', 'X.1.2.3', { a: '1', b: '2.3' }],
    ['X{.a*}', 'X.1.2.3', { a: ['1', '2', '3'] }],
    ['{name}{.type}', 'a.tar.gz', { name: 'a', type: 'tar.gz' }],
    ['{name}{.type}', 'a', { name: 'a' }],
    ['x:/{/a}', 'x://1', { a: '1' }],
    ['x:{/a,b}', 'x:/1/2', { a: '1', b: '2' }],
    ['x:{/a,b}', 'x:/1', { a: '1' }],
    ['x:{/a,b}', 'x:/1/', { a: '1', b: '' }],
    ['x:{/a,b}', 'x:', {}],
    ['x:{/a,b}', 'x:/1/2/3', undefined],
    ['x:{/a}/here', 'x:/here', {}],
    ['x:{/a}/here', 'x:/there/here', { a: 'there' }],
    ['x:{/a}{/b}', 'x:/1/2', { a: '1', b: '2' }],
    ['x:{/a*}', 'x:/1/2//3', { a: ['1', '2', '', '3'] }],
    ['x:{/a*,b}', 'x:/1/2/3', { a: ['1', '2'], b: '3' }],
    ['x:{/a*,b}', 'x:/1', { a: ['1'] }],
    ['x:{/a,b*,c,d}', 'x:/1/2/3/4/5', { a: '1', b: ['2', '3'], c: '4', d: '5' }],
    ['x:{/a*,b*}', 'x:/1/2/3', { a: ['1', '2'], b: ['3'] }],
    ['x:{ids*}', 'x:1,2,%2C', { ids: ['1', '2', ','] }],
    ['x:{ids*}', 'x:1', { ids: ['1'] }],
    ['x:{a,b}', 'x:1,2', { a: '1', b: '2' }],
    ['x:{a,b}', 'x:,2', { a: '', b: '2' }],
    ['x:{a,b}', 'x:1', { a: '1' }],
    ['x:{list}', 'x:1,2', { list: '1,2' }],
  ])('inverts labels, path segments and lists: %s of %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each<[string, string, TemplateMatch | undefined]>([
    ['log://entries{?from,limit}', 'log://entries', {}],
    ['log://entries{?from,limit}', 'log://entries?limit=5', { limit: '5' }],
    ['log://entries{?from,limit}', 'log://entries?limit=5&from=a%26b', { limit: '5', from: 'a&b' }],
    ['log://entries{?from,limit}', 'log://entries?other=1', undefined],
    ['log://entries{?from,limit}', 'log://entries?limit=5&other=1', undefined],
    ['log://entries{?from,limit}', 'log://entriesX', undefined],
    ['log://entries{?from,limit}', 'log://entries?', undefined],
    ['log://entries{?from,limit}', 'log://entries?limit=1&limit=2', undefined],
    ['log://entries{?from,limit}', 'log://entries?limit=1&&from=2', undefined],
    ['log://entries{?from,limit}', 'log://entries&limit=1', undefined],
    ['log://entries{?from,limit}', 'log://entries?limit=1#x', undefined],
    ['x{?a}', 'x?a=', { a: '' }],
    ['x{?a}', 'x?a', { a: '' }],
    ['x{?a}', 'x?a=b=c?d/e+f', { a: 'b=c?d/e+f' }],
    ['x{?a}', 'x?%61=1', { a: '1' }],
    ['x{?Stra%C3%9Fe}', 'x?Straße=1', { 'Stra%C3%9Fe': '1' }],
    ['x{?a*}', 'x?a=1&a=2', { a: ['1', '2'] }],
    ['x{?a*,b}', 'x?a=1&b=3&a=2', { a: ['1', '2'], b: '3' }],
    ['x{?a}{&b}', 'x?b=2&a=1', { a: '1', b: '2' }],
    ['x{?a}{&b}', 'x?a=1', { a: '1' }],
    ['x?fixed=yes{&a}', 'x?fixed=yes&a=1', { a: '1' }],
    ['x?fixed=yes{&a,b}', 'x?fixed=yes&b=2&a=1', { a: '1', b: '2' }],
    ['x?fixed=yes{&a}', 'x?fixed=yes', {}],
    ['x?fixed=yes{&a}&z=1', 'x?fixed=yes&a=1&z=1', { a: '1' }],
    ['x{?a}{#f}', 'x?a=1#2', { a: '1', f: '2' }],
    ['x{;a,b}', 'x;b=2;a=1', { a: '1', b: '2' }],
    ['x{;a}', 'x;a', { a: '' }],
    ['x{;a}', 'x;a=', { a: '' }],
    ['x{;a}', 'x;aa=1', undefined],
    ['x{;a}', 'x;', undefined],
    ['x{;a*}', 'x;a=1;a=2', { a: ['1', '2'] }],
    ['x{;a}/{b}', 'x;a=1/2', { a: '1', b: '2' }],
    ['x{;a}{?b}', 'x;a=1?b=2', { a: '1', b: '2' }],
    ['x{;a}{;b}', 'x;b=2;a=1', { a: '1', b: '2' }],
    ['x{;a}@y', 'x;a=1@y', { a: '1' }],
    ['x{;a}@y', 'x;a@y', undefined],
    ['x{;a*}.y', 'x;a=1;a=2.y', { a: ['1', '2'] }],
    ['x{;a}{+b}', 'x;a=1;a=2', { a: '1', b: ';a=2' }],
  ])('inverts named expansion: %s of %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each<[string, string, TemplateMatch | undefined]>([
    ['{var:3}', 'val', { var: 'val' }],
    ['{var:3}', 'va', { var: 'va' }],
    ['{var:3}', 'valu', undefined],
    ['{var:1}', '%F0%9F%9B%B6', { var: '🛶' }],
    ['{/var:1,var}', '/v/value', { var: 'value' }],
    ['{/var:1,var}', '/x/value', undefined],
    ['{/var:9,var}', '/val/value', undefined],
    ['{a}-{b:1}', 'x-y-z', { a: 'x-y', b: 'z' }],
    ['x{?a:2}', 'x?a=123', undefined],
    ['{who}/{who}', 'fred/fred', { who: 'fred' }],
    ['{who}/{who}', 'fred/jane', undefined],
    ['{.who,who}', '.fred.fred', { who: 'fred' }],
    ['{a}{?a*}', 'x,y?a=x&a=y', { a: ['x', 'y'] }],
    ['{a}{?a*}', 'x?a=x&a=y', undefined],
    ['{a:1}{/a:3}', 'v/val', { a: 'val' }],
    ['{a}/{a:2}', '%F0%9F%98%80b%F0%9F%98%81/%F0%9F%98%80b', { a: '😀b😁' }],
    ['{a}/{a:2}', '%F0%9F%98%80b%F0%9F%98%81/%F0%9F%98%80', undefined],
    ['{a:2}', '%F0%9F%98%80%F0%9F%98%81', { a: '😀😁' }],
    ['{a:2}', '%F0%9F%98%80%F0%9F%98%81c', undefined],
    ['{a*}/{a:3}', 'x,y,z/x,y', { a: ['x', 'y', 'z'] }],
  ])('checks prefixes and repeated variables: %s of %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each<[string, string, TemplateMatch | undefined]>([
    ['menu://café special/{dish}', 'menu://caf%C3%A9%20special/soup', { dish: 'soup' }],
    ['menu://café special/{dish}', 'menu://café%20special/soup', { dish: 'soup' }],
    ['menu://café special/{dish}', 'menu://café special/soup', undefined],
    ['x://a%20b/{c}', 'x://a%20b/1', { c: '1' }],
    ['x://a%2Fb/{c}', 'x://a%2fb/1', { c: '1' }],
    ['x://a%2Fb/{c}', 'x://a/b/1', undefined],
    ['x://a/{c}', 'x://%61/1', { c: '1' }],
    ['x://a/{c}', 'x://a%2F1', undefined],
    ['x://%7Ea/{c}', 'x://~a/1', { c: '1' }],
    ['x://%FF/{c}', 'x://%FF/1', undefined],
  ])('compares literals as URIs do: %s of %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });

  test.each([
    '%',
    '%4',
    '%zz',
    '%FF',
    '%C3',
    '%C3%28',
    '%C3x',
    '%C0%AF',
    '%E0%80%80',
    '%ED%A0%80',
    '%F4%90%80%80',
    '%F8%88%80%80%80',
    '%80',
  ])('[RES-15] matches no URI with the broken escape %s', (escape) => {
    for (const template of ['x:{a}', 'x:{+a}', 'x:{?a}', 'x:{/a*}'])
      expect(match(template, `x:${escape}`)).toBeUndefined();
    expect(match('x:{?a}', `x:?a=${escape}`)).toBeUndefined();
    expect(match('x:{+a}', `x:ok${escape}ok`)).toBeUndefined();
  });

  test.each([' ', '"', '<', '>', '\\', '^', '`', '{', '|', '}', '\0', '\n', '\u007f', '\u0085', '\ud800', '\udc00'])(
    '[RES-15] matches no URI that holds %j unescaped',
    (character) => {
      expect(match('x:{+a}', `x:a${character}b`)).toBeUndefined();
      expect(match('x:{a}', `x:a${character}b`)).toBeUndefined();
    },
  );

  test('gives values without a prototype, so that no name is taken', () => {
    const values = match('x:{__proto__}/{constructor}', 'x:1/2');
    expect(Object.entries(values ?? {})).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ]);
    expect(match('x:{constructor}{toString}', 'x:12')).toBeDefined();
  });

  test('looks at URIs of at most 65,536 characters, or as many as it is told', () => {
    const template = parseUriTemplate('x:{a}');
    expect(template.match(`x:${'a'.repeat(65_534)}`)?.['a']).toHaveLength(65_534);
    expect(template.match(`x:${'a'.repeat(65_535)}`)).toBeUndefined();
    const short = parseUriTemplate('x:{a}', { maxUriLength: 4 });
    expect(short.match('x:12')).toEqual({ a: '12' });
    expect(short.match('x:123')).toBeUndefined();
  });

  test.each<[string, string]>([
    ['x://u{/ids*}', `x://u/${'a,'.repeat(30_000)}a/#!`],
    ['x://{a}{b}{c}{d}{e}{f}{g}{h}', `x://${'a'.repeat(65_000)}/`],
    [`x:${'{+a}'.repeat(40)}!`, `x:${'a'.repeat(65_000)}`],
    [`x:{+a}${'a'.repeat(4000)}{+b}c`, `x:${'a'.repeat(65_000)}`],
    ['x:{+a}{?b*}c', `x:${'?b=1'.repeat(16_000)}`],
    ['x:{a}{?b*}', `x:a?${'b&'.repeat(32_000)}!`],
    ['x:{+a}{?b}{&c}!', `x:a?${'c=?&b=?'.repeat(9000)}`],
    ['x:{+a}{;b*}{+c}!', `x:${';b'.repeat(32_000)}`],
    ['x:{+a}{;b}{+c}!', `x:${';b'.repeat(32_000)}`],
    ['x:{a,b,c}{d,e,f}!!', `x:${','.repeat(65_000)}`],
    ['x:{/a,b}{/c,d}{/e,f}!', `x:${'/'.repeat(65_000)}`],
    ['x:{.a*}{.b*}{.c*}/', `x:${'.'.repeat(65_000)}`],
    ['x:{a:9999}{b:9999}{c:9999}/', `x:${'%61'.repeat(21_000)}`],
    ['x:{#a,b,c}/', `x:${'#'.repeat(65_000)}!`],
  ])('answers hostile input to %s without backtracking', (template, uri) => {
    expect(match(template, uri) === undefined).toBe(true);
  });

  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 });

  test('inverts expand for simple templates and any values', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), (list) => {
        const names = list.map((_, index) => `v${index}`);
        const values = Object.fromEntries(list.map((value, index) => [`v${index}`, value]));
        const template = parseUriTemplate(`orders://${names.map((name) => `{${name}}`).join('/')}`);
        expect(template.match(template.expand(values))).toEqual(values);
      }),
    );
  });

  test('inverts expand for path, fragment, parameters and query, with absent values and lists', () => {
    const list = fc.array(text, { minLength: 1, maxLength: 4 });
    const values = fc.record(
      {
        a: text,
        b: fc.string({ unit: 'binary' }),
        p: fc.string({ unit: 'binary' }),
        q: text,
        list,
        more: list,
        frag: fc.string({ unit: fc.constantFrom(...'aé/?#&=, 7') }),
      },
      { requiredKeys: ['a'] },
    );
    const template = parseUriTemplate('x://{a}{/list*}{;p,b}{?q,more*}{#frag}');
    fc.assert(
      fc.property(values, (value) => {
        expect(template.match(template.expand(value))).toEqual(value);
      }),
    );
  });

  const scalar = fc.string({
    unit: fc.constantFrom('a', 'b', '/', '.', ',', ';', '?', '&', '=', '%', 'é', '-'),
    minLength: 1,
    maxLength: 4,
  });
  const operator = fc.constantFrom('', '.', '/', ';', '?', '&');
  const literal = fc.constantFrom('a', '.', '/', ';', '-', 'é', 'ab', '#', ',');
  const template = fc
    .array(fc.oneof(literal, fc.record({ operator, size: fc.integer({ min: 1, max: 3 }), explode: fc.boolean() })), {
      maxLength: 5,
    })
    .map((pieces) => {
      let count = 0;
      return pieces
        .map((piece) => {
          if (typeof piece === 'string') return piece;
          const names = Array.from({ length: piece.size }, () => `v${(count += 1)}${piece.explode ? '*' : ''}`);
          return `{${piece.operator}${names.join(',')}}`;
        })
        .join('');
    });

  test('matches every expansion whose variables all have text, and finds values that make an equal URI', () => {
    fc.assert(
      fc.property(template, fc.array(scalar, { minLength: 15, maxLength: 15 }), (source, texts) => {
        const parsed = parseUriTemplate(source);
        const values = Object.fromEntries(parsed.variables.map((name, index) => [name, texts[index] ?? 'x']));
        // Only the first question mark of a URI begins a query.
        fc.pre(source.split('{?').length <= 2);
        const found = parsed.match(parsed.expand(values));
        expect(found).toBeDefined();
        expect(parsed.match(parsed.expand(found ?? {}))).toEqual(found);
      }),
      { numRuns: 3000 },
    );
  });

  test('agrees with a backtracking matcher on which URIs match', () => {
    const segment = "(?:[A-Za-z0-9._~!$&'()*+,;=:@é-]|%[0-9A-F]{2})";
    const anyCharacter = "(?:[A-Za-z0-9._~!$&'()*+,;=:@é/?#[\\]-]|%[0-9A-F]{2})";
    const patterns: Record<string, (size: number) => string> = {
      '': () => `${segment}+`,
      '+': () => `${anyCharacter}+`,
      '#': () => `(?:#${anyCharacter}*)?`,
      '.': () => `(?:\\.${segment}*)?`,
      '/': (size) => `(?:/${segment}*){0,${size}}`,
    };
    const piece = fc.oneof(
      fc.constantFrom('a', '/', '.', '-', 'ab', '#'),
      fc.record({ operator: fc.constantFrom('', '+', '#', '.', '/'), size: fc.integer({ min: 1, max: 3 }) }),
    );
    const uri = fc.string({ unit: fc.constantFrom('a', 'b', '/', '.', '-', '#', '%41', '%2F', ','), maxLength: 10 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), uri, (pieces, candidate) => {
        let count = 0;
        const source = pieces.map((each) =>
          typeof each === 'string'
            ? each
            : `{${each.operator}${Array.from({ length: each.size }, () => `v${(count += 1)}`).join(',')}}`,
        );
        const pattern = pieces.map((each) =>
          typeof each === 'string' ? each.replaceAll(/[/.]/g, '\\$&') : patterns[each.operator]?.(each.size),
        );
        const expected = new RegExp(`^(?:${pattern.join('')})$`, 'u').test(candidate.replaceAll('%41', 'A'));
        expect(match(source.join(''), candidate) !== undefined).toBe(expected);
      }),
      { numRuns: 5000 },
    );
  });

  test('never throws on any URI', () => {
    const templates = ['x:{a}', 'x:{+a}{?b,c*}{#d}', 'x:{/a*,b}{;c}{.d}', '{a:3}{+a}'].map((source) =>
      parseUriTemplate(source),
    );
    const piece = fc.constantFrom(
      'x:',
      'a',
      '/',
      '?',
      '&',
      '=',
      ';',
      '#',
      '.',
      ',',
      '%',
      '%C3',
      '%A9',
      '%2F',
      'b=',
      'é',
      '\ud800',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 15 }), (pieces) => {
        for (const each of templates) each.match(pieces.join(''));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('compareTemplates', () => {
  test('puts the template with more literal characters first and keeps the order of equals', () => {
    const sources = ['x://{a}/{b}', 'x://{+rest}', 'x://items/{id}', 'x://{c}/{d}', 'x://items/new', 'x://{e}/edit'];
    expect(
      sources
        .map((source) => parseUriTemplate(source))
        .sort(compareTemplates)
        .map(({ source }) => source),
    ).toEqual(['x://items/new', 'x://items/{id}', 'x://{e}/edit', 'x://{a}/{b}', 'x://{c}/{d}', 'x://{+rest}']);
  });
});
