import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '@switchyard/protocol';
import { createServer, silentLogger } from '@switchyard/server';
import { toNode } from '@switchyard/server/node';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { events, openTestGateway } from './open-test-gateway.ts';
import { untilTestEnds } from './until-test-ends.ts';

const verdictKey = 'dev.switchyard/verdict';

/** A server whose tool `get` answers with exactly this result. */
function answering(result: JsonObject, definition: JsonObject = {}) {
  return createScriptedServer({
    tools: [toolDefinition('get', definition)],
    answer: (method) => (method === 'tools/call' ? result : undefined),
  });
}

describe('what the gateway passes on', () => {
  const total = { type: 'object', properties: { total: { type: 'integer' } }, required: ['total'] };
  const none = [{ type: 'text', text: '(none)' }];
  const text = (value: string) => ({ content: [{ type: 'text', text: value }] });
  it.each<[string, JsonObject, JsonObject]>([
    [
      '[results-02] structured content beside empty content',
      { content: [], structuredContent: { total: 12 } },
      { outputSchema: total },
    ],
    ...[{}, [], 0, false, '', null].map((structuredContent): [string, JsonObject, JsonObject] => [
      `[results-03] the structured value ${JSON.stringify(structuredContent)}`,
      { content: none, structuredContent },
      {},
    ]),
    ...['null', 'true', '7', '"s"', '[]', '{}', '{"code":null}', 'not json', ''].map(
      (value): [string, JsonObject, JsonObject] => [`[results-08] the text ${JSON.stringify(value)}`, text(value), {}],
    ),
    [
      '[results-07] blocks of unknown types and unknown members',
      { content: [{ type: 'hologram', data: 'x', depth: 3 }], extra: { a: [1] } },
      {},
    ],
    [
      '[results-04] a tool error, whatever the output schema says',
      { ...text('closed'), isError: true, structuredContent: { error: 1 } },
      { outputSchema: total },
    ],
    [
      '[results-05] metadata of the server beside a closed form',
      { ...text('{"tags":[]}'), structuredContent: { tags: [] }, _meta: { 'com.example/t': 1 } },
      { outputSchema: { type: 'object', required: ['tags'], properties: { tags: {} }, additionalProperties: false } },
    ],
  ])('%s arrives unchanged', async (_what, result, definition) => {
    const gateway = await untilTestEnds(openTestGateway({ s: answering(result, definition) }));
    const { message, status } = await gateway.send('tools/call', { name: 's__get', arguments: {} });
    const { _meta: meta, resultType, ...members } = message.result ?? {};
    const { _meta: given, ...expected } = result;
    expect(status).toBe(200);
    expect(resultType).toBe('complete');
    expect(members).toEqual(expected);
    expect(meta).toMatchObject(given ?? {});
  });

  it('[schema-11] integers keep every digit, both ways', async () => {
    const server = answering({ content: [], structuredContent: { id: 9_007_199_254_740_993n, amount: 0.1 } });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    const { text: raw } = await gateway.send('tools/call', {
      name: 's__get',
      arguments: { id: 1_234_567_890_123_456_789n },
    });
    expect(raw).toContain('9007199254740993');
    expect(server.paramsOf('tools/call')[0]?.['arguments']).toEqual({ id: 1_234_567_890_123_456_789n });
  });

  it("[CACHE-07] its own serverInfo stands in place of the server's, and nothing behind a policy is public", async () => {
    const server = createScriptedServer({
      resources: [{ uri: 'policy://refunds', name: 'refunds' }],
      answer: (method, { uri }) =>
        method === 'resources/read'
          ? {
              contents: [{ uri, text: 'none' }],
              ttlMs: 5,
              cacheScope: 'public',
              _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'upstream', version: '9' } },
            }
          : undefined,
    });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    const { message } = await gateway.send('resources/read', { uri: 'policy://refunds' });
    expect(message.result).toMatchObject({ ttlMs: 5, cacheScope: 'private' });
    expect(message.result?.['_meta']).toEqual({
      'io.modelcontextprotocol/serverInfo': { name: 'switchyard', version: expect.any(String) },
    });
  });

  it('progress reaches a caller that asked for it, and nobody else', async () => {
    const server = createServer({ name: 's', version: '1' }).tool('work', { description: 'Works' }, (_args, ctx) => {
      ctx.progress(1, 2, 'half');
      return 'done';
    });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    const call = { name: 's__work', arguments: {} };
    const asked = await gateway.send('tools/call', call, { meta: { progressToken: 'p1' } });
    const notified = events(asked.text).map((data) => JSON.parse(data) as JsonObject);
    expect(notified[0]).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 'p1', progress: 1, total: 2, message: 'half' },
    });
    expect(asked.message.result).toMatchObject({ content: [{ text: 'done' }] });
    expect((await gateway.send('tools/call', call)).contentType).toBe('application/json');
  });

  it('[http-10] a caller that goes away cancels the call at the server', async () => {
    const started = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    const server = createServer({ name: 's', version: '1' }).tool('hang', { description: 'Hangs' }, (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => cancelled.resolve(), { once: true });
      started.resolve();
      return new Promise<string>(() => undefined);
    });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    const leaving = new AbortController();
    const sent = gateway.send('tools/call', { name: 's__hang', arguments: {} }, { signal: leaving.signal });
    await started.promise;
    leaving.abort();
    await expect(sent).rejects.toThrow(/abort/);
    await cancelled.promise;
  });

  it('[META-18] the trace goes on to the server and no other metadata of the caller does', async () => {
    const server = answering({ content: [] });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await gateway.send(
      'tools/call',
      { name: 's__get', arguments: {} },
      { meta: { traceparent, 'com.example/secret': 'x' } },
    );
    const sent = server.paramsOf('tools/call')[0]?.['_meta'] as JsonObject;
    expect(sent).toMatchObject({ traceparent });
    expect(Object.keys(sent)).not.toContain('com.example/secret');
    expect(sent['io.modelcontextprotocol/clientInfo']).not.toMatchObject({ name: 'test' });
  });
});

describe('headers that repeat arguments', () => {
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  const call = { name: 'remote__find', arguments: { region: 'Tromsø' } };

  /** A server over HTTP that remembers the headers of every call. */
  async function openUpstream() {
    const server = createServer({ name: 'remote', version: '1' }, { logger: silentLogger }).tool(
      'find',
      { description: 'Finds', input: inputSchema },
      (args) => JSON.stringify(args),
    );
    const seen: NodeJS.Dict<string | string[]>[] = [];
    const serve = toNode(server);
    const http = createHttpServer((request, response) => {
      if (request.headers['mcp-method'] === 'tools/call') seen.push(request.headers);
      serve(request, response);
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    return {
      seen,
      url: `http://127.0.0.1:${port}/`,
      async [Symbol.asyncDispose]() {
        http.closeAllConnections();
        await new Promise((resolve) => http.close(resolve));
      },
    };
  }

  it('[HDR-38] [HDR-40] [HDR-45] refuses a call whose header is missing or differs, before anything runs', async () => {
    const upstream = await untilTestEnds(openUpstream());
    const gateway = await untilTestEnds(openTestGateway({}, { mcpServers: { remote: { url: upstream.url } } }));
    for (const headers of [{}, { 'mcp-param-region': 'Oslo' }]) {
      const { status, message } = await gateway.send('tools/call', call, { headers });
      expect(status).toBe(400);
      expect(message.error).toMatchObject({ code: -32020 });
    }
    expect(upstream.seen).toEqual([]);
  });

  it('are known of a tool that nobody listed yet from its own server alone', async () => {
    const upstream = await untilTestEnds(openUpstream());
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const gateway = await untilTestEnds(
      openTestGateway(
        { hanging },
        { mcpServers: { remote: { url: upstream.url } }, limits: { startTimeoutMs: 600_000 } },
      ),
    );
    const { status, message } = await gateway.send('tools/call', call);
    expect([status, message.error?.['code']]).toEqual([400, -32020]);
    const headers = { 'mcp-param-region': '=?base64?VHJvbXPDuA==?=' };
    expect((await gateway.send('tools/call', call, { headers })).status).toBe(200);
  });

  it("mints the header anew for the server, and passes on nothing of the caller's headers", async () => {
    const upstream = await untilTestEnds(openUpstream());
    const gateway = await untilTestEnds(openTestGateway({}, { mcpServers: { remote: { url: upstream.url } } }));
    const region = '=?base64?VHJvbXPDuA==?=';
    const headers = {
      'mcp-param-region': region,
      authorization: 'Bearer s3cret',
      cookie: 'a=b',
      'mcp-param-other': 'x',
    };
    const { message } = await gateway.send('tools/call', call, { headers });
    expect(message.result).toMatchObject({ content: [{ text: '{"region":"Tromsø"}' }] });
    const [sent = {}] = upstream.seen;
    expect(sent['mcp-param-region']).toBe(region);
    expect(sent['mcp-name']).toBe('find');
    for (const name of ['authorization', 'cookie', 'mcp-param-other']) expect(sent).not.toHaveProperty(name);
  });
});

describe('what the gateway refuses', () => {
  it('[TOOL-32] [CACHE-08] answers a name out of reach exactly like one that does not exist', async () => {
    const orders = createScriptedServer({
      tools: [toolDefinition('cancel', { inputSchema: { type: 'object', required: ['id'] } }), toolDefinition('get')],
      resources: [{ uri: 'orders://secret', name: 'secret' }],
      prompts: [{ name: 'cancel' }],
    });
    const gateway = await untilTestEnds(
      openTestGateway({ orders }, { agents: { reader: { allow: ['orders__get'] } } }),
    );
    const pairs = [
      ['tools/call', { name: 'orders__cancel', arguments: {} }, { name: 'orders__nobody', arguments: {} }],
      [
        'tools/call',
        { name: 'orders__cancel', arguments: { id: 1 } },
        { name: 'orders__nobody', arguments: { id: 1 } },
      ],
      ['prompts/get', { name: 'orders__cancel' }, { name: 'orders__nobody' }],
      ['resources/read', { uri: 'orders://secret' }, { uri: 'orders://nobody' }],
    ] as const;
    for (const [method, hidden, absent] of pairs) {
      const [one, other] = [await gateway.send(method, hidden), await gateway.send(method, absent)];
      const rename = (text: string): string =>
        text
          .replaceAll('orders__cancel', 'X')
          .replaceAll('orders__nobody', 'X')
          .replaceAll(/orders:\/\/(secret|nobody)/g, 'X');
      expect(one.message.error).toMatchObject({ code: -32602 });
      expect([one.status, rename(one.text)]).toEqual([other.status, rename(other.text)]);
    }
    expect(orders.paramsOf('tools/call')).toEqual([]);
  });

  it('answers values that break the schema with a tool error that names path and rule', async () => {
    const inputSchema = { type: 'object', properties: { limit: { type: 'integer' } } };
    const gateway = await untilTestEnds(
      openTestGateway({ s: createScriptedServer({ tools: [toolDefinition('get', { inputSchema })] }) }),
    );
    const { message, status } = await gateway.send('tools/call', { name: 's__get', arguments: { limit: 'three' } });
    expect(status).toBe(200);
    expect(message.result).toMatchObject({
      isError: true,
      _meta: { [verdictKey]: { reason: 'invalid-arguments', server: 's' } },
    });
    expect(JSON.stringify(message.result)).toMatch(/limit.*integer/);
  });

  it('gives a verdict as a result of a tool, and as an error with a positive code of everything else', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('pay')], prompts: [{ name: 'pay' }] });
    const agents = { reader: { ask: ['s__pay', 'prompt:s__pay'] } };
    const gateway = await untilTestEnds(openTestGateway({ s: server }, { agents }));
    const called = await gateway.send('tools/call', { name: 's__pay', arguments: {} });
    expect(called.message.result).toMatchObject({
      isError: true,
      _meta: { [verdictKey]: { reason: 'approval-required' } },
    });
    const prompted = await gateway.send('prompts/get', { name: 's__pay' });
    expect(prompted.message.error).toMatchObject({ code: 1101, data: { reason: 'approval-required' } });
  });

  it('passes the error of a server on, naming the server', async () => {
    const server = createScriptedServer({
      resources: [{ uri: 'a://b', name: 'b' }],
      answer: (method, { uri }) => {
        if (method !== 'resources/read') return undefined;
        throw Object.assign(new Error(`no ${String(uri)}`));
      },
    });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    const { message } = await gateway.send('resources/read', { uri: 'a://b' });
    expect(message.error).toMatchObject({ code: -32603 });
    expect(message.error?.message).toContain('"s"');
  });

  it('tells a remote caller neither paths nor stderr of a server that does not start', async () => {
    const mcpServers = {
      broken: { command: process.execPath, args: ['-e', 'console.error("/home/mira/secret.txt"); process.exit(3)'] },
      lost: { command: '/nowhere/at/all' },
    };
    const gateway = await untilTestEnds(openTestGateway({}, { mcpServers }));
    for (const server of ['broken', 'lost']) {
      const { message, text } = await gateway.send('tools/call', { name: `${server}__get`, arguments: {} });
      expect(message.result).toMatchObject({
        isError: true,
        _meta: { [verdictKey]: { reason: 'unavailable', server } },
      });
      expect(text).not.toMatch(/nowhere|home|secret|exit|node/);
    }
  });

  it('tells a remote caller of a call that was sent and got no answer that its outcome is unknown', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('pay')] });
    const dying = {
      respond: (...args: Parameters<typeof server.respond>) =>
        args[0].includes('"tools/call"') ? Promise.reject(new Error('/home/mira/secret')) : server.respond(...args),
    };
    const gateway = await untilTestEnds(openTestGateway({ s: dying }));
    const { message, text } = await gateway.send('tools/call', { name: 's__pay', arguments: {} });
    expect(message.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/was sent, and its outcome is unknown/) }],
      _meta: { [verdictKey]: { reason: 'unavailable', effect: 'unknown', server: 's' } },
    });
    expect(text).not.toMatch(/[Tt]ry again|mira/);
  });

  it('records what it refuses and what it lets run', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('get'), toolDefinition('cancel')] });
    const gateway = await untilTestEnds(openTestGateway({ s: server }, { agents: { reader: { allow: ['s__get'] } } }));
    await gateway.send('tools/call', { name: 's__get', arguments: {} });
    await gateway.send('tools/call', { name: 's__cancel', arguments: {} });
    const records = await gateway.host.audit.list();
    expect(records.map(({ kind, reason }) => [kind, reason])).toEqual([
      ['intent', undefined],
      ['outcome', undefined],
      ['refused', 'denied'],
    ]);
  });

  it('[http-12] refuses a foreign Origin', async () => {
    const gateway = await untilTestEnds(openTestGateway({}));
    const { status } = await gateway.send('tools/list', {}, { headers: { origin: 'https://evil.test' } });
    expect(status).toBe(403);
  });

  it('[http-11] refuses a body over limits.maxBodyBytes before it is sent', async () => {
    const gateway = await untilTestEnds(openTestGateway({}, { limits: { maxBodyBytes: 4096 } }));
    const headers = { 'content-type': 'application/json', 'content-length': 8192 };
    const asked = request(gateway.url, { method: 'POST', headers });
    asked.flushHeaders();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    asked.destroy();
  });
});
