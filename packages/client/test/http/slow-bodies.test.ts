import { describe, expect, it } from 'vitest';
import { type Client, connect, type ConnectOptions } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, type ManualClock } from '../manual-clock.ts';
import { closeAfterwards } from '../serve-http.ts';
import { type Answer, discoveryTo, type Fetched, scriptFetch, type ScriptedStream } from './scripted-fetch.ts';

async function reach(
  answer: (request: Fetched, clock: ManualClock) => Answer,
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly clock: ManualClock }> {
  const clock = createManualClock();
  const { fetch } = scriptFetch((request) => discoveryTo(request) ?? answer(request, clock));
  const client = closeAfterwards(await connect('http://depot.test/mcp', { name: 'depot', fetch, clock, ...options }));
  return { client, clock };
}

/** A body that gets one more letter every 100 ms, and never ends. */
function dripping(clock: ManualClock, begin: string): (stream: ScriptedStream) => void {
  return (stream) => {
    stream.write(begin);
    const drip = (): void => {
      stream.write('.');
      clock.after(100, drip);
    };
    clock.after(100, drip);
  };
}

it.each([400, 404, 429, 500, 502, 503])('%i whose body drips for ever ends a call within a second', async (status) => {
  const { client, clock } = await reach((_request, at) => ({ status, body: dripping(at, 'Out of order') }));
  const call = failure(client.callTool('x'));
  let isOver = false;
  void call.then(() => (isOver = true));
  await clock.advance(999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(isOver).toBe(true);
  const error = await call;
  expect(error.status).toBe(status);
  expect(error.message).toContain('It said: "Out of order...');
});

/** A JSON-RPC error in answer to a request. */
function errorTo({ message }: Fetched, trace = ''): string {
  const error = { code: -32602, message: 'no such tool', data: { trace } };
  return JSON.stringify({ jsonrpc: '2.0', id: message.id, error });
}

const json = { 'content-type': 'application/json; charset=utf-8' };

describe.each([400, 404, 500, 502])('%i with JSON', (status) => {
  it.each(['', 'x'.repeat(100_000)])('is the error of its body, however late and long that is', async (trace) => {
    const { client, clock } = await reach((request, at) => ({
      status,
      headers: json,
      body(stream) {
        const text = errorTo(request, trace);
        at.after(900, () => stream.write(text.slice(0, 40)));
        at.after(5000, () => {
          stream.write(text.slice(40));
          stream.end();
        });
      },
    }));
    const call = client.callTool('x').catch((reason: unknown) => reason);
    await clock.advance(5000);
    expect(await call).toMatchObject({ name: 'ProtocolError', code: -32602, status });
  });

  it('that goes on for ever ends at the limit of the call', async () => {
    const { client, clock } = await reach((_request, at) => ({ status, headers: json, body: dripping(at, '{"a":"') }));
    const call = failure(client.callTool('x', {}, { timeoutMs: 5000 }));
    await clock.advance(5000);
    expect((await call).code).toBe('timeout');
  });

  it('that breaks off is that status', async () => {
    const { client } = await reach(() => ({
      status,
      headers: json,
      body(stream) {
        stream.write('{"jsonrpc"');
        stream.break();
      },
    }));
    expect(await failure(client.callTool('x', {}, { isRepeatable: true }))).toMatchObject({
      code: 'http-status',
      status,
    });
  });

  it('over the limit of a message is that status', async () => {
    const answer = (request: Fetched): Answer => ({ status, headers: json, body: errorTo(request, 'x'.repeat(5000)) });
    const { client } = await reach(answer, { maxMessageBytes: 2000 });
    expect(await failure(client.callTool('x', {}, { isRepeatable: true }))).toMatchObject({
      code: 'http-status',
      status,
    });
  });
});

it.each([403, 429, 503])('%i with JSON that goes on for ever is that status within a second', async (status) => {
  const { client, clock } = await reach((_request, at) => ({ status, headers: json, body: dripping(at, '{"a":"') }));
  const call = failure(client.callTool('x'));
  await clock.advance(1000);
  expect(await call).toMatchObject({ code: 'http-status', status });
});

it.each([{}, json])('an error whose body does not end is that error (%o)', async (headers) => {
  const { client, clock } = await reach((request) => ({
    status: 400,
    headers,
    body: (stream) => stream.write(errorTo(request)),
  }));
  const call = client.callTool('x').catch((reason: unknown) => reason);
  await clock.advance(1000);
  expect(await call).toMatchObject({ name: 'ProtocolError', code: -32602, status: 400 });
});

it('an error that is late and whose body does not end is that error', async () => {
  const { client, clock } = await reach((request, at) => ({
    status: 400,
    headers: json,
    body(stream) {
      const text = errorTo(request);
      stream.write(text.slice(0, 10));
      at.after(3000, () => stream.write(text.slice(10)));
    },
  }));
  const call = client.callTool('x', {}, { timeoutMs: 10_000 }).catch((reason: unknown) => reason);
  await clock.advance(3000);
  expect(await call).toMatchObject({ name: 'ProtocolError', code: -32602, status: 400 });
});

it('a page in place of an answer is not waited for', async () => {
  const headers = { 'content-type': 'text/html' };
  const { client, clock } = await reach((_request, at) => ({ headers, body: dripping(at, '<title>Sign in') }));
  const listing = failure(client.listTools());
  await clock.advance(1000);
  expect(await listing).toMatchObject({ code: 'invalid-response' });
});

it('a call for which less time is left ends at its limit', async () => {
  const { client, clock } = await reach((_request, at) => ({ status: 500, body: dripping(at, 'x') }));
  const call = failure(client.callTool('x', {}, { timeoutMs: 500 }));
  await clock.advance(500);
  expect((await call).code).toBe('timeout');
});
