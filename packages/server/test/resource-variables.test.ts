import { toStandardJsonSchema } from '@valibot/to-json-schema';
import type { Danger, TemplateVariables, ValueSchema } from '@switchyard/server';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';

import { compileResourceTemplate } from '../src/definition/resource.ts';
import { openMemory } from './memory-route.ts';
import { createDepot, readVariables, type Rules } from './read-variables.ts';

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
      const answers = await readVariables(
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
    const [answer] = await readVariables('x://{value}', { variables: z.object({ value: member }) }, `x://${text}`);
    if (expected === -32602) expect(answer).toMatch(/breaks the rules/);
    else expect(answer).toEqual({ value: expected });
  });

  it('asks no other template once the variables of the most specific one break its rules', async () => {
    const server = createDepot()
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
    expect(await readVariables('x://{id}', { variables }, 'x://known', 'x://other')).toEqual([
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
    expect(() => createDepot().resourceTemplate(template, { name: 't', ...rules }, () => 'x')).toThrow(message);
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
    const [fits, long] = await readVariables(
      'x://{name}',
      rules,
      `x://${'a'.repeat(most)}`,
      `x://${'a'.repeat(most + 1)}`,
    );
    expect(fits).toEqual({ name: 'a'.repeat(most) });
    expect(long).toMatch(new RegExp(`"name" has ${most + 1} characters; it takes at most ${most}$`));
  });

  it('[resources-05] ends with that of the URI, whose error repeats little of it', async () => {
    const server = createDepot().resourceTemplate('x://{+path}', { name: 't', maxVariableChars: 8_192 }, () => 'x');
    const errorOf = async (length: number): Promise<unknown> =>
      (await openMemory(server).request('resources/read', { uri: 'x://'.padEnd(length, 'a') })).error;
    expect(await errorOf(8_192)).toBeUndefined();
    const error = await errorOf(60_000);
    expect(error).toMatchObject({ code: -32602, message: 'The URI has 60000 characters; at most 8192 are read' });
    expect(JSON.stringify(error).length).toBeLessThan(500);
  });

  it('counts each item of a list', async () => {
    const [fits, long] = await readVariables(
      'x://u{/ids*}',
      { maxVariableChars: 3 },
      'x://u/abc/def',
      'x://u/abc/defg',
    );
    expect(fits).toEqual({ ids: ['abc', 'def'] });
    expect(long).toMatch(/"ids" has 4 characters/);
  });
});
