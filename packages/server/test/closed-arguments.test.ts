import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { createServer, silentLogger, type ValueSchema } from '@switchyard/server';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { type CallResult, openMemory } from './memory-route.ts';

async function call(input: ValueSchema, args: object): Promise<CallResult> {
  const server = createServer({ name: 'closed', version: '1.0.0' }, { logger: silentLogger });
  server.tool('probe', { input }, () => 'ran');
  return openMemory(server).call('probe', args);
}

const branch = z.object({
  name: z.string(),
  get branches() {
    return z.array(branch).optional();
  },
});
const chain: v.GenericSchema = v.object({ name: v.string(), next: v.optional(v.lazy(() => chain)) });
const either = z.object({ u: z.union([z.object({ a: z.string() }), z.object({ b: z.string() }), z.null()]) });
const byKind = z.object({
  u: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('a') }),
    z.object({ kind: z.enum(['b', 'c']), x: z.number().optional() }),
  ]),
});

const closed: readonly [where: string, input: ValueSchema, known: object, unknown: object, path: string][] = [
  ['a union', either, { u: { a: 'x' } }, { u: { a: 'x', c: 1 } }, '/u/c'],
  ['a union, of another alternative', either, { u: null }, { u: { a: 'x', b: 'y' } }, '/u/b'],
  ['a union by kind', byKind, { u: { kind: 'c', x: 1 } }, { u: { kind: 'b', y: 1 } }, '/u/y'],
  ['a union by kind, of another', byKind, { u: { kind: 'a' } }, { u: { kind: 'a', x: 1 } }, '/u/x'],
  [
    'a recursive schema',
    branch,
    { name: 'a', branches: [{ name: 'b', branches: [{ name: 'c' }] }] },
    { name: 'a', branches: [{ name: 'b', branches: [{ name: 'c', c: 1 }] }] },
    '/branches/0/branches/0/c',
  ],
  [
    'the values of a record',
    z.object({ r: z.record(z.string(), z.object({ a: z.string() })) }),
    { r: { 'k/1': { a: 'x' } } },
    { r: { 'k/1': { a: 'x', c: 1 } } },
    '/r/k~11/c',
  ],
  [
    'a tuple',
    z.object({ t: z.tuple([z.object({ a: z.string() }), z.number()]) }),
    { t: [{ a: 'x' }, 1] },
    { t: [{ a: 'x', c: 1 }, 1] },
    '/t/0/c',
  ],
  [
    'a shared definition',
    z.object({ s: z.object({ a: z.string() }).meta({ id: 'Shared' }) }),
    { s: { a: 'x' } },
    { s: { a: 'x', c: 1 } },
    '/s/c',
  ],
  [
    'a union of arktype',
    type({ u: type({ a: 'string' }).or({ b: 'string' }) }),
    { u: { a: 'x' } },
    { u: { a: 'x', c: 1 } },
    '/u/c',
  ],
  [
    'a variant of valibot',
    toStandardJsonSchema(
      v.object({
        u: v.variant('k', [v.object({ k: v.literal('a') }), v.object({ k: v.literal('b'), x: v.number() })]),
      }),
    ),
    { u: { k: 'b', x: 1 } },
    { u: { k: 'a', c: 1 } },
    '/u/c',
  ],
  [
    'a recursive schema of valibot',
    toStandardJsonSchema(chain as v.GenericSchema<object>),
    { name: 'a', next: { name: 'b' } },
    { name: 'a', next: { name: 'b', c: 1 } },
    '/next/c',
  ],
];

describe('an argument that nobody reads', () => {
  it.each(closed)('is refused in %s, as the schema that is served says', async (_, input, known, unknown, path) => {
    expect(await call(input, known)).not.toHaveProperty('isError');
    const refused = await call(input, unknown);
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0]?.text).toContain(`${path} is not a known argument`);
  });

  it.each<[string, ValueSchema, object]>([
    [
      'an alternative is open',
      z.object({ u: z.union([z.object({ a: z.string() }), z.looseObject({ b: z.string() })]) }),
      { u: { b: 'x', c: 1 } },
    ],
    [
      'an alternative is anything',
      z.object({ u: z.union([z.object({ a: z.string() }), z.any()]) }),
      { u: { a: 'x', c: 1 } },
    ],
    [
      'two schemas judge the value',
      toStandardJsonSchema(v.object({ i: v.intersect([v.object({ a: v.string() }), v.object({ b: v.string() })]) })),
      { i: { a: 'x', b: 'y' } },
    ],
    ['the value is any JSON', z.object({ j: z.json() }), { j: { a: [{ b: null }] } }],
    [
      'its name is a pattern',
      z.object({ r: z.looseRecord(z.string().regex(/^x-/), z.number()) }),
      { r: { 'x-a': 1, b: 'c' } },
    ],
  ])('is taken where %s', async (_, input, args) => {
    expect(await call(input, args)).not.toHaveProperty('isError');
  });

  it('leaves a value that fits no alternative to the validator of the author', async () => {
    const { isError, content } = await call(either, { u: { c: 1 } });
    expect(isError).toBe(true);
    expect(content[0]?.text).toContain('/u: ');
  });

  it('is looked for in time that does not multiply with the depth of nested alternatives', async () => {
    const tree: z.ZodType = z.lazy(() =>
      z.union([z.object({ l: tree.optional() }), z.object({ l: tree.optional(), r: z.number().optional() })]),
    );
    let args: object = { c: 1 };
    for (let depth = 0; depth < 300; depth += 1) args = { l: args };
    const refused = await call(z.object({ t: tree }), { t: args });
    expect(refused.content[0]?.text).toMatch(/(?:\/l){300}\/c is not a known argument/);
  });
});

describe('a validator that answers', () => {
  const answering = (answer: unknown): ValueSchema => ({
    '~standard': {
      version: 1,
      vendor: 'probe',
      validate: () => answer as { value: unknown },
      jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
    },
  });
  const issues = [{ message: 'no' }];

  it.each<[string, unknown, RegExp]>([
    ['issues', { issues }, /: no$/],
    ['a promise of them', Promise.resolve({ issues }), /: no$/],
    [
      'a promise of another library',
      // oxlint-disable-next-line unicorn/no-thenable -- That is what it is about.
      { then: (resolve: (answer: object) => void) => resolve({ issues }) },
      /: no$/,
    ],
    ['an empty list of issues', { issues: [] }, /: the schema refuses them/],
  ])('%s lets nothing pass', async (_, answer, text) => {
    const refused = await call(answering(answer), {});
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content[0]?.text).toMatch(text);
  });
});
