import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import { createServer, type Server, silentLogger, type ValueSchema } from '@switchyard/server';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { openMemory } from './memory-route.ts';

/** Serves one tool that answers its arguments, and counts its runs. */
function createProbe(input: ValueSchema | undefined): { server: Server; runs: unknown[] } {
  const runs: unknown[] = [];
  const server = createServer({ name: 'probe', version: '1.0.0' }, { logger: silentLogger });
  server.tool('probe', input === undefined ? {} : { input }, (args) => {
    runs.push(structuredClone(args));
    return 'ran';
  });
  return { server, runs };
}

async function schemaOf(server: Server): Promise<{ readonly [keyword: string]: unknown }> {
  const { result } = await openMemory(server).request('tools/list');
  const tools = result?.['tools'] as { readonly inputSchema: { readonly [keyword: string]: unknown } }[] | undefined;
  if (tools?.[0] === undefined) throw new Error('no tool');
  return tools[0].inputSchema;
}

/**
 * The same arguments in every dialect: `limit` an integer of at least 1 with default 10, `place` optional, `tags`
 * optional.
 */
const dialects: readonly [dialect: string, closed: ValueSchema, open: ValueSchema][] = [
  [
    'zod',
    z.object({
      city: z.string(),
      limit: z.int().min(1).default(10),
      place: z.object({ street: z.string() }).optional(),
      tags: z.array(z.string()).optional(),
    }),
    z.looseObject({ city: z.string() }),
  ],
  [
    'arktype',
    type({ city: 'string', limit: 'number.integer >= 1 = 10', 'place?': { street: 'string' }, 'tags?': 'string[]' }),
    type({ city: 'string', '[string]': 'unknown' }),
  ],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({
        city: v.string(),
        limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1)), 10),
        place: v.optional(v.object({ street: v.string() })),
        tags: v.optional(v.array(v.string())),
      }),
    ),
    toStandardJsonSchema(v.objectWithRest({ city: v.string() }, v.unknown())),
  ],
  [
    'JSON Schema',
    {
      type: 'object',
      properties: {
        city: { type: 'string' },
        limit: { type: 'integer', minimum: 1, default: 10 },
        place: {
          type: 'object',
          properties: { street: { type: 'string' } },
          required: ['street'],
          additionalProperties: false,
        },
        tags: { type: 'array', items: { type: 'string' } },
      },
      required: ['city'],
      additionalProperties: false,
    },
    { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  ],
];

describe.each(dialects)('arguments described in %s', (dialect, closed, open) => {
  it('run the handler with defaults filled in', async () => {
    const { server, runs } = createProbe(closed);
    expect(await openMemory(server).call('probe', { city: 'Oslo' })).not.toHaveProperty('isError');
    await openMemory(server).call('probe', { city: 'Oslo', limit: 3, place: { street: 'x' }, tags: ['a'] });
    expect(runs).toEqual([
      { city: 'Oslo', limit: 10 },
      { city: 'Oslo', limit: 3, place: { street: 'x' }, tags: ['a'] },
    ]);
  });

  it.each<[string, object, RegExp]>([
    ['a missing argument', {}, /city/],
    ['an argument of another type', { city: 7 }, /city.*string/i],
    ['true for a number', { city: 'Oslo', limit: true }, /limit.*(number|integer)/i],
    ['text for a number', { city: 'Oslo', limit: '3' }, /limit.*(number|integer)/i],
    ['a fraction for an integer', { city: 'Oslo', limit: 0.5 }, /limit/i],
    ['a number below its minimum', { city: 'Oslo', limit: 0 }, /limit.*(1|positive)/i],
    ['null', { city: null }, /city/],
    ['a wrong type two levels down', { city: 'Oslo', place: { street: 1 } }, /place.*street/],
    ['a wrong type in a list', { city: 'Oslo', tags: ['a', 2] }, /tags.*1/],
    ['an argument that nobody reads', { city: 'Oslo', citty: 'Oslo' }, /citty/],
    ['one two levels down', { city: 'Oslo', place: { street: 'x', strete: 'y' } }, /strete/],
    ['a member called __proto__', JSON.parse('{"city":"Oslo","__proto__":{"limit":5}}') as object, /__proto__/],
  ])('[TOOL-27] [TOOL-31] answer %s with a complete result that names the path and the rule', async (_, args, text) => {
    const { server, runs } = createProbe(closed);
    const result = await openMemory(server).call('probe', args);
    expect(result).toMatchObject({ resultType: 'complete', isError: true, content: [{ type: 'text' }] });
    expect(result.content[0]?.text).toMatch(text);
    expect(result.content[0]?.text).toContain('probe');
    expect(runs).toEqual([]);
  });

  it('are served as a closed JSON Schema of 2020-12 with an object at its root', async () => {
    const schema = await schemaOf(createProbe(closed).server);
    expect(schema).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string' }, place: { additionalProperties: false } },
      required: ['city'],
      additionalProperties: false,
    });
    if (schema['$schema'] !== undefined) expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    if (dialect === 'JSON Schema') expect(schema).toEqual(closed);
  });

  it('stay open where the author opens them', async () => {
    const { server, runs } = createProbe(open);
    expect(await openMemory(server).call('probe', { city: 'Oslo', more: [1] })).not.toHaveProperty('isError');
    expect(runs).toEqual([{ city: 'Oslo', more: [1] }]);
    expect((await schemaOf(server))['additionalProperties']).not.toBe(false);
  });

  it('of one call do not reach the next', async () => {
    const { server, runs } = createProbe(closed);
    await openMemory(server).call('probe', { city: 'Oslo', limit: 3 });
    await openMemory(server).call('probe', { city: 'Oslo' });
    expect(runs).toEqual([
      { city: 'Oslo', limit: 3 },
      { city: 'Oslo', limit: 10 },
    ]);
  });
});

describe('arguments', () => {
  it('[TOOL-07] are none where a tool has no input, and any are refused', async () => {
    const { server, runs } = createProbe(undefined);
    expect(await schemaOf(server)).toEqual({ type: 'object', additionalProperties: false });
    expect(await openMemory(server).call('probe', {})).not.toHaveProperty('isError');
    expect(await openMemory(server).call('probe', { surplus: 1 })).toMatchObject({ isError: true });
    expect(runs).toHaveLength(1);
  });

  it('may be absent from a call', async () => {
    const { server, runs } = createProbe(z.object({ a: z.number().default(1) }));
    await openMemory(server).request('tools/call', { name: 'probe' });
    expect(runs).toEqual([{ a: 1 }]);
  });

  it('pass asynchronous refinements and transformations of their author', async () => {
    const known = (name: string): Promise<boolean> => Promise.resolve(name === 'mira');
    const { server, runs } = createProbe(
      z.object({ name: z.string().refine(known, 'unknown name'), day: z.string().transform((day) => new Date(day)) }),
    );
    const refused = await openMemory(server).call('probe', { name: 'jonas', day: '2026-09-14' });
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/\/name: unknown name/) }],
    });
    await openMemory(server).call('probe', { name: 'mira', day: '2026-09-14' });
    expect(runs).toEqual([{ name: 'mira', day: new Date('2026-09-14') }]);
  });

  it('name at most five of the rules that they break, whatever they hold', async () => {
    const { server } = createProbe(
      z.object(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, z.string()]))),
    );
    const { content } = await openMemory(server).call('probe', {});
    expect(content[0]?.text.length).toBeLessThan(1_000);
    expect(content[0]?.text).toContain('295 more');
    const long = await openMemory(server).call('probe', { ['k'.repeat(100_000)]: 1 });
    expect(long.content[0]?.text.length).toBeLessThan(1_000);
  });

  it('[TOOL-08] serve every keyword of a plain JSON Schema unchanged', async () => {
    // As text, since an object with a member `then` is an accident waiting for an `await`.
    const conditional = '{"if":{"properties":{"kind":{"const":"sea"}}},"then":{"required":["crate"]},"else":{}}';
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: 'https://example.com/probe',
      type: 'object',
      $defs: { crate: { $anchor: 'crate', type: 'object', properties: { kg: { type: 'number' } }, required: ['kg'] } },
      properties: { crate: { $ref: '#crate', description: 'what to ship' }, kind: { const: 'sea' } },
      allOf: [JSON.parse(conditional) as object],
      unevaluatedProperties: false,
      'x-vendor': { a: [1, null] },
    };
    const { server, runs } = createProbe(schema);
    expect(await schemaOf(server)).toEqual(schema);
    await openMemory(server).call('probe', { kind: 'sea', crate: { kg: 2 } });
    expect(runs).toHaveLength(1);
    for (const args of [{ kind: 'sea' }, { kind: 'sea', crate: {} }, { kind: 'sea', crate: { kg: 1 }, more: 1 }]) {
      expect(await openMemory(server).call('probe', args)).toMatchObject({ isError: true });
    }
    expect(runs).toHaveLength(1);
  });

  it('may be described by two schemas with the same $id', async () => {
    const schemaOfType = (kind: string): ValueSchema => ({
      $id: 'https://example.com/same',
      type: 'object',
      properties: { a: { type: kind } },
    });
    const server = createServer({ name: 'twins', version: '1.0.0' }, { logger: silentLogger });
    server.tool('first', { input: schemaOfType('string') }, () => 'ran');
    server.tool('second', { input: schemaOfType('integer') }, () => 'ran');
    const memory = openMemory(server);
    expect(await memory.call('first', { a: 'x' })).not.toHaveProperty('isError');
    expect(await memory.call('second', { a: 1 })).not.toHaveProperty('isError');
    expect(await memory.call('first', { a: 1 })).toMatchObject({ isError: true });
    expect(await memory.call('second', { a: 'x' })).toMatchObject({ isError: true });
  });
});
