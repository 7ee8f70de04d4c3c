import { describe, expect, it } from 'vitest';
import { type ClientWarning, connect } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { createScriptedPeer } from '../scripted-peer.ts';
import { closeAfterwards } from '../serve-http.ts';
import {
  discoveryTo,
  eventOf,
  type Fetched,
  saying,
  scriptFetch,
  type ScriptedStream,
  streamed,
} from './scripted-fetch.ts';

/** A server whose calls are answered on a stream that the test writes. */
function startStreaming(): ReturnType<typeof scriptFetch> & { stream(): ScriptedStream; call(): Fetched } {
  let stream: ScriptedStream | undefined;
  const scripted = scriptFetch((request) => discoveryTo(request) ?? streamed((opened) => void (stream = opened)));
  return {
    ...scripted,
    stream() {
      if (stream === undefined) throw new Error('nothing was called');
      return stream;
    },
    call() {
      const call = scripted.requests.at(-1);
      if (call === undefined) throw new Error('nothing was called');
      return call;
    },
  };
}

const progressOf = (progressToken: unknown, progress: number): object => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress },
});

describe('the time limits of a call over HTTP', () => {
  it('[timeout-01] start anew with progress without a callback: a token is sent, and the call is answered', async () => {
    const clock = createManualClock();
    const server = startStreaming();
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch: server.fetch, clock }));
    const call = client.callTool('x', {}, { timeoutMs: 1000, resetTimeoutOnProgress: true });
    await settle();
    const { id, params } = server.call().message;
    expect(params?.['_meta']).toMatchObject({ progressToken: id });
    const start = clock.now();
    for (const value of [1, 2, 3]) {
      await clock.advance(700);
      server.stream().write(eventOf(progressOf(id, value)));
      await settle();
    }
    await clock.advance(700);
    server.stream().write(eventOf({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...saying('late') } }));
    expect(await call).toMatchObject({ content: [{ text: 'late' }] });
    expect(clock.now() - start).toBe(2800);
  });

  it('[timeout-02] end at the limit of the whole, whatever the progress: the stream is closed and what follows ignored', async () => {
    const clock = createManualClock();
    const server = startStreaming();
    const warnings: ClientWarning[] = [];
    const client = closeAfterwards(
      await connect('http://depot.test/mcp', { fetch: server.fetch, clock, onWarning: (it) => warnings.push(it) }),
    );
    const start = clock.now();
    const seen: number[] = [];
    const limits = { timeoutMs: 1000, maxTimeoutMs: 5000 };
    let endedAt: number | undefined;
    const call = failure(client.callTool('x', {}, { ...limits, onProgress: ({ progress }) => seen.push(progress) }));
    void call.then(() => (endedAt = clock.now() - start));
    await settle();
    const { id } = server.call().message;
    for (let value = 1; value <= 14; value += 1) {
      await clock.advance(500);
      server.stream().write(eventOf(progressOf(id, value)));
      await settle();
    }
    expect((await call).code).toBe('timeout');
    expect(endedAt).toBe(5000);
    expect(server.call().signal.aborted).toBe(true);
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(warnings).toEqual([]);
  });
});

it('[timeout-02] over stdio the limit of the whole sends one cancellation', async () => {
  const clock = createManualClock();
  const peer = createScriptedPeer();
  const client = closeAfterwards(await connect(peer.transport, { clock }));
  const call = failure(client.callTool('x', {}, { timeoutMs: 1000, maxTimeoutMs: 5000, resetTimeoutOnProgress: true }));
  await settle();
  const id = peer.written.at(-1)?.id;
  for (let value = 1; value <= 14; value += 1) {
    await clock.advance(500);
    peer.send(progressOf(id, value));
    await settle();
  }
  expect((await call).code).toBe('timeout');
  const cancellations = peer.written.filter(({ method }) => method === 'notifications/cancelled');
  expect(cancellations).toMatchObject([{ params: { requestId: id, reason: 'timeout' } }]);
});

it('[session-01] a session that is dropped is renewed once, and the call repeated once; one that is dropped again fails', async () => {
  for (const successorLives of [true, false]) {
    let sessions = 0;
    const { fetch, requests } = scriptFetch((request) => {
      const { message, httpMethod, headers } = request;
      if (httpMethod === 'GET') return { status: 405 };
      if (message.method === 'server/discover') return { status: 400 };
      if (message.method === 'notifications/initialized') return { status: 202 };
      const answer = (result: object, more: object = {}): ReturnType<typeof discoveryTo> => ({
        headers: { 'content-type': 'application/json', ...more },
        body: JSON.stringify({ jsonrpc: '2.0', id: message.id, result }),
      });
      if (message.method === 'initialize') {
        sessions += 1;
        const serverInfo = { name: 'old', version: '1' };
        const id = sessions === 1 ? 's-old' : 's-new';
        return (
          answer({ protocolVersion: '2025-11-25', capabilities: {}, serverInfo }, { 'mcp-session-id': id }) ?? {
            status: 500,
          }
        );
      }
      if (successorLives && headers['mcp-session-id'] === 's-new') return answer({ tools: [] }) ?? { status: 500 };
      return { status: 404, body: '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"gone"}}' };
    });
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
    if (successorLives) expect((await client.listTools()).tools).toEqual([]);
    else expect(await failure(client.listTools())).toMatchObject({ code: 'http-status', status: 404 });
    const named = (name: string): readonly Fetched[] => requests.filter(({ message }) => message.method === name);
    expect(named('initialize')).toHaveLength(2);
    expect(named('initialize')[1]?.headers).not.toHaveProperty('mcp-session-id');
    expect(named('tools/list').map(({ headers }) => headers['mcp-session-id'])).toEqual(['s-old', 's-new']);
  }
});
