import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import { type ClientWarning, connect, type ConnectOptions } from '../../src/index.ts';
import { createScriptedPeer, type ScriptedPeer } from '../scripted-peer.ts';
import { expectAccepted, growthDuring, impatient, expectRefused, settled } from './outcome.ts';
import { closeAfterwards } from './raw-server.ts';

const patient: ConnectOptions = { ...impatient, timeoutMs: 2_000, maxTimeoutMs: 2_400 };
const tool = (name: unknown, inputSchema: unknown = { type: 'object' }): JsonObject => ({ name, inputSchema });

/** A client of a server that lists these pages and answers every tool with `result`. */
async function reach(
  page: (cursor: unknown) => JsonObject,
  options: ConnectOptions = {},
  result: JsonObject = { content: [] },
) {
  const warnings: ClientWarning[] = [];
  let pages = 0;
  const peer: ScriptedPeer = createScriptedPeer(({ id, method = '', params }) => {
    if (method === 'server/discover') return false;
    if (method === 'tools/list') {
      pages += 1;
      peer.answer(id, { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...page(params?.['cursor']) });
    } else if (method === 'tools/call') peer.answer(id, { resultType: 'complete', ...result });
    return true;
  });
  const connecting = connect(peer.transport, {
    ...patient,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  return { client: closeAfterwards(await connecting), peer, warnings, pages: () => pages };
}

const deep = (levels: number): JsonObject => {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { anyOf: [schema] };
  return { type: 'object', properties: { a: schema } };
};
const doubling = (count: number): JsonObject => ({
  type: 'object',
  $defs: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `d${at}`,
      { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] },
    ]).concat([[`d${count}`, true as never]]),
  ),
  properties: { a: { $ref: '#/$defs/d0' } },
});
const wide = (count: number): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, { type: 'string' }])),
});

describe('a list of a server', () => {
  it.each<[string, (cursor: unknown) => JsonObject]>([
    ['whose cursor comes again', () => ({ tools: [tool('a')], nextCursor: 'again' })],
    ['whose cursors go round', (cursor) => ({ tools: [tool('a')], nextCursor: cursor === 'x' ? 'y' : 'x' })],
    ['whose cursor is empty for ever', () => ({ tools: [tool('a')], nextCursor: '' })],
    ['that never ends', (cursor) => ({ tools: [tool('a')], nextCursor: `${Number(cursor ?? 0) + 1}` })],
    ['that is empty and never ends', (cursor) => ({ tools: [], nextCursor: `${Number(cursor ?? 0) + 1}` })],
    ['of a million entries', () => ({ tools: Array.from({ length: 1_000_000 }, () => null) })],
    ['of sixty thousand good entries', () => ({ tools: Array.from({ length: 60_000 }, (_, at) => tool(`t${at}`)) })],
    [
      'whose pages are large and never end',
      (cursor) => ({
        tools: [{ ...tool(`t${Number(cursor ?? 0)}`), description: 'x'.repeat(400_000) }],
        nextCursor: `${Number(cursor ?? 0) + 1}`,
      }),
    ],
  ])('%s ends in time, with a warning that names the server', async (_name, page) => {
    const options = { maxMessageBytes: 16 * 1024 * 1024, maxTimeoutMs: 20_000, timeoutMs: 20_000 };
    const { client, warnings, pages } = await reach(page, options);
    const growth = await growthDuring(async () => {
      const { tools } = await client.listTools();
      expect(tools.length).toBeLessThanOrEqual(50_000);
    });
    expect(pages()).toBeLessThanOrEqual(1_000);
    expect(growth).toBeLessThan(256 * 1024 * 1024);
    const stopped = warnings.find(({ code }) => code === 'paging-stopped');
    expect(stopped?.message).toContain('MCP server "depot"');
    expect(warnings.length).toBeLessThanOrEqual(2_001);
  });

  it('whose pages come too slowly ends with the deadline', async () => {
    const { client } = await reach(
      (cursor) => {
        const until = performance.now() + 20;
        while (performance.now() < until);
        return { tools: [], nextCursor: `${Number(cursor ?? 0) + 1}` };
      },
      { maxTimeoutMs: 300 },
    );
    await expectRefused(client.listTools(), 'timeout');
  });

  it.each<[string, readonly unknown[], readonly string[]]>([
    ['the same tool twice', [tool('a'), tool('a')], ['a']],
    ['two tools of one name', [tool('a', { type: 'object', title: 'first' }), tool('a')], ['a']],
    [
      'names of Object.prototype',
      [tool('__proto__'), tool('constructor'), tool('toString')],
      ['__proto__', 'constructor', 'toString'],
    ],
    ['names that are none', [tool(''), tool(null), tool(7), tool('a')], ['a']],
    ['entries that are none', [null, 7, 'x', [], tool('a')], ['a']],
    [
      'schemas that are none',
      [tool('a', null), tool('b', 'x'), tool('c', []), tool('d', { type: 'array' }), tool('e')],
      ['e'],
    ],
    ['a deep schema', [tool('a', deep(70)), tool('b')], ['b']],
    ['a very deep schema', [tool('a', deep(2_000)), tool('b')], ['b']],
    ['a schema of two to the thirtieth ways', [tool('a', doubling(30)), tool('b')], ['b']],
    ['a schema of 3,000 properties', [tool('a', wide(3_000)), tool('b')], ['b']],
    ['a schema of 300 KB', [tool('a', { type: 'object', description: 'x'.repeat(300_000) }), tool('b')], ['b']],
    [
      'a schema that refers to itself',
      [tool('a', { type: 'object', properties: { a: { $ref: '#' } } }), tool('b')],
      ['a', 'b'],
    ],
    ['a schema that is only a circle', [tool('a', { type: 'object', $ref: '#' }), tool('b')], ['a', 'b']],
    [
      'a schema of another dialect',
      [tool('a', { type: 'object', $schema: 'https://x.test/9' }), tool('b')],
      ['a', 'b'],
    ],
    ['a reference to the network', [tool('a', { type: 'object', $ref: 'http://127.0.0.1:9/x' }), tool('b')], ['b']],
    ['a reference to a file', [tool('a', { type: 'object', $ref: 'file:///etc/passwd' }), tool('b')], ['b']],
  ])('may hold %s, and the others live', async (_name, tools, expected) => {
    const { client, warnings } = await reach(() => ({ tools }));
    const listed = await expectAccepted(client.listTools());
    const names = listed.tools.map(({ name }) => name);
    expect(names.filter((name) => name !== 'a' || expected.includes('a'))).toEqual(expected);
    for (const { message } of warnings) expect(message).toContain('MCP server "depot"');
    for (const name of names) await settled(client.callTool(name));
    expect(await expectAccepted(client.callTool(expected.at(-1) ?? ''))).toMatchObject({ content: [] });
  });

  it('may hold names that a terminal obeys: they stay in the list, and errors show them clean', async () => {
    const names = ['a\u001b[31m\u0007', 'b\u202egnirts', 'c\u200b\u2066', 'd\r\nX: y', '\ud800'];
    const { client } = await reach(() => ({
      tools: names.map((name) => ({ ...tool(name), outputSchema: { type: 'object' } })),
    }));
    expect((await expectAccepted(client.listTools())).tools.map(({ name }) => name)).toEqual(names);
    for (const name of names) await expectRefused(client.callTool(name), 'result-rejected', 'invalid-argument');
  });
});

describe('the result of a tool that was listed', () => {
  const output = (schema: JsonObject): JsonObject => ({ ...tool('t'), outputSchema: { type: 'object', ...schema } });
  const rows = (length: number): unknown[] => Array.from({ length }, (_, row) => ({ a: [row], b: 'same' }));

  it.each<[string, JsonObject, JsonObject]>([
    ['breaks its schema', { required: ['a'] }, { content: [], structuredContent: {} }],
    ['has no structured form', {}, { content: [{ type: 'text', text: '{}' }] }],
    ['has the form of another type', {}, { content: [], structuredContent: [] }],
    ['has a form that is null', {}, { content: [], structuredContent: null }],
    [
      'has one item twice among 8,000',
      { properties: { r: { uniqueItems: true } } },
      { content: [], structuredContent: { r: [...rows(8_000), { b: 'same', a: [0] }] } },
    ],
    [
      'makes a pattern backtrack',
      { properties: { s: { pattern: '^(a+)+$' } } },
      { content: [], structuredContent: { s: `${'a'.repeat(50_000)}!` } },
    ],
    [
      'takes more steps than a check has',
      {
        $defs: { n: { anyOf: [{ type: 'string' }, { items: { $ref: '#/$defs/n' }, minItems: 100 }] } },
        additionalProperties: {
          allOf: Array.from({ length: 30 }, () => ({ not: { contains: { const: -1 } } })),
          maxItems: 0,
        },
      },
      { content: [], structuredContent: { a: rows(50_000) } },
    ],
  ])('is refused in time when it %s', async (_name, schema, result) => {
    const { client } = await reach(() => ({ tools: [output(schema)] }), {}, result);
    await expectAccepted(client.listTools());
    const error = await expectRefused(client.callTool('t'), 'result-rejected');
    expect(error.message).toContain('"t"');
  });

  it('is warned of when text and structure say different things', async () => {
    const result = { content: [{ type: 'text', text: '{"ok":true}' }], structuredContent: { ok: false } };
    const { client, warnings } = await reach(() => ({ tools: [output({})] }), {}, result);
    await expectAccepted(client.listTools());
    await expectAccepted(client.callTool('t'));
    expect(warnings).toMatchObject([
      { code: 'rule-broken', message: expect.stringContaining('MCP server "depot"') as string },
    ]);
  });

  it('is refused when it is over the limit', async () => {
    const result = { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] };
    const { client } = await reach(() => ({ tools: [] }), { resultSize: { maxBytes: 1_000_000 } }, result);
    await expectRefused(client.callTool('t'), 'result-rejected');
  });

  it('has unsafe links dropped', async () => {
    const uris = ['javascript:alert(1)', 'data:text/html,<script>', ' \u0001vbscript:x', 'depot://ok'];
    const content = uris.map((uri) => ({ type: 'resource_link', uri, name: 'x' }));
    const { client, warnings } = await reach(() => ({ tools: [] }), {}, { content });
    expect((await expectAccepted(client.callTool('t'))).content).toEqual([content[3]]);
    expect(warnings).toHaveLength(3);
  });
});
