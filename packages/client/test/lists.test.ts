import type { JsonObject } from '@switchyard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, type ClientWarning, connect, type ConnectOptions } from '../src/index.ts';
import { failure } from './expect-failure.ts';
import { createScriptedPeer, discovery, type ScriptedPeer } from './scripted-peer.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** A server on a duplex connection that answers each page as `page` says. */
async function serve(
  page: (params: JsonObject, count: number) => object,
  options: ConnectOptions = {},
): Promise<{ client: Client; peer: ScriptedPeer }> {
  let count = 0;
  const peer = createScriptedPeer(({ id, method, params }) => {
    if (method === undefined || method === 'server/discover' || id === undefined) return false;
    count += 1;
    peer.answer(id, { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...page(params ?? {}, count) });
    return true;
  });
  const client = await connect(peer.transport, {
    name: 'depot',
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  clients.push(client);
  return { client, peer };
}

const tool = (name: unknown, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const lists = ({ written }: ScriptedPeer) => written.filter(({ method }) => method?.endsWith('/list'));

describe('a list', () => {
  it('[PAG-02] [PAG-03] [PAG-04] [PAG-05] has all pages: cursors go back as they came, the empty one too', async () => {
    const cursors = ['', ' 世界\n', '0'];
    const { client, peer } = await serve(({ cursor }, count) => ({
      tools: [tool(`t${count}`)],
      ...(cursors[count - 1] === undefined ? {} : { nextCursor: cursors[count - 1] }),
      ...(cursor === undefined ? {} : {}),
    }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['t1', 't2', 't3', 't4']);
    expect(lists(peer).map(({ params }) => params?.['cursor'])).toEqual([undefined, ...cursors]);
    expect(lists(peer)[0]?.params).not.toHaveProperty('cursor');
  });

  it('ends at a cursor that is null', async () => {
    const { client } = await serve(() => ({ tools: [tool('a')], nextCursor: null }));
    expect((await client.listTools()).tools).toHaveLength(1);
  });

  it('[paging-01] ends at a cursor that comes again, with a warning that names the server', async () => {
    const { client, peer } = await serve(() => ({ tools: [tool('a'), tool('b'), tool('c')], nextCursor: 'p1' }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(lists(peer)).toHaveLength(2);
    const stopped = warnings.filter(({ code }) => code === 'paging-stopped');
    expect(stopped).toHaveLength(1);
    expect(stopped[0]?.message).toContain('"depot"');
  });

  it('[paging-01] ends at the 1,000th page, each entry once and each repetition told once', async () => {
    const { client, peer } = await serve((_params, count) => ({
      tools: [tool('a'), tool('b')],
      nextCursor: `c${count}`,
    }));
    const { tools, leftOut } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(leftOut.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(lists(peer)).toHaveLength(1000);
    expect(warnings.map(({ code }) => code)).toEqual(['entry-left-out', 'entry-left-out', 'paging-stopped']);
  });

  it('[paging-01] ends when its pages together are over four times the largest message', async () => {
    const { client, peer } = await serve(
      (_params, count) => ({
        tools: [tool(`t${count}`, { description: 'q'.repeat(9000) })],
        nextCursor: `c${count}`,
      }),
      { maxMessageBytes: 10_000 },
    );
    expect((await client.listTools()).tools).toHaveLength(5);
    expect(lists(peer)).toHaveLength(5);
    expect(warnings.map(({ code }) => code)).toEqual(['paging-stopped']);
    expect(warnings[0]?.message).toContain('maxMessageBytes');
  });

  it('is as heavy as it is in memory, where the text of its pages is short', async () => {
    const { client, peer } = await serve(
      (_params, count) => ({
        tools: [tool(`t${count}`, { inputSchema: { type: 'object', x: Array.from({ length: 1000 }, () => ({})) } })],
        nextCursor: `c${count}`,
      }),
      { maxMessageBytes: 10_000 },
    );
    await client.listTools();
    expect(lists(peer)).toHaveLength(3);
  });

  it('may be one page of any size', async () => {
    const { client } = await serve(() => ({ tools: [tool('a', { description: 'q'.repeat(90_000) })] }), {
      maxMessageBytes: 10_000,
    });
    expect((await client.listTools()).tools).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('is read up to 50,000 entries, malformed ones and those of one page included', async () => {
    const { client } = await serve(() => ({ tools: Array.from({ length: 300_000 }, () => 0) }));
    const { tools, leftOut } = await client.listTools();
    expect(tools).toEqual([]);
    expect(leftOut).toHaveLength(50_000);
    expect(warnings.at(-1)?.code).toBe('paging-stopped');
  });

  it('ends when it has more than 50,000 entries', async () => {
    const { client, peer } = await serve((_params, count) => ({
      resources: Array.from({ length: 20_000 }, (_unused, index) => ({ uri: `x://${count}/${index}`, name: 'x' })),
      nextCursor: `c${count}`,
    }));
    expect((await client.listResources()).resources).toHaveLength(50_000);
    expect(lists(peer)).toHaveLength(3);
    expect(warnings.map(({ code }) => code)).toEqual(['paging-stopped']);
  });

  it('[schema-09] leaves out malformed tools alone, each with a reason', async () => {
    const { client } = await serve(() => ({
      tools: [
        tool('a'),
        { name: 'b' },
        { name: 'c', inputSchema: null },
        { name: 'd', inputSchema: { type: 'object', properties: null } },
        tool(''),
        tool('e', { inputSchema: { type: 'object', additionalProperties: false } }),
        tool('f', { inputSchema: { type: 'string' } }),
        tool('g', { inputSchema: [] }),
        tool(7),
        null,
        'h',
        [],
        tool('i', { description: 5 }),
        tool('j', { annotations: 'x' }),
        tool('a', { description: 'again' }),
      ],
    }));
    const { tools, leftOut } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['a', 'e']);
    expect(leftOut).toEqual([
      { name: 'b', reason: 'Its inputSchema must be present.' },
      { name: 'c', reason: 'Its inputSchema must be present.' },
      { name: 'd', reason: 'Its inputSchema.properties must be an object.' },
      { name: 'entry 4', reason: 'Its name must not be empty.' },
      { name: 'f', reason: 'Its inputSchema.type must be one of "object".' },
      { name: 'g', reason: 'Its inputSchema must be an object.' },
      { name: 'entry 8', reason: 'Its name must be a string.' },
      { name: 'entry 9', reason: 'It must be an object.' },
      { name: 'entry 10', reason: 'It must be an object.' },
      { name: 'entry 11', reason: 'It must be an object.' },
      { name: 'i', reason: 'Its description must be a string.' },
      { name: 'j', reason: 'Its annotations must be an object.' },
      { name: 'a', reason: 'It is listed more than once; the first entry is used.' },
    ]);
    expect(warnings).toHaveLength(leftOut.length);
  });

  it('[TOOL-08] [schema-01] keeps schemas and unknown members as they came, and reads members that are null as absent', async () => {
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { a: { $anchor: 'b', default: null } },
      if: {},
      'x-y': [null],
    };
    const { client } = await serve(() => ({
      tools: [{ name: 'a', description: null, inputSchema, vendor: { z: 1 } }],
    }));
    expect((await client.listTools()).tools).toEqual([{ name: 'a', inputSchema, vendor: { z: 1 } }]);
  });

  it('[HDR-34] [http-17] keeps invalid header annotations where arguments travel in no header', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } };
    const { client } = await serve(() => ({ tools: [tool('a', { inputSchema })], content: [] }));
    expect((await client.listTools()).tools).toHaveLength(1);
    await expect(client.callTool('a', { a: 1 })).resolves.toMatchObject({ content: [] });
  });

  it('names what it leaves out in a form that is fit for a log', async () => {
    const { client } = await serve(() => ({ tools: [{ name: `evil\n\u001b[31m\u202e${'x'.repeat(10_000)}` }] }));
    const { leftOut } = await client.listTools();
    expect(leftOut[0]?.name).toMatch(/^evil \[31mx+…$/);
    expect(warnings[0]?.message.length).toBeLessThan(300);
  });

  it.each([
    [[{ ttlMs: 500, cacheScope: 'public' }], { ttlMs: 500, cacheScope: 'public' }],
    [
      [
        { ttlMs: 500, cacheScope: 'public' },
        { ttlMs: 100, cacheScope: 'public' },
      ],
      { ttlMs: 100, cacheScope: 'public' },
    ],
    [
      [
        { ttlMs: 500, cacheScope: 'public' },
        { ttlMs: 700, cacheScope: 'private' },
      ],
      { ttlMs: 500, cacheScope: 'private' },
    ],
    [[{ ttlMs: -1, cacheScope: 'public' }], { ttlMs: 0, cacheScope: 'public' }],
    [[{ ttlMs: undefined, cacheScope: undefined }], { ttlMs: 0, cacheScope: 'private' }],
  ])('[CACHE-11] [LEGC-17] is as fresh and as private as its strictest page: %j', async (pages, expected) => {
    const { client } = await serve((_params, count) => ({
      tools: [],
      ...pages[count - 1],
      ...(count < pages.length ? { nextCursor: `c${count}` } : {}),
    }));
    expect(await client.listTools()).toMatchObject(expected);
  });

  it.each([
    ['tools', { tools: {} }],
    ['nextCursor', { tools: [], nextCursor: 5 }],
    ['tools', {}],
  ])('is refused when %s has another shape', async (member, page) => {
    const { client } = await serve(() => page);
    const error = await failure(client.listTools());
    expect(error.code).toBe('invalid-response');
    expect(error.message).toContain(`result.${member}`);
  });

  it('of resources, templates and prompts is read in the same way', async () => {
    const { client, peer } = await serve(() => ({
      resources: [{ uri: 'x://a', name: 'a' }, { uri: 'x://b' }],
      resourceTemplates: [{ uriTemplate: 'x://{id}', name: 'a' }, { name: 'b' }],
      prompts: [
        { name: 'a', arguments: [{ name: 'x' }] },
        { name: 'b', arguments: [{}] },
      ],
    }));
    expect((await client.listResources()).resources).toEqual([{ uri: 'x://a', name: 'a' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([{ uriTemplate: 'x://{id}', name: 'a' }]);
    const { prompts, leftOut } = await client.listPrompts();
    expect(prompts).toEqual([{ name: 'a', arguments: [{ name: 'x' }] }]);
    expect(leftOut).toEqual([{ name: 'b', reason: 'Its arguments[0].name must be present.' }]);
    const methods = ['resources/list', 'resources/templates/list', 'prompts/list'];
    expect(lists(peer).map(({ method }) => method)).toEqual(methods);
  });
});

describe('a list of what a server lacks', () => {
  /** A server that knows no list, and says it has `capabilities`. */
  async function lacking(capabilities: JsonObject): Promise<Client> {
    const peer = createScriptedPeer(({ id, method }) => {
      if (method === 'server/discover') peer.answer(id, { ...discovery, capabilities });
      else peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } });
      return true;
    });
    const client = await connect(peer.transport, { name: 'depot' });
    clients.push(client);
    return client;
  }

  it('is empty where the server knows no such list and never said that it has one', async () => {
    const client = await lacking({});
    expect(await client.listTools()).toMatchObject({ tools: [], leftOut: [] });
    expect(await client.listPrompts()).toMatchObject({ prompts: [] });
    expect(await client.listResources()).toMatchObject({ resources: [] });
  });

  it('is the error of the server where it said that it has one, but for templates', async () => {
    const client = await lacking({ tools: {}, resources: {} });
    await expect(client.listTools()).rejects.toMatchObject({ code: -32601 });
    await expect(client.listResources()).rejects.toMatchObject({ code: -32601 });
    expect(await client.listResourceTemplates()).toMatchObject({ resourceTemplates: [] });
  });
});
