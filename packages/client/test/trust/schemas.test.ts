import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject, Tool } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { findUncheckedPatterns } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { reach, structured, tool, warnings } from './tool-server.ts';

const nested = (levels: number): JsonObject => {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { type: 'object', properties: { p: schema } };
  return schema;
};
/** Each definition refers to the next one twice: 2 ** n ways from the root. */
const doubling = (count: number): JsonObject => {
  const $defs: { [name: string]: JsonObject } = { [`d${count}`]: { type: 'string' } };
  for (let at = 0; at < count; at += 1) {
    const $ref = `#/$defs/d${at + 1}`;
    $defs[`d${at}`] = { properties: { a: { $ref }, b: { $ref } } };
  }
  return { $defs, properties: { x: { $ref: '#/$defs/d0' } } };
};

/** Eight resources that lead to one another, whose dynamic reference means another thing on each way to it. */
const names = Array.from({ length: 8 }, (_, at) => `r${at}`);
const properties = { ...Object.fromEntries(names.map(($ref) => [$ref, { $ref }])), d: { $dynamicRef: '#n' } };
const manyMeanings: JsonObject = {
  $defs: Object.fromEntries(names.map(($id) => [$id, { $id, $dynamicAnchor: 'n', properties }])),
  properties: { x: { $ref: 'r0' } },
};

const unusable: readonly (readonly [string, JsonObject, string])[] = [
  ['over 256 KiB', { description: 'x'.repeat(256 * 1024) }, 'bytes'],
  ['deeper than 64 subschemas', nested(70), 'deep'],
  ['of more than 2,000 subschemas', { allOf: Array.from({ length: 2_001 }, () => true) }, '2000'],
  ['with more than 10,000 ways through references', doubling(14), '10000'],
  ['with a reference to the network', { properties: { s: { $ref: 'https://schemas.kiln.test/x.json' } } }, 'x.json'],
];

/** What honest servers get wrong, each with what a warning says of it. */
const unreadable: readonly (readonly [string, JsonObject, string])[] = [
  ['of an unknown dialect', { $schema: 'https://schemas.kiln.test/dialect/9' }, 'dialect'],
  ['of draft-04', { $schema: 'http://json-schema.org/draft-04/schema#' }, 'dialect'],
  ['of 2019-09', { $schema: 'https://json-schema.org/draft/2019-09/schema' }, 'dialect'],
  ['with a reference to nothing', { properties: { s: { $ref: '#/$defs/Missing' } } }, '/properties/s'],
  ['with such a definition that nothing uses', { $defs: { a: { $ref: '#/$defs/Missing' } } }, '/$defs/a'],
  ['with a flag for a list', { properties: { s: { required: true } } }, '/properties/s/required'],
  ['with null for a list', { required: null }, '/required'],
  ['with a type that there is not', { properties: { s: { type: 'any' } } }, '/properties/s/type'],
  ['with a tuple of another dialect', { properties: { s: { items: [{}, {}] } } }, '/properties/s/items'],
];

describe('a schema of a server', () => {
  it.each(unusable)(
    '[JSCH-10] [JSCH-11] [JSCH-12] [schema-02] leaves its tool out alone: %s',
    async (_name, schema, said) => {
      const tools = [
        tool('first'),
        tool('bad_in', schema),
        tool('bad_out', {}, { type: 'object', ...schema }),
        tool('last'),
      ];
      const { client, peer } = await reach({ tools });
      const listed = await client.listTools();
      expect(listed.tools.map(({ name }) => name)).toEqual(['first', 'last']);
      expect(listed.leftOut).toMatchObject([
        { name: 'bad_in', reason: expect.stringMatching(/^Its inputSchema cannot be used\. Schema/) as string },
        { name: 'bad_out', reason: expect.stringMatching(/^Its outputSchema cannot be used\. Schema/) as string },
      ]);
      for (const { reason } of listed.leftOut) expect(reason.replaceAll(',', '')).toContain(said);
      expect(warnings.map(({ code }) => code)).toEqual(['entry-left-out', 'entry-left-out']);
      const error = await failure(client.callTool('bad_in'));
      expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot' });
      expect(error.message).toContain('"bad_in"');
      expect(peer.written.map(({ method }) => method)).not.toContain('tools/call');
    },
  );

  it.each(unreadable)(
    '[JSCH-03] that cannot be read leaves its tool callable, unchecked, with a warning: %s',
    async (...row) => {
      const [, schema, said] = row;
      const number = { type: 'object', properties: { a: { type: 'number' } } };
      const tools = [tool('bad_in', schema, number), tool('bad_out', {}, { type: 'object', ...schema })];
      const results = { 'tools/call': structured({ a: 'x' }) };
      const { client } = await reach({ tools, results }, { checks: { arguments: 'reject' } });
      expect(await client.listTools()).toMatchObject({ tools: [{ name: 'bad_in' }, { name: 'bad_out' }], leftOut: [] });
      expect(warnings).toMatchObject([
        { code: 'unchecked-tool', message: expect.stringMatching(/"bad_in".*inputSchema/) as string },
        { code: 'unchecked-tool', message: expect.stringMatching(/"bad_out".*outputSchema/) as string },
      ]);
      for (const { message } of warnings) expect(message).toContain(said);
      expect(await client.callTool('bad_out')).toMatchObject({ structuredContent: { a: 'x' } });
      // The schema beside it that can be read still counts.
      expect((await failure(client.callTool('bad_in'))).code).toBe('result-rejected');
      expect(warnings).toHaveLength(2);
    },
  );

  it('that cannot be read leaves its tool out where the caller says so', async () => {
    const bad = tool('bad', {}, { $ref: '#/$defs/Missing', type: 'object' });
    const { client, peer } = await reach({ tools: [bad] }, { checks: { unreadableSchemas: 'reject' } });
    expect((await client.listTools()).leftOut).toMatchObject([{ name: 'bad' }]);
    const error = await failure(client.callTool('bad'));
    expect(error).toMatchObject({ code: 'invalid-argument' });
    expect(error.message).toContain('checks.unreadableSchemas');
    expect(peer.written.map(({ method }) => method)).not.toContain('tools/call');
  });

  it('that is out of bounds lets its tool stay and pass unchecked where the caller says so', async () => {
    const results = { 'tools/call': structured({ a: 1 }) };
    const bad = tool('bad', {}, { $ref: 'https://schemas.kiln.test/x.json', type: 'object' });
    const warning = await reach({ tools: [bad], results }, { checks: { schemas: 'warn' } });
    expect((await warning.client.listTools()).tools).toHaveLength(1);
    expect(warnings.map(({ code }) => code)).toEqual(['unchecked-tool']);
    expect(await warning.client.callTool('bad')).toMatchObject({ structuredContent: { a: 1 } });
    warnings.length = 0;
    const off = await reach({ tools: [bad], results }, { checks: false });
    expect((await off.client.listTools()).tools).toHaveLength(1);
    expect(await off.client.callTool('bad')).toMatchObject({ structuredContent: { a: 1 } });
    expect(warnings).toEqual([]);
  });

  it('may be larger where the limits are raised', async () => {
    const { client } = await reach(
      { tools: [tool('deep', nested(70))] },
      { checks: { schemaLimits: { maxDepth: 100 } } },
    );
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  it('[JSCH-06] [JSCH-07] sends nobody to the network, listed, used or refused', async () => {
    let requests = 0;
    const canary = createServer((_request, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => {
      canary.listen(0, '127.0.0.1', resolve);
    });
    const { port } = canary.address() as AddressInfo;
    const $ref = `http://127.0.0.1:${port}/x.json`;
    const tools = [
      tool('by_ref', { properties: { a: { $ref } } }),
      tool('by_id', { $id: $ref, properties: { a: { $ref: 'y.json' } } }),
      tool('by_dynamic_ref', {}, { type: 'object', properties: { a: { $dynamicRef: `${$ref}#x` } } }),
      tool('by_dialect', { $schema: $ref }),
      tool('fine', { $id: $ref }),
    ];
    const { client } = await reach({ tools, results: { 'tools/call': { content: [] } } });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['by_dialect', 'fine']);
    await client.callTool('fine');
    await failure(client.callTool('by_ref'));
    await new Promise((resolve) => {
      canary.close(resolve);
    });
    expect(requests).toBe(0);
  });

  it('never meets another one of the same $id', async () => {
    const $id = 'https://a.test/shared';
    const tools = [
      tool('number', {}, { $id, type: 'object', properties: { a: { type: 'number' } } }),
      tool('text', {}, { $id, type: 'object', properties: { a: { type: 'string' } } }),
    ];
    const { client } = await reach({ tools, results: { 'tools/call': structured({ a: 'x' }) } });
    await client.listTools();
    expect((await failure(client.callTool('number'))).code).toBe('result-rejected');
    expect(await client.callTool('text')).toMatchObject({ structuredContent: { a: 'x' } });
  });

  it('that is found out of bounds when it is compiled has its tool refused before anything is sent', async () => {
    const { client, peer } = await reach({ tools: [tool('odd', manyMeanings)] });
    expect((await client.listTools()).leftOut).toEqual([]);
    expect((await failure(client.callTool('odd'))).code).toBe('invalid-argument');
    expect(peer.written.map(({ method }) => method)).not.toContain('tools/call');
  });

  it('is compiled once for lists that repeat it', async () => {
    const output = { type: 'object', properties: { a: { type: 'number' } } };
    const { client } = await reach({ tools: [tool('t', {}, output)], results: { 'tools/call': structured({ a: 1 }) } });
    const startedAt = performance.now();
    for (let round = 0; round < 50; round += 1) {
      await client.listTools();
      await client.callTool('t');
    }
    // Compiling each time takes some milliseconds.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });
});

describe('a pattern of a server', () => {
  it.each([
    ['^(a+)+$', `${'a'.repeat(27)}!`],
    ['^(\\w+\\s?)*$', `${'a'.repeat(34)}!`],
    ['(x+x+)+y', 'x'.repeat(100)],
  ])('[schema-08] runs in linear time: %s', async (pattern, value) => {
    const tools = [tool('t', { properties: { k: { type: 'string', pattern } } })];
    const { client } = await reach(
      { tools, results: { 'tools/call': { content: [] } } },
      { checks: { arguments: 'reject' } },
    );
    await client.listTools();
    await failure(client.callTool('t', { k: value }));
    const startedAt = performance.now();
    const error = await failure(client.callTool('t', { k: value }));
    expect(performance.now() - startedAt).toBeLessThan(5);
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('/k') as string });
  });

  it('that the engine cannot hold is marked, and its tool stays and works', async () => {
    const tools = [
      tool('t', { properties: { k: { type: 'string', pattern: '^(?=a)b(?!c)$' }, n: { type: 'number' } } }),
    ];
    const { client } = await reach(
      { tools, results: { 'tools/call': { content: [] } } },
      { checks: { arguments: 'reject' } },
    );
    const listed = await client.listTools();
    expect(listed).toMatchObject({ tools: [{ name: 't' }], leftOut: [] });
    expect(await findUncheckedPatterns(listed.tools[0] as Tool)).toEqual(['^(?=a)b(?!c)$']);
    await client.callTool('t', { k: 'anything' });
    await client.callTool('t', { k: 'anything' });
    expect(warnings.map(({ code }) => code)).toEqual(['unchecked-pattern']);
    expect((await failure(client.callTool('t', { n: 'x' }))).code).toBe('invalid-argument');
  });

  it('that can be checked is not marked', async () => {
    expect(await findUncheckedPatterns(tool('t', { properties: { k: { pattern: '^(a+)+$' } } }) as Tool)).toEqual([]);
    expect(await findUncheckedPatterns(tool('t', { $ref: '#/no' }) as Tool)).toEqual([]);
  });
});

describe('uniqueItems', () => {
  it.each([
    ['that all differ are taken', 8_000, undefined],
    ['of which two are the same are refused', 7_999, 'result-rejected'],
  ])('of 8,000 objects %s', async (_, different, code) => {
    const output = { type: 'object', properties: { rows: { type: 'array', uniqueItems: true } } };
    const rows = Array.from({ length: 8_000 }, (_row, at) => ({ name: 'same', place: { row: at % different } }));
    const { client } = await reach({
      tools: [tool('t', {}, output)],
      results: { 'tools/call': structured({ rows }) },
    });
    await client.listTools();
    const call = client.callTool('t');
    if (code === undefined) expect(await call).toHaveProperty('structuredContent');
    else expect((await failure(call)).code).toBe(code);
  });
});

describe('arguments', () => {
  const tools = [tool('t', { properties: { count: { type: 'integer' } }, required: ['count'] })];
  const results = { 'tools/call': { content: [] } };

  it('are the server’s to check unless the caller wants it', async () => {
    const { client } = await reach({ tools, results });
    await client.listTools();
    expect(await client.callTool('t', { count: 'three' })).toMatchObject({ content: [] });
    expect(warnings).toEqual([]);
  });

  it('are refused before anything is sent where the caller wants it', async () => {
    const { client, peer } = await reach({ tools, results }, { checks: { arguments: 'reject' } });
    await client.listTools();
    const error = await failure(client.callTool('t', { count: 'three-secret' }));
    expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot' });
    expect(error.message).toMatch(/"t".*\/count.*integer/);
    expect(error.message).not.toContain('three-secret');
    expect(peer.written.map(({ method }) => method)).not.toContain('tools/call');
    expect(await client.callTool('t', { count: 3 })).toMatchObject({ content: [] });
  });

  it('may be sent with a warning', async () => {
    const { client } = await reach({ tools, results }, { checks: { arguments: 'warn' } });
    await client.listTools();
    await client.callTool('t', {});
    expect(warnings.map(({ code }) => code)).toEqual(['rule-broken']);
  });
});
