import { parseUriTemplate } from '@switchyard/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { openMemory } from './memory-route.ts';
import { createDepot, readVariables, type Rules } from './read-variables.ts';

const upward = [
  '..',
  '..%2F',
  '..%2f..%2Fetc%2Fpasswd',
  '%2e%2e%2Fa',
  '%2E.',
  'a%2F..',
  'a%2F..%2Fb',
  'a%5C..%5Cb',
  '..%5C',
  '...%2Fa',
  '..%20%2Fa',
];
const otherDangers = [
  'a%00.txt',
  'a%0Ab',
  'a%0D%0AX',
  'a%1Bb',
  'a%7Fb',
  'a%C2%85b',
  'a%C2%9B31m',
  '%2Fetc%2Fpasswd',
  '%5Cserver%5Cshare',
  'C:%5Cx',
  '%252e%252e%252fa',
  '%252E%252E',
  'a%252Fb',
  '%25252e',
  'a%255Cb',
  'a%2500',
];

describe('a value that is dangerous in a path', () => {
  it.each([
    ['without a schema', {}],
    ['with a schema of any text', { variables: z.object({ name: z.string() }) }],
    ['with a pattern that takes anything', { variables: z.object({ name: z.string().regex(/^.+$/s) }) }],
    ['with a plain schema that says nothing of it', { variables: { type: 'object' } as const }],
  ])('[RES-15] [RES-16] is -32602 before the handler %s', async (_, rules) => {
    const names = [...upward, ...otherDangers];
    const answers = await readVariables('file:///logs/{name}', rules, ...names.map((name) => `file:///logs/${name}`));
    for (const [index, answer] of answers.entries()) {
      expect([names[index], answer]).toEqual([
        names[index],
        expect.stringMatching(/the variable "name" (?:holds|is escaped)/),
      ]);
    }
  });

  it.each([
    'file:///{+path}',
    'file:///{path}',
    'file:///x{/path*}',
    'file:///x{?path}',
    'file:///x{;path}',
    'file:///{.path}',
  ])('[RES-16] is refused in each kind of expression: %s', async (template) => {
    const start = template.replace(/\{.*$/, '');
    const operator = /\{([+/?;.]?)/.exec(template)?.[1] ?? '';
    const lead = { '': '', '+': '', '/': '/', '?': '?path=', ';': ';path=', '.': '.' }[operator] ?? '';
    const answers = await readVariables(template, {}, `${start}${lead}a%2F..%2F..%2Fetc`, `${start}${lead}a%00`);
    for (const answer of answers) expect(answer).toMatch(/the variable "path" holds/);
  });

  it('[RES-16] is refused in a path that is not escaped at all', async () => {
    const uris = ['file:///../etc/passwd', 'file:///a/../../etc', 'file:///a/..', 'file:///a/%2e%2e/b'];
    for (const answer of await readVariables('file:///{+path}', {}, ...uris))
      expect(answer).toMatch(/".." as a path segment/);
  });

  it('[RES-16] is a slash in front of a path, where the template has one already, and any backslash', async () => {
    const [absolute, backslash, inner] = await readVariables(
      'file:///{+path}',
      { variables: z.object({ path: z.string() }) },
      'file:////etc/passwd',
      'file:///a%5Cb',
      'file:///a/b%2Fc',
    );
    expect([absolute, backslash]).toEqual([expect.stringMatching(/in front/), expect.stringMatching(/backslash/)]);
    expect(inner).toEqual({ path: 'a/b/c' });
    expect(await readVariables('file://{+path}', {}, 'file:///etc/hosts')).toEqual([{ path: '/etc/hosts' }]);
  });

  it('is no danger where it only looks like one', async () => {
    const names = ['a..b', '...txt', '..a', 'a..', 'v1...v2', '.', '.hidden', 'a.b', '100%25', '%C3%BC'];
    const answers = await readVariables(
      'x://{name}',
      { variables: z.object({ name: z.string() }) },
      ...names.map((name) => `x://${name}`),
    );
    expect(answers).toEqual(names.map((name) => ({ name: decodeURIComponent(name) })));
  });

  it('[resources-01] may hold an encoded slash inside where there is no schema to say otherwise', async () => {
    expect(await readVariables('depot://item/{id}', {}, 'depot://item/a%2Fb')).toEqual([{ id: 'a/b' }]);
    const variables = z.object({ id: z.string() });
    expect(await readVariables('depot://item/{id}', { variables }, 'depot://item/a%2Fb')).toEqual([
      expect.stringMatching(/"id" holds an encoded slash/),
    ]);
  });

  it.each<[string, Rules, string, string]>([
    ['an enum', { variables: z.object({ name: z.enum(['..', 'a/b']) }) }, '..', '..'],
    ['an enum with a slash', { variables: z.object({ name: z.enum(['..', 'a/b']) }) }, 'a%2Fb', 'a/b'],
    ['a const', { variables: z.object({ name: z.literal('../x') }) }, '..%2Fx', '../x'],
    [
      'a pattern that writes a slash',
      { variables: z.object({ name: z.string().regex(/^\w+\/\w+$/) }) },
      'a%2Fb',
      'a/b',
    ],
    ['admit.slash', { variables: z.object({ name: z.string() }), admit: { name: ['slash'] } }, '%2Fa%2Fb', '/a/b'],
    ['admit.dots', { admit: { name: ['dots'] } }, '..', '..'],
    ['admit.control', { admit: { name: ['control'] } }, 'a%00b', 'a\0b'],
    ['admit.escape', { admit: { name: ['escape'] } }, '%252e', '%2e'],
  ])('is let through by %s', async (_, rules, spelled, value) => {
    expect(await readVariables('x://{name}', rules, `x://${spelled}`)).toEqual([{ name: value }]);
  });

  it('is refused in other values and kinds than those that are let through', async () => {
    const variables = z.object({ a: z.string().regex(/^[\w./]+$/), b: z.string() });
    const answers = await readVariables('x://{a}/{b}', { variables }, 'x://..%2Fa/b', 'x://a%2Fb/a%2Fb', 'x://a%2Fb/c');
    expect(answers).toEqual([
      expect.stringMatching(/"a" holds "\.\."/),
      expect.stringMatching(/"b" holds an encoded slash/),
      { a: 'a/b', b: 'c' },
    ]);
  });

  it.each<[string, string, readonly string[], readonly string[]]>([
    [
      'a dot and an empty one',
      'x://{file}{.ext}/meta',
      ['x://../meta', 'x://%2e./meta', 'x://.%2E/meta'],
      ['x://a.b/meta'],
    ],
    ['two dots', 'x://{a}{b}', ['x://..', 'x://.%2e'], ['x://a.b', 'x://..a']],
    ['dots and spaces', 'x://{a}{b}', ['x://..%20', 'x://.%2e%20%20'], ['x://.%20.']],
    ['a dot and a word of the template', 'x://root/.{name}', ['x://root/..', 'x://root/%2e.'], ['x://root/.a']],
    ['a dot behind a slash of another', 'x://{+path}{.ext}', ['x://a/..', 'x://..', 'x://a/../b.c'], ['x://a/b.c']],
    ['a dot behind an encoded slash', 'x://{dir}{.ext}', ['x://a%2F.%2e', 'x://a%2fb%2f..'], ['x://a.b']],
    ['an expression of lists', 'x://a{/dir*}{.ext}', ['x://a/b/..', 'x://a/../c.d'], ['x://a/b/c.d']],
    ['what stands before a query', 'x://{file}{.ext}{?size}', ['x://..?size=1', 'x://..'], ['x://a.b?size=1']],
    ['what stands before a parameter', 'x://{file}{.ext}{;v}', ['x://..;v=1'], ['x://a.b;v=1']],
    ['what stands in a query', 'x://get?file={a}{.b}', ['x://get?file=..'], ['x://get?file=a.b']],
    ['dots before a query of a value', 'x://{a}{+b}', ['x://..?q', 'x://..#f'], ['x://a.?q']],
    ['a URI without slashes', 'x:{a}{b}', ['x:..'], ['x:a.b']],
  ])('[RES-16] is made by several values together, and is refused as well: %s', async (_, template, bad, good) => {
    for (const answer of await readVariables(template, {}, ...bad))
      expect(answer).toMatch(/breaks the rules of .*"\.\."/);
    for (const answer of await readVariables(template, {}, ...good)) expect(answer).toBeTypeOf('object');
  });

  it.each([
    ['note://{+title}', 'To be continued, ...'],
    ['note://{+title}', 'Wait: ...'],
    ['note://{+title}', 'Really? ...'],
    ['note://{title}', 'Wait: ...'],
    ['note://{title}', 'Wait,...'],
    ['note://{title}{?size}', 'a=..'],
    ['note://{+title}', '1,2,..,10'],
    ['note://x{?title}', 'a,..;..'],
  ])(
    'is let through where all of what looks like a segment comes from one that is harmless: %s, %s',
    async (template, title) => {
      const expanded = parseUriTemplate(template).expand({ title });
      // As somebody writes it who escapes what has to be alone.
      const typed = expanded.replaceAll(/%3A|%2C|%3D/g, decodeURIComponent);
      expect(await readVariables(template, {}, expanded, typed)).toEqual([{ title }, { title }]);
    },
  );

  it('is let through together where each value that takes part is, and in the words of the template', async () => {
    const both = { file: ['dots'], ext: ['dots'] } as const;
    const template = 'x://{file}{.ext}/meta';
    expect(await readVariables(template, { admit: both }, 'x://../meta')).toEqual([{ file: '.', ext: '' }]);
    expect(await readVariables(template, { admit: { file: ['dots'] } }, 'x://../meta')).toEqual([
      expect.stringMatching(/its variables make "\.\."/),
    ]);
    expect(await readVariables('x://../{a}', {}, 'x://../b', 'x://../..')).toEqual([
      { a: 'b' },
      expect.stringMatching(/"a" holds "\.\."/),
    ]);
    const admitted = { admit: { path: ['dots'] } } as const;
    expect(await readVariables('x://{a}/{+path}', admitted, 'x://./../b', 'x://a/../..', 'x://../..')).toEqual([
      { a: '.', path: '../b' },
      { a: 'a', path: '../..' },
      expect.stringMatching(/"a" holds "\.\."/),
    ]);
    const named = { variables: z.object({ a: z.enum(['..', 'a/..']), b: z.string() }) };
    expect(await readVariables('x://{a}/{b}', named, 'x://../b', 'x://a%2F../b')).toEqual([
      { a: '..', b: 'b' },
      { a: 'a/..', b: 'b' },
    ]);
  });

  it('is no danger in the version of a segment, which no handler sees', async () => {
    const rules = { segments: {} };
    expect(
      await readVariables('x://{a}{?offset,limit,version}', rules, 'x://b?version=..', 'x://b?version=%2F..'),
    ).toEqual([{ a: 'b' }, { a: 'b' }]);
  });

  it('never reaches the handler, however it is spelled', async () => {
    let reached = 0;
    const seen: string[] = [];
    const server = createDepot().resourceTemplate('file:///root/{+path}', { name: 'files' }, ({ path }) => {
      seen.push(String(path));
      return 'x';
    });
    const { request } = openMemory(server);
    const part = fc.constantFrom(
      '.',
      '..',
      '/',
      '\\',
      '%2e',
      '%2F',
      '%5c',
      '%25',
      '%00',
      '%252e',
      '%252f',
      'a',
      ' ',
      ';',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
        seen.length = 0;
        await request('resources/read', { uri: `file:///root/${parts.join('')}` });
        reached += seen.length;
        for (const path of seen) {
          expect(path).not.toMatch(/\0/);
          for (const form of [path, decodeLoosely(path), decodeLoosely(decodeLoosely(path))])
            expect(form.split(/[/\\]/).map((segment) => segment.trim())).not.toContain('..');
        }
      }),
      { numRuns: 2_000 },
    );
    expect(reached).toBeGreaterThan(0);
  });
});

it('[RES-16] never is put together by a handler that puts together what the template took apart', async () => {
  const template = 'x://{a}{b}/{c}{.d}{/e*}{;f}{?g}';
  let reached = 0;
  const seen: Record<string, string | string[]>[] = [];
  const server = createDepot().resourceTemplate(template, { name: 't' }, (values) => {
    seen.push(values as Record<string, string | string[]>);
    return 'x';
  });
  const { request } = openMemory(server);
  const part = fc.constantFrom('.', '..', '/', '%2e', '%2F', '%5c', 'a', '%20', ';f=', '?g=');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 2, maxLength: 8 }), async (parts) => {
      seen.length = 0;
      await request('resources/read', { uri: `x://${parts.join('')}` });
      reached += seen.length;
      for (const { a = '', b = '', c = '', d, e = [] } of seen) {
        const path = `${a as string}${b as string}/${c as string}${d === undefined ? '' : `.${d as string}`}/${(e as string[]).join('/')}`;
        expect(path.split(/[/\\]/).map((segment) => segment.trim())).not.toContain('..');
      }
    }),
    { numRuns: 2_000 },
  );
  expect(reached).toBeGreaterThan(0);
});

function decodeLoosely(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
