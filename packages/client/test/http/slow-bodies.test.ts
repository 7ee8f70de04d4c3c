import { expect, it } from 'vitest';
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

it('an error whose body does not end is that error', async () => {
  const { client, clock } = await reach(({ message }) => {
    const error = JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'no such tool' } });
    return { status: 400, body: (stream) => stream.write(error) };
  });
  const call = client.callTool('x').catch((reason: unknown) => reason);
  await clock.advance(1000);
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
