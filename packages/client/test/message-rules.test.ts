import { isJsonObject } from '@switchyard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, connect, type ConnectOptions } from '../src/index.ts';
import { connect as connectNode } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import { settle } from './manual-clock.ts';
import { createScriptedPeer, type ScriptedPeer } from './scripted-peer.ts';
import { discovered, said, sendResult, startHttpServer } from './scripted-http-server.ts';

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

/** Results that fit every request of {@link askEverything}. */
const results = {
  resultType: 'complete',
  tools: [],
  resources: [],
  resourceTemplates: [],
  prompts: [],
  contents: [],
  messages: [],
  completion: { values: [] },
  content: [],
  ttlMs: 0,
  cacheScope: 'private',
};

async function askEverything(client: Client): Promise<void> {
  const ref = { type: 'ref/prompt', name: 'p' } as const;
  await Promise.all([
    client.discover(),
    client.listTools(),
    client.listResources(),
    client.listResourceTemplates(),
    client.listPrompts(),
    client.callTool('t', {}, { onProgress: () => undefined, logLevel: 'debug' }),
    client.readResource('x://a'),
    client.getPrompt('p', {}),
    client.complete({ ref, argument: { name: 'a', value: '' } }),
  ]);
}

const methods = [
  'completion/complete',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/templates/list',
  'server/discover',
  'server/discover',
  'tools/call',
  'tools/list',
];

describe('all messages of a client', () => {
  it('[MSG-02] [STDIO-21] [STDIO-23] [MSG-31] [VER-01] are requests with their metadata and notifications, over any duplex connection', async () => {
    const peer: ScriptedPeer = createScriptedPeer(({ id, method, params }) => {
      if (method === 'server/discover' && peer.written.length === 1) return false;
      const discovery = method === 'server/discover' ? { supportedVersions: ['2026-07-28'], capabilities: {} } : {};
      if (params?.['name'] !== 'hang') peer.answer(id, { ...results, ...discovery });
      return true;
    });
    const client = await connect(peer.transport);
    open.push(client);
    await askEverything(client);
    const controller = new AbortController();
    const hanging = failure(client.callTool('hang', {}, { signal: controller.signal }));
    await settle();
    peer.send({ jsonrpc: '2.0', id: 's1', method: 'ping' });
    controller.abort();
    await hanging;
    const requests = peer.written.filter(({ id }) => id !== undefined);
    expect(requests.map(({ method = '' }) => method).toSorted()).toEqual([...methods, 'tools/call'].toSorted());
    for (const { params } of requests) {
      expect(params?.['_meta']).toMatchObject({ 'io.modelcontextprotocol/protocolVersion': '2026-07-28' });
    }
    const others = peer.written.filter(({ id }) => id === undefined);
    expect(others.map(({ method }) => method)).toEqual(['notifications/cancelled']);
  });

  it.each<[string, typeof connect]>([
    ['the platform', connect],
    ['the pool', connectNode],
  ])('[HTTP-06] [HTTP-08] [HTTP-09] are one POST each with their headers, through %s', async (_name, reach) => {
    const server = await startHttpServer((request, response) => {
      if (!discovered(request, response)) sendResult(response, request, results);
    });
    open.push(server);
    const client = await reach(server.url);
    open.push(client);
    await askEverything(client);
    expect(server.methods().toSorted()).toEqual(methods);
    for (const { httpMethod, url, headers, message } of server.received) {
      expect([httpMethod, url, headers['mcp-protocol-version']]).toEqual(['POST', '/mcp', '2026-07-28']);
      expect(headers['mcp-method']).toBe(message.method);
      expect(isJsonObject(message)).toBe(true);
      expect(message).toHaveProperty('id');
    }
    expect(new Set(server.received.map(({ message }) => message.id)).size).toBe(methods.length);
  });
});

describe('a stream that breaks', () => {
  const options: ConnectOptions = { name: 'depot' };

  it('[HTTP-23] [HTTP-24] loses its request, which is neither resumed nor sent again; the next call has a new id', async () => {
    let isFirst = true;
    const server = await startHttpServer((request, response) => {
      if (discovered(request, response)) return;
      if (!isFirst) sendResult(response, request, said('right'));
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('id: event-7\nretry: 1\ndata: \n\n', () => response.destroy());
      }
      isFirst = false;
    });
    open.push(server);
    const client = await connectNode(server.url, options);
    open.push(client);
    expect(await failure(client.callTool('x'))).toMatchObject({ code: 'outcome-unknown', server: 'depot' });
    expect(server.methods()).toEqual(['server/discover', 'tools/call']);
    expect(await client.callTool('x')).toMatchObject(said('right'));
    expect(server.methods()).toEqual(['server/discover', 'tools/call', 'tools/call']);
    expect(new Set(server.received.map(({ message }) => message.id)).size).toBe(3);
    for (const { headers } of server.received) expect(headers).not.toHaveProperty('last-event-id');
  });
});
