import { parseUriTemplate } from '@switchyard/protocol';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import {
  createServer,
  type Danger,
  type Server,
  silentLogger,
  type TemplateVariables,
  type ValueSchema,
} from '@switchyard/server';
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';

import { compileResourceTemplate, type ResourceTemplateDefinition } from '../src/definition/resource.ts';
import { openMemory } from './memory-route.ts';

const create = (): Server => createServer({ name: 'depot', version: '1.0.0' }, { logger: silentLogger });

type Rules = Omit<ResourceTemplateDefinition, 'name'>;

/** What the handler of a template got for each URI, or the error. */
async function read(template: string, rules: Rules, ...uris: readonly string[]): Promise<unknown[]> {
  const got: unknown[] = [];
  const server = create().resourceTemplate(template, { name: 't', ...rules }, (variables) => {
    got.push({ ...(variables as object) });
    return 'x';
  });
  const answers: unknown[] = [];
  for (const uri of uris) {
    got.length = 0;
    const { error } = await openMemory(server).request('resources/read', { uri });
    if (error !== undefined) {
      expect(got).toEqual([]);
      expect(error.data).toEqual({ uri });
    }
    answers.push(error === undefined ? got[0] : error.code === -32602 ? error.message : error.code);
  }
  return answers;
}

const plain: ValueSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 1 },
    ratio: { type: 'number' },
    deep: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'integer' } },
    sort: { type: 'string', default: 'name' },
  },
  required: ['id'],
  additionalProperties: false,
};

describe('the schema of template variables', () => {
  it.each<[string, ValueSchema]>([
    ['JSON Schema', plain],
    [
      'zod',
      z.object({
        id: z.int().min(1),
        ratio: z.number().optional(),
        deep: z.boolean().optional(),
        tags: z.array(z.int()).optional(),
        sort: z.string().default('name'),
      }),
    ],
    [
      'arktype',
      type({
        id: 'number.integer >= 1',
        'ratio?': 'number',
        'deep?': 'boolean',
        'tags?': 'number.integer[]',
        sort: "string = 'name'",
      }),
    ],
    [
      'valibot',
      toStandardJsonSchema(
        v.object({
          id: v.pipe(v.number(), v.integer(), v.minValue(1)),
          ratio: v.optional(v.number()),
          deep: v.optional(v.boolean()),
          tags: v.optional(v.array(v.pipe(v.number(), v.integer()))),
          sort: v.optional(v.string(), 'name'),
        }),
      ),
    ],
  ])(
    '[RES-15] gives numbers, booleans, lists and defaults by %s, and refuses the rest before the handler',
    async (_, schema) => {
      const answers = await read(
        'x://{id}{?ratio,deep,sort,tags*}',
        { variables: schema },
        'x://7?ratio=0.5&deep=false&tags=1&tags=2&sort=size',
        'x://7',
        'x://0',
        'x://seven',
        'x://07',
        'x://7?ratio=1e3',
        'x://7?deep=yes',
        'x://7?tags=a',
      );
      expect(answers.slice(0, 2)).toEqual([
        { id: 7, ratio: 0.5, deep: false, tags: [1, 2], sort: 'size' },
        { id: 7, sort: 'name' },
      ]);
      for (const [index, name] of ['id', 'id', 'id', 'ratio', 'deep', 'tags'].entries())
        expect(answers[index + 2]).toMatch(new RegExp(`breaks the rules of x://\\{id\\}.*${name}`));
    },
  );

  it.each([
    ['a number beside text', z.union([z.string(), z.number()]), '7', '7'],
    ['a nullable number', z.number().nullable(), '7', 7],
    ['a number by reference', z.number().meta({ id: 'Shared' }), '7', 7],
    ['a literal number', z.literal([1, 7]), '7', 7],
    ['a coerced number', z.coerce.number<number>(), '7', 7],
    ['a fraction that ends in zero', z.number(), '1.50', -32602],
    ['a number that no double holds', z.number(), '9007199254740993', -32602],
    ['text that looks like a number', z.string(), '7', '7'],
    ['a list where the URI has one value', z.array(z.string()), '7', -32602],
  ])('converts text exactly where the schema wants no text: %s', async (_, member, text, expected) => {
    const [answer] = await read('x://{value}', { variables: z.object({ value: member }) }, `x://${text}`);
    if (expected === -32602) expect(answer).toMatch(/breaks the rules/);
    else expect(answer).toEqual({ value: expected });
  });

  it('asks no other template once the variables of the most specific one break its rules', async () => {
    const server = create()
      .resourceTemplate('x://{anything}', { name: 'general' }, () => 'general')
      .resourceTemplate('x://id/{id}', { name: 'id', variables: z.object({ id: z.int() }) }, () => undefined)
      .resourceTemplate('x://{kind}/{id}', { name: 'kind' }, () => 'kind');
    const request = (uri: string): ReturnType<ReturnType<typeof openMemory>['request']> =>
      openMemory(server).request('resources/read', { uri });
    expect((await request('x://id/a')).error?.code).toBe(-32602);
    expect((await request('x://id/1')).result).toMatchObject({ contents: [{ text: 'kind' }] });
  });

  it('may be checked asynchronously', async () => {
    const variables = z.object({ id: z.string().refine((id) => Promise.resolve(id === 'known'), 'is not known') });
    expect(await read('x://{id}', { variables }, 'x://known', 'x://other')).toEqual([
      { id: 'known' },
      expect.stringMatching(/id: is not known/),
    ]);
  });

  it.each<[string, string, Rules, RegExp]>([
    ['a schema of something else', 'x://{id}', { variables: z.string() }, /"type": "object"/],
    [
      'a variable that there is not',
      'x://{id}',
      { variables: z.object({ id: z.string(), no: z.string() }) },
      /"no".*has: id/,
    ],
    [
      'no place for a variable',
      'x://{id}/{b}',
      { variables: z.object({ id: z.string() }) },
      /no place for the variable "b"/,
    ],
    ['a required one that there is not', 'x://{id}', { variables: { type: 'object', required: ['b'] } }, /"b"/],
    ['admission for one that there is not', 'x://{id}', { admit: { b: ['slash'] } }, /admit has "b".*has: id/],
    ['admission of something else', 'x://{id}', { admit: { id: ['dot' as Danger] } }, /control, dots, escape, slash/],
    ['a limit of nothing', 'x://{id}', { maxVariableChars: 0 }, /maxVariableChars must be an integer from 1 to 8192/],
    ['a limit that is no number', 'x://{id}', { maxVariableChars: NaN }, /not NaN/],
  ])('is refused where it does not fit the template: %s', (_, template, rules, message) => {
    expect(() => create().resourceTemplate(template, { name: 't', ...rules }, () => 'x')).toThrow(message);
  });

  it('types the variables of the handler', () => {
    const variables = z.object({ id: z.int(), sort: z.string().default('name') });
    compileResourceTemplate('x://{id}{?sort}', { name: 't', variables }, (values) => {
      expectTypeOf(values).toEqualTypeOf<{ id: number; sort: string }>();
      return 'x';
    });
    compileResourceTemplate('x://{id}', { name: 't' }, (values) => {
      expectTypeOf(values).toEqualTypeOf<TemplateVariables>();
      return 'x';
    });
  });
});

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
    const answers = await read('file:///logs/{name}', rules, ...names.map((name) => `file:///logs/${name}`));
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
    const answers = await read(template, {}, `${start}${lead}a%2F..%2F..%2Fetc`, `${start}${lead}a%00`);
    for (const answer of answers) expect(answer).toMatch(/the variable "path" holds/);
  });

  it('[RES-16] is refused in a path that is not escaped at all', async () => {
    const uris = ['file:///../etc/passwd', 'file:///a/../../etc', 'file:///a/..', 'file:///a/%2e%2e/b'];
    for (const answer of await read('file:///{+path}', {}, ...uris)) expect(answer).toMatch(/".." as a path segment/);
  });

  it('[RES-16] is a slash in front of a path, where the template has one already, and any backslash', async () => {
    const [absolute, backslash, inner] = await read(
      'file:///{+path}',
      { variables: z.object({ path: z.string() }) },
      'file:////etc/passwd',
      'file:///a%5Cb',
      'file:///a/b%2Fc',
    );
    expect([absolute, backslash]).toEqual([expect.stringMatching(/in front/), expect.stringMatching(/backslash/)]);
    expect(inner).toEqual({ path: 'a/b/c' });
    expect(await read('file://{+path}', {}, 'file:///etc/hosts')).toEqual([{ path: '/etc/hosts' }]);
  });

  it('is no danger where it only looks like one', async () => {
    const names = ['a..b', '...txt', '..a', 'a..', 'v1...v2', '.', '.hidden', 'a.b', '100%25', '%C3%BC'];
    const answers = await read(
      'x://{name}',
      { variables: z.object({ name: z.string() }) },
      ...names.map((name) => `x://${name}`),
    );
    expect(answers).toEqual(names.map((name) => ({ name: decodeURIComponent(name) })));
  });

  it('[resources-01] may hold an encoded slash inside where there is no schema to say otherwise', async () => {
    expect(await read('depot://item/{id}', {}, 'depot://item/a%2Fb')).toEqual([{ id: 'a/b' }]);
    const variables = z.object({ id: z.string() });
    expect(await read('depot://item/{id}', { variables }, 'depot://item/a%2Fb')).toEqual([
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
    expect(await read('x://{name}', rules, `x://${spelled}`)).toEqual([{ name: value }]);
  });

  it('is refused in other values and kinds than those that are let through', async () => {
    const variables = z.object({ a: z.string().regex(/^[\w./]+$/), b: z.string() });
    const answers = await read('x://{a}/{b}', { variables }, 'x://..%2Fa/b', 'x://a%2Fb/a%2Fb', 'x://a%2Fb/c');
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
    for (const answer of await read(template, {}, ...bad)) expect(answer).toMatch(/breaks the rules of .*"\.\."/);
    for (const answer of await read(template, {}, ...good)) expect(answer).toBeTypeOf('object');
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
      expect(await read(template, {}, expanded, typed)).toEqual([{ title }, { title }]);
    },
  );

  it('is let through together where each value that takes part is, and in the words of the template', async () => {
    const both = { file: ['dots'], ext: ['dots'] } as const;
    const template = 'x://{file}{.ext}/meta';
    expect(await read(template, { admit: both }, 'x://../meta')).toEqual([{ file: '.', ext: '' }]);
    expect(await read(template, { admit: { file: ['dots'] } }, 'x://../meta')).toEqual([
      expect.stringMatching(/its variables make "\.\."/),
    ]);
    expect(await read('x://../{a}', {}, 'x://../b', 'x://../..')).toEqual([
      { a: 'b' },
      expect.stringMatching(/"a" holds "\.\."/),
    ]);
    const admitted = { admit: { path: ['dots'] } } as const;
    expect(await read('x://{a}/{+path}', admitted, 'x://./../b', 'x://a/../..', 'x://../..')).toEqual([
      { a: '.', path: '../b' },
      { a: 'a', path: '../..' },
      expect.stringMatching(/"a" holds "\.\."/),
    ]);
    const named = { variables: z.object({ a: z.enum(['..', 'a/..']), b: z.string() }) };
    expect(await read('x://{a}/{b}', named, 'x://../b', 'x://a%2F../b')).toEqual([
      { a: '..', b: 'b' },
      { a: 'a/..', b: 'b' },
    ]);
  });

  it('is no danger in the version of a segment, which no handler sees', async () => {
    const rules = { segments: {} };
    expect(await read('x://{a}{?offset,limit,version}', rules, 'x://b?version=..', 'x://b?version=%2F..')).toEqual([
      { a: 'b' },
      { a: 'b' },
    ]);
  });

  it('never reaches the handler, however it is spelled', async () => {
    const seen: string[] = [];
    const server = create().resourceTemplate('file:///root/{+path}', { name: 'files' }, ({ path }) => {
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
        for (const path of seen) {
          expect(path).not.toMatch(/\0/);
          for (const form of [path, decodeLoosely(path), decodeLoosely(decodeLoosely(path))])
            expect(form.split(/[/\\]/).map((segment) => segment.trim())).not.toContain('..');
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

it('[RES-16] never is put together by a handler that puts together what the template took apart', async () => {
  const template = 'x://{a}{b}/{c}{.d}{/e*}{;f}{?g}';
  const seen: Record<string, string | string[]>[] = [];
  const server = create().resourceTemplate(template, { name: 't' }, (values) => {
    seen.push(values as Record<string, string | string[]>);
    return 'x';
  });
  const { request } = openMemory(server);
  const part = fc.constantFrom('.', '..', '/', '%2e', '%2F', '%5c', 'a', '%20', ';f=', '?g=');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 2, maxLength: 8 }), async (parts) => {
      seen.length = 0;
      await request('resources/read', { uri: `x://${parts.join('')}` });
      for (const { a = '', b = '', c = '', d, e = [] } of seen) {
        const path = `${a as string}${b as string}/${c as string}${d === undefined ? '' : `.${d as string}`}/${(e as string[]).join('/')}`;
        expect(path.split(/[/\\]/).map((segment) => segment.trim())).not.toContain('..');
      }
    }),
    { numRuns: 2_000 },
  );
});

function decodeLoosely(text: string): string {
  return text.replace(/%([0-7][0-9a-f])/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

describe('the length of a variable', () => {
  it.each<[string, Rules, number]>([
    ['1,024 characters by default', {}, 1_024],
    ['what maxVariableChars says', { maxVariableChars: 10 }, 10],
    ['the maxLength of the schema', { variables: z.object({ name: z.string().max(2_000) }) }, 2_000],
    ['the smaller maxLength of the schema', { variables: z.object({ name: z.string().max(5) }) }, 5],
    [
      'maxVariableChars rather than the maxLength',
      { maxVariableChars: 8, variables: z.object({ name: z.string().max(20) }) },
      8,
    ],
  ])('[RES-15] is at most %s', async (_, rules, most) => {
    const [fits, long] = await read('x://{name}', rules, `x://${'a'.repeat(most)}`, `x://${'a'.repeat(most + 1)}`);
    expect(fits).toEqual({ name: 'a'.repeat(most) });
    expect(long).toMatch(new RegExp(`"name" has ${most + 1} characters; it takes at most ${most}$`));
  });

  it('[resources-05] ends with that of the URI, whose error repeats little of it', async () => {
    const server = create().resourceTemplate('x://{+path}', { name: 't', maxVariableChars: 8_192 }, () => 'x');
    const read = async (length: number): Promise<unknown> =>
      (await openMemory(server).request('resources/read', { uri: 'x://'.padEnd(length, 'a') })).error;
    expect(await read(8_192)).toBeUndefined();
    const error = await read(60_000);
    expect(error).toMatchObject({ code: -32602, message: 'The URI has 60000 characters; at most 8192 are read' });
    expect(JSON.stringify(error).length).toBeLessThan(500);
  });

  it('counts each item of a list', async () => {
    const [fits, long] = await read('x://u{/ids*}', { maxVariableChars: 3 }, 'x://u/abc/def', 'x://u/abc/defg');
    expect(fits).toEqual({ ids: ['abc', 'def'] });
    expect(long).toMatch(/"ids" has 4 characters/);
  });
});
