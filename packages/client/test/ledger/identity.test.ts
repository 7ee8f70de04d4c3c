import { extensions, type JsonObject, metaKeys } from '@switchyard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { connect, type ConnectOptions } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock } from '../manual-clock.ts';
import { createScriptedPeer, discovery } from '../scripted-peer.ts';
import { serve } from '../serve-scripted.ts';

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

/** Holds the same conversation with a server that says it is somebody, and answers all that can be seen of it. */
async function talkTo(serverInfo: JsonObject | undefined): Promise<unknown> {
  const said = serverInfo === undefined ? {} : { _meta: { [metaKeys.serverInfo]: serverInfo } };
  const peer = createScriptedPeer(({ id, method, params }) => {
    const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...said };
    if (method === 'server/discover') peer.answer(id, { ...discovery, capabilities: { tools: {} }, ...said });
    else if (method === 'tools/list') {
      const outputSchema = { type: 'object', required: ['n'] };
      peer.answer(id, { ...common, tools: [{ name: 'pay', inputSchema: { type: 'object' }, outputSchema }, {}] });
    } else if (params?.['name'] === 'pay') peer.answer(id, { ...common, content: [], structuredContent: {} });
    else if (id !== undefined) peer.send({ jsonrpc: '2.0', id, error: { code: -32603, message: 'no', data: said } });
    return true;
  });
  const warnings: unknown[] = [];
  const options: ConnectOptions = { name: 'depot', clock: createManualClock(), onWarning: (it) => warnings.push(it) };
  const client = await connect(peer.transport, options);
  open.push(client);
  const { tools, leftOut } = await client.listTools();
  const refused = await failure(client.callTool('pay'));
  const erred: unknown = await client.callTool('x').catch((error: unknown) => error);
  await client.readResource('file:///etc/passwd').catch(() => undefined);
  return {
    texts: peer.texts,
    tools,
    leftOut,
    refused: [refused.code, refused.message],
    erred: [(erred as Error).name, (erred as Error).message],
    warnings,
    name: client.name,
    verdict: client.verdict,
    capabilities: client.capabilities,
  };
}

describe('what a server calls itself', () => {
  it.each<[string, JsonObject]>([
    ['a name that others trust', { name: 'switchyard', version: '1.0.0' }],
    ['another version', { name: 'depot', version: '99.0.0', title: 'The official one' }],
    ['the configured name of another server', { name: 'bank', version: '1', websiteUrl: 'https://bank.example' }],
  ])('[META-10] [META-11] [DISC-09] changes no message, check, name or error: %s', async (_, serverInfo) => {
    expect(await talkTo(serverInfo)).toEqual(await talkTo(undefined));
  });
});

describe('an extension', () => {
  const declaredBy = async (options: ConnectOptions): Promise<unknown> => {
    const { peer } = await serve(options);
    const meta = peer.written[0]?.params?.['_meta'] as JsonObject;
    return (meta[metaKeys.clientCapabilities] as JsonObject)['extensions'];
  };

  it('[VER-06] [EXT-01] is declared where the caller wants it alone, by its identifier, without settings as {}', async () => {
    expect(await declaredBy({})).toBeUndefined();
    expect(await declaredBy({ tasks: true })).toEqual({ [extensions.tasks]: {} });
    const own = { 'com.example/zip': { level: 9 } };
    expect(await declaredBy({ tasks: true, capabilities: { extensions: own } })).toEqual({
      ...own,
      [extensions.tasks]: {},
    });
    expect(extensions.tasks).toMatch(/^io\.modelcontextprotocol\/[a-z]+$/);
  });
});

it.each<[string, unknown]>([
  ['sampling that is true', { sampling: true }],
  ['roots that are null', { roots: null }],
  ['an elicitation form that is text', { elicitation: { form: 'x' } }],
  ['tools of sampling that are a list', { sampling: { tools: [] } }],
  ['settings of an extension that are true', { extensions: { 'com.example/zip': true } }],
  ['all of them being null', null],
])('[META-20] refuses to connect with %s, before anything is sent', async (_, capabilities) => {
  const peer = { respond: () => Promise.reject(new Error('the server was asked')) };
  expect(await failure(connect(peer, { capabilities } as ConnectOptions))).toMatchObject({
    code: 'invalid-argument',
    message: expect.stringMatching(/capabilities.* must be an object/) as string,
  });
});

describe('a trace', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it.each<[string, JsonObject]>([
    ['traceparent', { traceparent: 'zzz' }],
    ['tracestate', { traceparent, tracestate: {} }],
    ['baggage', { traceparent, baggage: 5 }],
  ])('[META-18] is not sent with a %s of another form, by any call', async (key, meta) => {
    const { client, peer } = await serve({ tasks: true });
    const before = peer.written.length;
    for (const call of [
      client.callTool('x', {}, { meta }),
      client.listTools({ meta }),
      client.readResource('x://a', { meta, cache: 'no-store' }),
      client.task('t').look({ meta }),
    ]) {
      expect(await failure(call)).toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining(`meta.${key}`) as string,
      });
    }
    expect(peer.written).toHaveLength(before);
  });

  it('[META-18] is sent as it is', async () => {
    const meta = { traceparent, tracestate: 'vendor=value', baggage: 'user=ada;public,k=v' };
    const { client, peer } = await serve();
    void client.callTool('x', {}, { meta }).catch(() => undefined);
    await expect.poll(() => peer.written.at(-1)?.method).toBe('tools/call');
    expect(peer.written.at(-1)?.params?.['_meta']).toMatchObject(meta);
  });
});

it('[META-22] members and keys of `_meta` that nobody knows are ignored, and kept where a result is handed on', async () => {
  const { client, peer } = await serve();
  const more = { future: { x: 1 }, _meta: { 'com.example/new': 1, 'io.modelcontextprotocol/later': [1] } };
  const answer = (result: JsonObject): void => peer.answer(peer.written.at(-1)?.id, { ...result, ...more });
  const listing = client.listTools();
  await expect.poll(() => peer.written.at(-1)?.method).toBe('tools/list');
  peer.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: more });
  peer.send({ jsonrpc: '2.0', method: 'notifications/of-tomorrow', params: more });
  answer({ tools: [{ name: 'a', inputSchema: { type: 'object' }, ...more }], resultType: 'complete' });
  expect((await listing).tools).toEqual([{ name: 'a', inputSchema: { type: 'object' }, ...more }]);
  const calling = client.callTool('a');
  await expect.poll(() => peer.written.at(-1)?.method).toBe('tools/call');
  answer({ content: [{ type: 'text', text: 'x', ...more }], resultType: 'complete' });
  expect(await calling).toMatchObject({ content: [{ type: 'text', text: 'x', ...more }], ...more });
});
