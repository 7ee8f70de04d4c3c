import { describe, expect, test } from 'vitest';

import { parseUriTemplate } from '../../src/uri-template.ts';
import type { TemplateValues } from '../../src/uri-template/expand.ts';
import { UriTemplateError } from '../../src/uri-template/parts.ts';
import { rfc6570Examples } from '../data/rfc6570-examples.ts';

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
