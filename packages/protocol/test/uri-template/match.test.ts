import { describe, expect, test } from 'vitest';
import { parseUriTemplate } from '../../src/uri-template.ts';
import type { TemplateMatch } from '../../src/uri-template/bind.ts';

const match = (template: string, uri: string): TemplateMatch | undefined => parseUriTemplate(template).match(uri);

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

  test.each([
    ['x:{a}y{b}', 'x:1y2', 5 * 6],
    ['x:{a}y{b}', 'x:', 5 * 3],
    ['', '', 1],
    ['{+a}', 'anything', 2 * 9],
    ['x://host/{a}', 'x://h%6Fst/1', 3 * 13],
    ['x://host/{a}', 'x://other/1', 0],
    ['x://host/{a}', 'x://other/%31', 0],
    ['x://host/{a}', 'x://other/h%6Fst', 0],
    ['{+a}', 'a'.repeat(65_537), 0],
  ])('tells what it costs to hold %s against %.20s: %i steps', (source, uri, steps) => {
    const template = parseUriTemplate(source);
    expect(template.matchCost(uri)).toBe(steps);
    if (steps === 0) expect(template.match(uri)).toBeUndefined();
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
});
