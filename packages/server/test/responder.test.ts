import { getEventListeners } from 'node:events';

import { createServer, silentLogger } from '@switchyard/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { metaOf, requestOf } from './wire.ts';

const server = createServer({ name: 'memory', version: '1.0.0' }, { logger: silentLogger });
server
  .tool('echo', { input: { type: 'object' } }, (args) => args)
  .tool('signalled', {}, (_, { signal }) => signal.aborted);

const respond = (text: string): Promise<string | undefined> =>
  server.respond(text, { signal: new AbortController().signal, send: () => undefined });

describe('a server in memory', () => {
  it.each<[string, string, object | undefined]>([
    [
      'a request',
      JSON.stringify(requestOf('tools/call', { name: 'echo' })),
      { id: 1, result: { resultType: 'complete' } },
    ],
    ['a bad request', JSON.stringify(requestOf('nope', {}, { id: 'x' })), { id: 'x', error: { code: -32601 } }],
    ['no JSON', '{', { error: { code: -32700 } }],
    ['no message', '[]', { error: { code: -32600 } }],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/cancelled"}', undefined],
    ['a response', '{"jsonrpc":"2.0","id":1,"result":{}}', undefined],
  ])('answers %s as every transport does', async (_, text, answer) => {
    const response = await respond(text);
    if (answer === undefined) expect(response).toBeUndefined();
    else expect(JSON.parse(response ?? '')).toMatchObject(answer);
  });

  it('[CAN-04] holds on to no signal that outlives its requests', async () => {
    const { signal } = new AbortController();
    const exchange = { signal, send: () => undefined };
    for (const message of [
      requestOf('tools/call', { name: 'echo' }),
      requestOf('tools/call', { name: 'absent' }),
      requestOf('tools/call', { name: 'signalled' }),
    ]) {
      await server.respond(JSON.stringify(message), exchange);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('never rejects, whatever the text, and answers with one message', async () => {
    const params = fc.record({
      name: fc.constantFrom('echo', 'absent', 7),
      arguments: fc.jsonValue(),
      _meta: fc.oneof(fc.constant(metaOf()), fc.jsonValue()),
    });
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0', 2),
        id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
        method: fc.constantFrom('tools/call', 'tools/list', 'server/discover', 'x', 7),
        params: fc.oneof(params, fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      message.map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        const response = await respond(text);
        if (response === undefined) return;
        expect(JSON.parse(response)).toMatchObject({ jsonrpc: '2.0' });
        expect(response).not.toContain('\n');
      }),
      { numRuns: 500 },
    );
  });
});
