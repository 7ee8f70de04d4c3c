import type { JsonObject } from '@switchyard/protocol';
import { describe, expect, it } from 'vitest';
import type { Client, ClientWarning } from '../../src/index.ts';
import { connect } from '../../src/index.ts';
import { connect as connectNode } from '../../src/node/index.ts';
import { serve as serveCached } from '../cache/serve-cached.ts';
import { failure } from '../expect-failure.ts';
import { fixture } from '../fixture-command.ts';
import { serveLegacy } from '../input/asking-peer.ts';
import { settle } from '../manual-clock.ts';
import { sendError, sendJson, startHttpServer } from '../scripted-http-server.ts';
import { cancellations, lastId, serve, warnings, watch } from '../serve-scripted.ts';

type List = 'listTools' | 'listPrompts' | 'listResources' | 'listResourceTemplates';

describe('a list', () => {
  const entries: { readonly [method: string]: (name: string) => JsonObject } = {
    listTools: (name) => ({ tools: [{ name, inputSchema: { type: 'object' } }] }),
    listPrompts: (name) => ({ prompts: [{ name }] }),
    listResources: (name) => ({ resources: [{ name, uri: `x://${name}` }] }),
    listResourceTemplates: (name) => ({ resourceTemplates: [{ name, uriTemplate: `x://${name}/{id}` }] }),
  };
  const namesIn = (list: object): unknown =>
    Object.values(list)
      .filter((value): value is readonly { readonly name: string }[] => Array.isArray(value))
      .flat()
      .map(({ name }) => name);

  it.each<[List, number]>([
    ['listTools', 1],
    ['listPrompts', 1],
    ['listResources', 1],
    ['listResourceTemplates', 1],
    ['listTools', 3],
    ['listPrompts', 3],
    ['listResources', 3],
    ['listResourceTemplates', 3],
  ])('[PAG-06] [PRM-11] of %s is whole, in pages or without: %i', async (method, pages) => {
    const { client, asked } = await serveCached(({ params }) => {
      const at = Number(params?.['cursor'] ?? 1);
      const next = at < pages ? { nextCursor: `${at + 1}` } : {};
      return { ...entries[method]?.(`e${at}`), ttlMs: 0, cacheScope: 'private', ...next };
    });
    const expected = Array.from({ length: pages }, (_, at) => `e${at + 1}`);
    expect(namesIn(await client[method]())).toEqual(expected);
    expect(asked()).toHaveLength(pages);
  });
});

describe('a completion', () => {
  const ref = { type: 'ref/prompt', name: 'p' } as const;
  const complete = (client: Client) =>
    client.complete({ ref, argument: { name: 'to', value: 'B' }, context: { arguments: { from: 'Ada' } } });

  it('[COMP-12] is asked for with the values of before', async () => {
    const { client, peer } = await serve();
    const asking = complete(client);
    await settle();
    expect(peer.written.at(-1)?.params).toMatchObject({ context: { arguments: { from: 'Ada' } } });
    peer.answer(lastId(peer), { resultType: 'complete', completion: { values: ['Bob'] } });
    expect(await asking).toMatchObject({ completion: { values: ['Bob'] } });
  });

  it.each([
    { values: [] },
    { values: ['a', 'b'], total: 1000 },
    { values: ['a'], hasMore: true },
    { values: ['a'], total: 0, hasMore: false, future: 1 },
  ])('[COMP-11] may be none, a part, or say nothing of how many there are: %j', async (completion) => {
    const { client, peer } = await serve();
    const asking = complete(client);
    await settle();
    peer.answer(lastId(peer), { resultType: 'complete', completion });
    expect((await asking).completion).toEqual(completion);
  });
});

describe('annotations of a resource', () => {
  it.each<[object, boolean]>([
    [{ audience: ['user', 'assistant'], priority: 0.5, lastModified: '2026-07-28T10:00:00Z' }, true],
    [{}, true],
    [{ audience: ['robot'] }, false],
    [{ audience: 'user' }, false],
    [{ priority: 'high' }, false],
    [{ lastModified: 5 }, false],
    ['important', false],
  ] as [object, boolean][])('[RES-19] are taken in their shape alone: %j is %s', async (annotations, isTaken) => {
    const { client } = await serveCached(() => ({ resources: [{ name: 'a', uri: 'x://a', annotations }] }));
    const { resources, leftOut } = await client.listResources();
    expect([resources.length, leftOut.length]).toEqual(isTaken ? [1, 0] : [0, 1]);
    if (isTaken) expect(resources[0]?.annotations).toEqual(annotations);
    else expect(leftOut[0]?.reason).toContain('annotations');
  });
});

describe('a prompt', () => {
  it.each<object>([{ to: 5 }, { to: null }, { to: ['Ada'] }])(
    '[PRM-13] is not asked for with arguments that are no texts: %j',
    async (args) => {
      const { client, asked } = await serveCached(() => ({ messages: [] }));
      expect((await failure(client.getPrompt('p', args as never))).code).toBe('invalid-argument');
      expect(asked()).toEqual([]);
    },
  );

  it.each<[string, JsonObject]>([
    ['messages that are none', { messages: 'hello' }],
    ['a role that there is not', { messages: [{ role: 'system', content: { type: 'text', text: 'Obey' } }] }],
    ['content of another shape', { messages: [{ role: 'user', content: { type: 'text', text: 5 } }] }],
  ])('[PRM-13] is refused with %s', async (_, result) => {
    const { client } = await serveCached(() => result);
    expect((await failure(client.getPrompt('p'))).code).toBe('invalid-response');
  });

  it('[PRM-13] comes without links that are not safe', async () => {
    const link = (uri: string) => ({ role: 'user', content: { type: 'resource_link', name: 'x', uri } });
    const { client } = await serveCached(() => ({
      messages: [link('javascript:alert(1)'), link('https://a.example')],
    }));
    expect(JSON.stringify(await client.getPrompt('p'))).not.toContain('javascript:');
  });
});

it('[MSG-02] a server that offers nothing can be met, and its refusals are answers', async () => {
  const { client } = await serveCached(() => ({ error: { code: -32601, message: 'unknown' } }), { offers: {} });
  expect(client.capabilities).toEqual({});
  const refused = { name: 'ProtocolError', code: -32601 };
  expect((await client.listTools()).tools).toEqual([]);
  expect((await client.listPrompts()).prompts).toEqual([]);
  await expect(client.readResource('x://a')).rejects.toMatchObject(refused);
  await expect(client.callTool('x')).rejects.toMatchObject(refused);
  expect(await client.discover()).toMatchObject({ supportedVersions: ['2026-07-28'] });
});

it('[jsonrpc-10] an answer to nothing leaves what is pending as it is: one gets its answer, the other its time limit', async () => {
  const { client, peer, clock } = await serve();
  const [lost, answered] = ['lost', 'answered'].map((name) => watch(client.callTool(name, {}, { timeoutMs: 5000 })));
  await settle();
  const [first, second] = peer.written.filter(({ method }) => method === 'tools/call').map(({ id }) => id);
  const result = { resultType: 'complete', content: [] };
  peer.answer(999, result);
  peer.send({ jsonrpc: '2.0', id: String(first), result });
  peer.answer(second, result);
  await settle();
  expect(warnings.map(({ code }) => code)).toEqual(['unmatched-response', 'unmatched-response']);
  expect([lost?.outcome, answered?.outcome]).toEqual([undefined, result]);
  await clock.advance(4999);
  expect(lost?.outcome).toBeUndefined();
  await clock.advance(1);
  expect(lost?.outcome).toMatchObject({ code: 'timeout' });
  expect(peer.opened).toBe(1);
});

it('[cache-03] after a change a tool has its new schemas, and one that is gone is in no list', async () => {
  const outputSchema = (type: string) => ({ type: 'object', properties: { n: { type } }, required: ['n'] });
  const tool = (name: string, more: object = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
  let tools = [tool('a'), tool('b', { outputSchema: outputSchema('string') })];
  const { client, peer } = await serveCached(
    ({ method }) =>
      method === 'tools/list'
        ? { tools, ttlMs: 3_600_000, cacheScope: 'private' }
        : { content: [], structuredContent: { n: 5 } },
    { checks: { arguments: 'reject' } },
  );
  await client.listTools();
  expect((await failure(client.callTool('b'))).code).toBe('result-rejected');
  const inputSchema = { type: 'object', required: ['x'] };
  tools = [tool('b', { inputSchema, outputSchema: outputSchema('integer') }), tool('c')];
  peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['b', 'c']);
  expect((await failure(client.callTool('b'))).code).toBe('invalid-argument');
  expect(await client.callTool('b', { x: 1 })).toMatchObject({ structuredContent: { n: 5 } });
});

it('[MSG-39] a process serves calls, lists and subscriptions of one client, one after the other and at once', async () => {
  await using client = await connectNode(fixture('modern-server'), { name: 'depot' });
  const pid = async (): Promise<string> => JSON.stringify((await client.callTool('pid')).content);
  const first = await pid();
  await failure(client.callTool('hang', {}, { timeoutMs: 20 }));
  expect(new Set(await Promise.all([pid(), pid(), pid()]))).toEqual(new Set([first]));
});

describe('cancellation', () => {
  const odd = [
    {},
    { params: {} },
    { params: { requestId: 99 } },
    { params: { requestId: null } },
    { params: { requestId: {}, reason: 5 } },
  ];

  it.each<[string, () => Promise<{ readonly client: Client; readonly peer: Parameters<typeof lastId>[0] }>]>([
    ['modern', () => serve()],
    ['legacy', () => serveLegacy()],
  ])('[CAN-10] of a %s server that names nothing it asked for is ignored without a word', async (_, reach) => {
    const { client, peer } = await reach();
    const call = client.callTool('x');
    await settle();
    const id = lastId(peer);
    const written = peer.written.length;
    // Nor does a server end what the client asked for.
    for (const each of [...odd, { params: { requestId: id } }])
      peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', ...each });
    await settle();
    expect(peer.written).toHaveLength(written);
    peer.answer(id, { resultType: 'complete', content: [] });
    expect(await call).toMatchObject({ content: [] });
  });

  it('[LEGB-01] names a request of its own that is still under way, whatever the server asks meanwhile', async () => {
    const { client, peer } = await serveLegacy({ roots: () => new Promise(() => undefined) });
    const controller = new AbortController();
    const progress: number[] = [];
    const call = watch(
      client.callTool('x', {}, { signal: controller.signal, onProgress: (it) => progress.push(it.progress) }),
    );
    await settle();
    const id = lastId(peer);
    peer.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: id, progress: 1 } });
    peer.send({ jsonrpc: '2.0', id: 's1', method: 'roots/list' });
    await settle();
    controller.abort();
    await settle();
    expect(call.outcome).toMatchObject({ code: 'aborted' });
    expect(progress).toEqual([1]);
    expect(cancellations(peer).map(({ params }) => params?.['requestId'])).toEqual([id]);
  });
});

it.each<[string, typeof connect]>([
  ['the platform', connect],
  ['the pool', connectNode],
])('[HDR-11] header names of an answer are read in any case, through %s', async (_, reach) => {
  const told: ClientWarning[] = [];
  await using server = await startHttpServer((request, response) => {
    const { message, httpMethod } = request;
    if (httpMethod === 'DELETE') return void response.writeHead(200).end();
    if (message.method === 'server/discover') return sendError(response, request, 400, -32601);
    if (message.id === undefined) return void response.writeHead(202).end();
    const result =
      message.method === 'initialize'
        ? { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } }
        : { tools: [] };
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, result });
    response.writeHead(200, ['CONTENT-TYPE', 'Application/Json', 'MCP-SESSION-ID', 's-1']);
    return void response.end(body);
  });
  await using client = await reach(server.url, { onWarning: (it) => told.push(it) });
  await client.listTools();
  expect(server.received.at(-1)?.headers['mcp-session-id']).toBe('s-1');
  expect(told).toEqual([]);
});

it('[HTTP-13] an answer may be JSON or an event stream, as the server likes', async () => {
  await using server = await startHttpServer(({ message }, response) => {
    const result =
      message.method === 'server/discover'
        ? { supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'private' }
        : { content: [{ type: 'text', text: String(message.id) }] };
    const body = { jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...result } };
    if ((message.id ?? 0) % 2 === 0) return sendJson(response, body);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(`data: ${JSON.stringify(body)}\n\n`);
    return undefined;
  });
  await using client = await connect(server.url);
  for (let call = 0; call < 4; call += 1) expect((await client.callTool('x')).content).toHaveLength(1);
  for (const { headers } of server.received) {
    expect(headers.accept?.split(/,\s*/)).toEqual(expect.arrayContaining(['application/json', 'text/event-stream']));
  }
});
