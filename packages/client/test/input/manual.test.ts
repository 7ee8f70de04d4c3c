import { describe, expect, it } from 'vitest';
import { asksForInput } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { discovered, said, sendError, sendJson, sendResult } from '../scripted-http-server.ts';
import { closeAfterwards, warnings } from '../serve-http.ts';
import { startHttpServer } from '../scripted-http-server.ts';
import { connect } from '../../src/node/index.ts';
import { asks, done, form, goesOn, serveAsking } from './asking-peer.ts';

const berth = form({ berth: { type: 'integer' } });

describe('a round that the caller plays himself', () => {
  it('answers the result that asks, and takes the answers and the state in the next', async () => {
    const { client, requests } = await serveAsking((_message, round) => (round > 1 ? done : asks({ a: berth }, 's')), {
      elicitForm: () => Promise.reject(new Error('nobody is asked')),
    });
    const params = { name: 'moor', arguments: { ship: 'Ada' } };
    const first = await client.request('tools/call', params);
    if (!asksForInput(first)) throw new Error('expected a result that asks');
    expect(first).toEqual({ resultType: 'input_required', inputRequests: { a: berth }, requestState: 's' });
    const inputResponses = { a: { action: 'accept', content: { berth: 1 } } };
    const second = await client.request('tools/call', { ...params, inputResponses, requestState: 's' });
    expect(second).toEqual(done);
    expect(requests()[1]?.params).toMatchObject({ ...params, inputResponses, requestState: 's' });
  });

  it.each([
    ['resources/read', { uri: 'x://a' }, { resultType: 'complete', contents: [] }],
    ['prompts/get', { name: 'x' }, { resultType: 'complete', messages: [] }],
  ] as const)('may be one of %s', async (method, params, result) => {
    const { client } = await serveAsking((_message, round) => (round > 1 ? result : goesOn('s')));
    expect(await client.request(method, params)).toEqual(goesOn('s'));
    expect(await client.request(method, { ...params, requestState: 's' })).toMatchObject(result);
  });

  it.each(['tools/list', 'com.example/delete', 'ping'])('is none of %s, and nothing is sent', async (method) => {
    const { client, peer } = await serveAsking(() => done);
    const sent = peer.written.length;
    const error = await failure(client.request(method as 'prompts/get', { name: 'x' }));
    expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot', mayHaveRun: false });
    expect(error.message).toContain(`and not "${method}"`);
    expect(peer.written).toHaveLength(sent);
  });

  it('has its result checked as any other', async () => {
    const { client } = await serveAsking((_message, round) =>
      round > 1 ? { resultType: 'complete', content: 5 } : { resultType: 'input_required' },
    );
    expect((await failure(client.request('tools/call', { name: 'x' }))).code).toBe('invalid-response');
    expect((await failure(client.request('tools/call', { name: 'x' }))).code).toBe('invalid-response');
    expect((await failure(client.request('tools/call', { name: 5 } as never))).code).toBe('invalid-argument');
  });
});

describe('the headers of a round', () => {
  const tool = {
    name: 'moor',
    inputSchema: { type: 'object', properties: { port: { type: 'string', 'x-mcp-header': 'Port' } } },
  };
  it('[MRTR-30] repeat the arguments as those of the first, also after the list was fetched anew', async () => {
    let calls = 0;
    const server = await startHttpServer((request, response) => {
      if (discovered(request, response)) return;
      if (request.message.method === 'tools/list')
        return sendResult(response, request, { tools: [tool], ttlMs: 0, cacheScope: 'private' });
      calls += 1;
      if (calls === 1) return sendError(response, request, 400, -32020);
      if (calls === 2)
        return sendJson(response, { jsonrpc: '2.0', id: request.message.id, result: asks({ a: berth }, 's') });
      return sendResult(response, request, said('moored'));
    });
    closeAfterwards(server);
    const client = closeAfterwards(
      await connect(server.url, {
        name: 'depot',
        onWarning: (warning) => warnings.push(warning),
        input: { elicitForm: () => Promise.resolve({ action: 'accept', content: { berth: 1 } }) },
      }),
    );
    expect(await client.callTool('moor', { port: 'Kiel' })).toMatchObject(said('moored'));
    const sent = server.received.filter(({ message }) => message.method === 'tools/call');
    expect(sent.map(({ headers }) => [headers['mcp-name'], headers['mcp-param-port']])).toEqual([
      ['moor', undefined],
      ['moor', 'Kiel'],
      ['moor', 'Kiel'],
    ]);
    expect(sent[2]?.message.params).toMatchObject({ requestState: 's', inputResponses: { a: { action: 'accept' } } });
  });
});
