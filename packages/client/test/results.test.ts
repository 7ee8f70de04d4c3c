import type { JsonObject } from '@switchyard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, type ClientWarning, connect, isResourceNotFound } from '../src/index.ts';
import { connect as connectNode } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import { createScriptedPeer, type ScriptedPeer } from './scripted-peer.ts';

const clients: Client[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  await Promise.all(clients.splice(0).map((client) => client.close()));
});

/** A server on a duplex connection that answers every request with `result`. */
async function serve(result: JsonObject): Promise<{ readonly client: Client; readonly peer: ScriptedPeer }> {
  const peer = createScriptedPeer(({ id, method }) => {
    if (method === 'server/discover' || id === undefined) return false;
    peer.answer(id, result);
    return true;
  });
  const client = await connect(peer.transport, { name: 'depot', onWarning: (warning) => warnings.push(warning) });
  clients.push(client);
  return { client, peer };
}

describe('the result of a tool', () => {
  it('[MSG-13] is complete when it does not say what it is', async () => {
    const { client } = await serve({ content: [] });
    expect(await client.callTool('x')).toEqual({ resultType: 'complete', content: [] });
  });

  it.each(['partial', 'task', '', 5, null, {}])(
    '[MSG-11] [MSG-12] is refused when its resultType is %j',
    async (resultType) => {
      const { client } = await serve({ resultType, content: [] });
      expect(await failure(client.callTool('x'))).toMatchObject({ code: 'invalid-response', server: 'depot' });
    },
  );

  it('is an error of its own when it asks for input that no handler is there for, which says what to do', async () => {
    const inputRequests = { name: { method: 'elicitation/create', params: {} } };
    const { client } = await serve({ resultType: 'input_required', inputRequests });
    for (const call of [client.callTool('x'), client.readResource('x://a'), client.getPrompt('x')]) {
      expect(await failure(call)).toMatchObject({
        code: 'unexpected-input-required',
        message: expect.stringMatching(
          /elicitation\/create.*nobody here answers that.*input\.elicitForm.*client\.request/,
        ),
      });
    }
  });

  it('[MRTR-03] breaks the protocol when it asks for input where no result may', async () => {
    const { client } = await serve({ resultType: 'input_required', requestState: 'x', tools: [] });
    expect((await failure(client.listTools())).code).toBe('invalid-response');
  });

  it.each([undefined, null])(
    '[results-01] may have structured content and no content (%s): it is read as empty, with a warning',
    async (content) => {
      const { client } = await serve({ resultType: 'complete', structuredContent: { berths: 3 }, content });
      expect(await client.callTool('x')).toMatchObject({ content: [], structuredContent: { berths: 3 } });
      expect(warnings.map(({ code }) => code)).toEqual(['repaired-result']);
    },
  );

  it.each([{}, [], 0, false, '', null])(
    '[TOOL-23] [results-03] keeps %j as structured content',
    async (structuredContent) => {
      const { client } = await serve({ content: [{ type: 'text', text: '(none)' }], structuredContent });
      const result = await client.callTool('x');
      expect(Object.hasOwn(result, 'structuredContent')).toBe(true);
      expect(result.structuredContent).toEqual(structuredContent);
    },
  );

  it('[results-07] keeps blocks of unknown types, unknown members and metadata', async () => {
    const content = [
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'resource_link', uri: 'depot://m/7', name: 'm7' },
      { type: 'hologram', data: 'x' },
    ];
    const { client } = await serve({ content, vendor: 1, _meta: { 'com.example/t': 1 } });
    expect(await client.callTool('x')).toEqual({
      resultType: 'complete',
      content,
      vendor: 1,
      _meta: { 'com.example/t': 1 },
    });
  });

  it('[TOOL-28] [results-04] is a result when the tool itself failed', async () => {
    const { client } = await serve({ isError: true, content: [{ type: 'text', text: 'route closed until 6' }] });
    expect(await client.callTool('x')).toMatchObject({ isError: true, content: [{ text: 'route closed until 6' }] });
  });

  it.each(['null', 'true', '7', '"s"', '[]', '{}', '{"code":null}', 'not json', ''])(
    '[results-08] keeps the text %j as it came',
    async (text) => {
      const { client } = await serve({ content: [{ type: 'text', text }] });
      expect((await client.callTool('x')).content).toEqual([{ type: 'text', text }]);
    },
  );

  it.each([
    [{}, 'result.content must be present'],
    [{ content: {} }, 'result.content must be an array'],
    [{ content: [{ type: 'text' }] }, 'result.content[0].text must be present'],
    [{ content: [{ text: 'x' }] }, 'result.content[0]'],
    [{ content: [null] }, 'result.content[0] must be an object'],
    [{ content: [], isError: 'yes' }, 'result.isError must be true or false'],
  ])('is refused when its shape is wrong: %j', async (result, problem) => {
    const { client } = await serve(result);
    const error = await failure(client.callTool('x'));
    expect(error).toMatchObject({ code: 'invalid-response', server: 'depot' });
    expect(error.message).toContain(problem);
  });
});

describe('other results', () => {
  it('are checked against their own shapes', async () => {
    const { client } = await serve({ contents: [{ uri: 'x://a' }], messages: {}, completion: { values: [1] } });
    expect((await failure(client.readResource('x://a'))).message).toContain('result.contents[0]');
    expect((await failure(client.getPrompt('x'))).message).toContain('result.messages must be an array');
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'v' } } as const;
    expect((await failure(client.complete(params))).message).toContain('result.completion.values[0]');
  });

  it('are answered as they came', async () => {
    const { client } = await serve({
      contents: [{ uri: 'x://a', text: 'hi' }],
      messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
      completion: { values: ['a'], total: 1, hasMore: false },
      ttlMs: 7,
      cacheScope: 'public',
    });
    const read = await client.readResource('x://a');
    expect(read).toMatchObject({ contents: [{ uri: 'x://a', text: 'hi' }], ttlMs: 7, cacheScope: 'public' });
    expect((await client.getPrompt('x')).messages).toHaveLength(1);
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'v' } } as const;
    expect((await client.complete(params)).completion).toEqual({ values: ['a'], total: 1, hasMore: false });
  });
});

describe('the error of a peer', () => {
  it.each([
    [-32602, { uri: 'x://a' }, true],
    [-32002, undefined, true],
    [-32602, undefined, false],
    [-32001, { uri: 'x://a' }, false],
    [4711, { reason: 'denied' }, false],
  ])('[MSG-22] [MSG-27] keeps its code %i, message and data (%j); not found: %s', async (code, data, isNotFound) => {
    const peer = createScriptedPeer(({ id, method }) => {
      if (method === 'server/discover') return false;
      peer.send({ jsonrpc: '2.0', id, error: { code, message: 'because', data } });
      return true;
    });
    const client = await connect(peer.transport);
    clients.push(client);
    const error: unknown = await client.readResource('x://a').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ProtocolError', code, message: 'because', data });
    expect(isResourceNotFound(error)).toBe(isNotFound);
  });
});

describe('arguments of the caller', () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;

  it.each<[string, (client: Client) => Promise<unknown>]>([
    ['a name that is no string', (client) => client.callTool(5 as never)],
    ['arguments that are no object', (client) => client.callTool('x', [] as never)],
    ['arguments that are no JSON', (client) => client.callTool('x', circular)],
    ['a prompt argument that is no string', (client) => client.getPrompt('x', { a: 1 } as never)],
    // @ts-expect-error a reference of no kind is what is tested
    ['a reference of no kind', (client) => client.complete({ ref: { type: 'x' }, argument: {} })],
    ['a time limit of zero', (client) => client.callTool('x', {}, { timeoutMs: 0 })],
    ['a time limit that is a text', (client) => client.callTool('x', {}, { timeoutMs: '5' as never })],
    ['a time limit that is no number', (client) => client.callTool('x', {}, { maxTimeoutMs: Number.NaN })],
    ['an unknown log level', (client) => client.callTool('x', {}, { logLevel: 'loud' as never })],
  ])('are refused before anything is sent: %s', async (_name, call) => {
    const { client, peer } = await serve({ content: [] });
    expect(await failure(call(client))).toMatchObject({ code: 'invalid-argument', server: 'depot' });
    expect(peer.written.map(({ method }) => method)).toEqual(['server/discover']);
  });

  it('[schema-11] go out whole, integers beyond a double digit for digit', async () => {
    const { client, peer } = await serve({ content: [] });
    await client.callTool('x', { id: 1234567890123456789n });
    expect(peer.texts.at(-1)).toContain('"id":1234567890123456789');
  });
});

it.each(['ui', '', '/ui', 'com..example/ui'])(
  '[META-19] refuses to connect with the extension %j before anything is sent',
  async (identifier) => {
    const peer = { respond: () => Promise.reject(new Error('the server was asked')) };
    const capabilities = { extensions: { 'com.example/fine': {}, [identifier]: {} } };
    expect(await failure(connect(peer, { capabilities }))).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('capabilities.extensions') as string,
    });
  },
);

it.each([null, undefined, 5, {}, { open: 1 }, { respond: 1 }, { command: 5 }])(
  'refuses to connect to %j',
  async (target) => {
    expect((await failure(connect(target as never))).code).toBe('invalid-argument');
    expect((await failure(connectNode(target as never))).code).toBe('invalid-argument');
  },
);
