import type { JsonObject } from '@switchyard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Client,
  type ClientWarning,
  connect,
  type ConnectOptions,
  createDuplexConnection,
  type Transport,
} from '../src/index.ts';
import { createPeerContext } from '../src/peer/peer-context.ts';
import { settle } from './manual-clock.ts';
import { createScriptedPeer, discovery, type ScriptedPeer } from './scripted-peer.ts';
import { discovered, sendJson, startHttpServer } from './scripted-http-server.ts';

const open: AsyncDisposable[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

async function reach(target: string | Transport, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(target, { name: 'depot', onWarning: (warning) => warnings.push(warning), ...options });
  open.push(client);
  return client;
}

/** A modern server on a duplex connection that says these capabilities, and answers nothing else. */
function modern(capabilities: JsonObject): ScriptedPeer {
  const peer: ScriptedPeer = createScriptedPeer(({ id, method }) => {
    if (method === 'server/discover') peer.answer(id, { ...discovery, capabilities });
    return true;
  });
  return peer;
}

/** A legacy server on a duplex connection that says these capabilities. */
function legacy(capabilities: JsonObject): ScriptedPeer {
  const peer: ScriptedPeer = createScriptedPeer(({ id, method }) => {
    const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'old', version: '1' } };
    if (method === 'initialize') peer.answer(id, result);
    else if (id !== undefined) peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'unknown' } });
    return true;
  });
  return peer;
}

// Inputs that broke other clients and have no rule of their own beside which they could stand.
describe('an id', () => {
  it('[jsonrpc-02] of 0 or the empty text is one like any other', async () => {
    const written: { readonly id?: unknown }[] = [];
    const duplex = createDuplexConnection({
      context: createPeerContext({ server: 'depot', onWarning: (warning) => warnings.push(warning) }),
      handlers: { onNotification: () => undefined, onRequest: () => undefined, acceptsBatches: () => false },
      write: (text) => Promise.resolve(void written.push(JSON.parse(text) as object)),
      close: () => Promise.resolve(),
    });
    const { signal } = new AbortController();
    const ids = [0, '', 42, -3];
    const replies = ids.map((id) =>
      duplex.connection.request({ jsonrpc: '2.0', id, method: 'x' }, { signal, onNotification: () => undefined }),
    );
    expect(written.map(({ id }) => id)).toEqual(ids);
    for (const id of [...ids].reverse()) duplex.receive(JSON.stringify({ jsonrpc: '2.0', id, result: { id } }));
    expect((await Promise.all(replies)).map(({ response }) => response)).toMatchObject(
      ids.map((id) => ({ id, result: { id } })),
    );
    expect(warnings).toEqual([]);
    await duplex.connection.close();
  });

  it('[jsonrpc-02] of 0 or the empty text of a ping is answered', async () => {
    const peer = legacy({});
    await reach(peer.transport);
    for (const id of [0, '']) peer.send({ jsonrpc: '2.0', id, method: 'ping' });
    await settle();
    expect(peer.written.filter(({ method }) => method === undefined)).toEqual([
      { jsonrpc: '2.0', id: 0, result: {} },
      { jsonrpc: '2.0', id: '', result: {} },
    ]);
  });
});

describe('capabilities', () => {
  const unknown: readonly JsonObject[] = [
    { sampling: { tools: {} } },
    { elicitation: { form: {}, url: {}, hologram: {} } },
    { extensions: { 'com.example/zip': { level: 9 } } },
    { experimental: { x: 1 } },
  ];

  it.each(unknown)('[version-06] [META-21] of a server may be %j, at any revision', async (capabilities) => {
    expect((await reach(modern(capabilities).transport)).capabilities).toEqual(capabilities);
    expect((await reach(legacy(capabilities).transport)).capabilities).toEqual(capabilities);
  });

  it('[version-06] of this client are none unless the caller says some', async () => {
    const [now, before] = [modern({}), legacy({})];
    await reach(now.transport);
    await reach(before.transport);
    const meta = now.written[0]?.params?.['_meta'] as JsonObject;
    expect(meta['io.modelcontextprotocol/clientCapabilities']).toEqual({});
    expect(before.written.find(({ method }) => method === 'initialize')?.params?.['capabilities']).toEqual({});
  });
});

describe('a list', () => {
  it('[schema-02] [JSCH-03] [JSCH-07] flags tools with unusable schemas one by one, and no reference of a schema is fetched', async () => {
    const tools = [
      { name: 'ok_a', inputSchema: { type: 'object' } },
      {
        name: 'bad_out',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', properties: { s: { $ref: '#/$defs/Missing' } } },
      },
      { name: 'bad_in', inputSchema: { type: 'object', properties: { s: { $ref: '/x.json' } } } },
      { name: 'ok_b', inputSchema: { type: 'object' } },
      { name: 'unknown', inputSchema: { $schema: 'https://schemas.kiln.test/dialect/9', type: 'object' } },
    ];
    const server = await startHttpServer((request, response) => {
      const base = JSON.parse(JSON.stringify(tools).replace('/x.json', `${server.url}/x.json`)) as object[];
      const result = { resultType: 'complete', tools: base, ttlMs: 0, cacheScope: 'private' };
      if (!discovered(request, response)) sendJson(response, { jsonrpc: '2.0', id: request.message.id, result });
    });
    open.push(server);
    const client = await reach(server.url);
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['ok_a', 'bad_out', 'ok_b', 'unknown']);
    expect(listed.leftOut).toMatchObject([
      { name: 'bad_in', reason: expect.stringContaining('/properties/s') as string },
    ]);
    expect(warnings.filter(({ code }) => code === 'unchecked-tool')).toMatchObject([
      { message: expect.stringMatching(/"bad_out".*\/properties\/s/) as string },
      { message: expect.stringMatching(/"unknown".*dialect/) as string },
    ]);
    expect(server.methods()).toEqual(['server/discover', 'tools/list']);
  });

  it.each([2_000, 100_000])(
    '[schema-04] survives a schema %i objects deep, and 300 wide ones, over HTTP and on a duplex connection',
    async (levels) => {
      const deep = `${'{"type":"object","properties":{"p":'.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}`;
      const properties = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`p${at}`, { type: 'string' }]));
      const wide = Array.from({ length: 300 }, (_, at) => ({
        name: `wide${at}`,
        inputSchema: { type: 'object', properties },
      }));
      const answerTo = (id: number | undefined): string => {
        const result = { resultType: 'complete', tools: wide, ttlMs: 0, cacheScope: 'private' };
        const text = JSON.stringify({ jsonrpc: '2.0', id, result });
        return text.replace('"tools":[', `"tools":[{"name":"deep","inputSchema":${deep}},`);
      };
      const server = await startHttpServer((request, response) => {
        if (discovered(request, response)) return;
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(answerTo(request.message.id));
      });
      open.push(server);
      const overHttp = await (await reach(server.url)).listTools();
      expect(overHttp.tools).toHaveLength(300);
      expect(overHttp.leftOut).toMatchObject([{ name: 'deep', reason: expect.stringContaining('deep') as string }]);

      const peer: ScriptedPeer = createScriptedPeer(({ id, method }) => {
        if (method !== 'tools/list') return false;
        peer.sendText(answerTo(id));
        return true;
      });
      const onDuplex = await (await reach(peer.transport)).listTools();
      expect(onDuplex.tools).toHaveLength(300);
      expect(onDuplex.leftOut).toMatchObject([{ name: 'deep' }]);
    },
  );
});

describe('an integer that a double cannot hold', () => {
  const [id, note] = ['9007199254740993', '{"id":9007199254740993}'];
  const result = `{"content":[{"type":"text","text":${JSON.stringify(note)}}],"structuredContent":{"id":ID}}`;

  it.each<[string, ConnectOptions, string, unknown, readonly string[]]>([
    ['is rounded with a warning', {}, id, { id: 9_007_199_254_740_992 }, ['rounded-integer']],
    [
      'is rounded with a short warning where it is no double at all',
      {},
      '9'.repeat(400),
      { id: Infinity },
      ['rounded-integer'],
    ],
    ['is kept where the caller wants it so', { exactIntegers: true }, id, { id: 9_007_199_254_740_993n }, []],
    ['gets no warning where a double happens to hold it', {}, '9007199254740992', { id: 9_007_199_254_740_992 }, []],
    ['gets no warning where it stands in a text', {}, `"${id}"`, { id }, []],
  ])('[schema-11] %s, over HTTP and on a duplex connection', async (_, options, value, structuredContent, codes) => {
    const answerTo = (to: number | undefined): string =>
      `{"jsonrpc":"2.0","id":${to},"result":${result.replace('ID', value)}}`;
    const server = await startHttpServer((request, response) => {
      if (discovered(request, response)) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(answerTo(request.message.id));
    });
    open.push(server);
    const peer: ScriptedPeer = createScriptedPeer(({ id: to, method }) => {
      if (method !== 'tools/call') return false;
      peer.sendText(answerTo(to));
      return true;
    });
    for (const target of [server.url, peer.transport]) {
      warnings.length = 0;
      const called = await (await reach(target, { checks: { agreement: 'off' }, ...options })).callTool('x');
      expect(called).toMatchObject({ content: [{ text: note }], structuredContent });
      expect(warnings.map(({ code }) => code)).toEqual(codes);
      if (codes.length > 0) expect(warnings[0]?.message).toContain(value === id ? id : 'Infinity');
      for (const { message } of warnings) expect(message.length).toBeLessThan(200);
    }
  });
});
