import { describe, expect, it } from 'vitest';
import type { ServerResponse } from 'node:http';
import type net from 'node:net';
import { type ClientError, connect, type ConnectOptions } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import type { Received } from '../scripted-http-server.ts';
import { closeAfterwards, serve } from '../serve-http.ts';
import {
  type Answer,
  discoveryTo,
  type Fetched,
  greetingTo,
  resultTo,
  saying,
  scriptFetch,
  streamed,
} from './scripted-fetch.ts';

const json = { 'content-type': 'application/json' };

async function pay(
  answer: (request: Fetched) => Answer | Promise<Answer>,
  options: ConnectOptions = {},
): Promise<{ readonly error: ClientError; readonly calls: number }> {
  const { fetch, methods } = scriptFetch((request) => discoveryTo(request) ?? answer(request));
  const client = closeAfterwards(await connect('http://depot.test/mcp', { name: 'depot', fetch, ...options }));
  const error = await failure(client.callTool('pay'));
  return { error, calls: methods().filter((method) => method === 'tools/call').length };
}

const withCode = (code: string, more: object = {}): Error => Object.assign(new Error(code), { code, ...more });
const reject =
  (error: Error): (() => Answer) =>
  () => {
    throw error;
  };

describe('a tool call that fails', () => {
  it.each([
    [500, 'outcome-unknown', true],
    [502, 'outcome-unknown', true],
    [504, 'outcome-unknown', true],
    [520, 'outcome-unknown', true],
    [524, 'outcome-unknown', true],
    [527, 'outcome-unknown', true],
    [408, 'outcome-unknown', true],
    [499, 'outcome-unknown', true],
    [503, 'http-status', true],
    [302, 'http-status', true],
    [307, 'http-status', false],
    [400, 'http-status', false],
    [403, 'http-status', false],
    [407, 'http-status', false],
    [413, 'http-status', false],
    [421, 'http-status', false],
    [429, 'http-status', false],
    [501, 'http-status', false],
    [401, 'unauthorized', false],
  ])('with HTTP %i ends as %s; may have run: %s', async (status, code, mayHaveRun) => {
    const { error, calls } = await pay(() => ({ status, body: 'no' }), { prior: undefined });
    expect(error).toMatchObject({ code, status, mayHaveRun });
    expect(calls).toBe(1);
  });

  it('with 503 and a time to come back was refused', async () => {
    const { error } = await pay(() => ({ status: 503, headers: { 'retry-after': '9' } }));
    expect(error).toMatchObject({ code: 'http-status', retryAfterMs: 9000, mayHaveRun: false });
  });

  it.each<[string, (request: Fetched) => Answer]>([
    ['is empty', () => ({ headers: json, body: '' })],
    ['is cut off', ({ message }) => ({ headers: json, body: `{"jsonrpc":"2.0","id":${message.id},"resu` })],
    ['is cut off in its stream', () => streamed((stream) => (stream.write('data: {"jsonrpc"'), stream.end()))],
  ])('by an answer that %s is lost', async (_how, answer) => {
    const { error, calls } = await pay(answer);
    expect(error).toMatchObject({ code: 'outcome-unknown', mayHaveRun: true });
    expect(calls).toBe(1);
  });

  it.each<[string, (request: Fetched) => Answer, ConnectOptions]>([
    ['invalid-response', (request) => resultTo(request, { content: 'paid' }), {}],
    ['too-large', (request) => resultTo(request, saying('x'.repeat(9000))), { maxMessageBytes: 5000 }],
    ['timeout', () => streamed(() => undefined), { timeoutMs: 30 }],
  ])('as %s may have run', async (code, answer, options) => {
    expect((await pay(answer, options)).error).toMatchObject({ code, mayHaveRun: true });
  });

  it.each([
    ['connect', 'EHOSTUNREACH', 'connect-failed'],
    ['getaddrinfo', 'EAI_AGAIN', 'connect-failed'],
    ['read', 'EHOSTUNREACH', 'outcome-unknown'],
    ['read', 'ENETUNREACH', 'outcome-unknown'],
    ['write', 'ENETDOWN', 'outcome-unknown'],
    [undefined, 'ERR_SSL_WRONG_VERSION_NUMBER', 'outcome-unknown'],
    [undefined, 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'outcome-unknown'],
  ])('in %s with %s ends as %s through the fetch of somebody else', async (syscall, code, expected) => {
    const { error, calls } = await pay(reject(withCode(code, syscall === undefined ? {} : { syscall })));
    expect(error).toMatchObject({ code: expected, mayHaveRun: expected === 'outcome-unknown' });
    expect(calls).toBe(1);
  });

  it('since a proxy wants to know who calls was refused', async () => {
    const error = Object.assign(new TypeError('fetch failed'), { cause: new Error('proxy authentication required') });
    expect((await pay(reject(error))).error).toMatchObject({ code: 'http-status', status: 407, mayHaveRun: false });
  });

  it('before there is a session was not sent, whatever became of the start', async () => {
    let isDown = false;
    const { fetch, methods } = scriptFetch((request) => {
      if (isDown) throw withCode('ECONNRESET');
      return discoveryTo(request) ?? resultTo(request, saying('done'));
    });
    const signal = AbortSignal.abort();
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
    expect(await failure(client.callTool('pay', {}, { signal }))).toMatchObject({ code: 'aborted', mayHaveRun: false });
    isDown = true;
    expect(await failure(client.callTool('pay'))).toMatchObject({ code: 'outcome-unknown', mayHaveRun: true });
    await client.close();
    expect(await failure(client.callTool('pay'))).toMatchObject({ code: 'closed', mayHaveRun: false });
    expect(methods()).toEqual(['server/discover', 'tools/call']);
  });

  it('that may be repeated says what any of its attempts may have done', async () => {
    const clock = createManualClock();
    const failures = [withCode('ECONNRESET'), withCode('ECONNREFUSED', { syscall: 'connect' })];
    const { fetch } = scriptFetch((request) => {
      const start = discoveryTo(request);
      if (start !== undefined) return start;
      throw failures.shift() ?? new Error('once too often');
    });
    const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch, clock }));
    const call = failure(client.callTool('pay', {}, { isRepeatable: true }));
    await settle();
    expect(await call).toMatchObject({ code: 'connect-failed', mayHaveRun: true });
  });
});

it('a tool call whose rest cannot be had, since the server is gone, was sent all the same', async () => {
  const clock = createManualClock();
  const { fetch } = scriptFetch((request) => {
    if (request.headers['last-event-id'] !== undefined) throw withCode('ECONNREFUSED', { syscall: 'connect' });
    if (request.httpMethod === 'GET') return { status: 405 };
    return (
      greetingTo(request) ??
      streamed((stream) => {
        stream.write('id: 1\ndata:\n\n');
        stream.end();
      })
    );
  });
  const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch, clock, random: () => 0 }));
  const call = failure(client.callTool('pay'));
  for (let step = 0; step < 20; step += 1) await clock.advance(2000);
  expect(await call).toMatchObject({ code: 'outcome-unknown', mayHaveRun: true });
});

it.each(['EHOSTUNREACH', 'ECONNREFUSED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'CERT_HAS_EXPIRED'])(
  'a tool call on whose connection the route breaks with %s was sent, whatever the code says',
  async (code) => {
    const sockets = new Set<net.Socket>();
    const subscribe = (message: unknown): void => {
      sockets.add((message as { readonly socket: net.Socket }).socket);
    };
    const { channel } = await import('node:diagnostics_channel');
    const connected = channel('undici:client:connected');
    connected.subscribe(subscribe);
    const breakOff = (_request: Received, _response: ServerResponse): void => {
      for (const socket of sockets) socket.destroy(withCode(code));
    };
    const { client, server } = await serve(breakOff);
    const error = await failure(client.callTool('pay'));
    connected.unsubscribe(subscribe);
    expect(error).toMatchObject({ code: 'outcome-unknown', mayHaveRun: true });
    expect(server.methods()).toEqual(['server/discover', 'tools/call']);
  },
);

it.each([
  ['refused', withCode('ECONNREFUSED', { syscall: 'connect' }), 'connect-failed'],
  ['of no certificate', withCode('CERT_HAS_EXPIRED'), 'connect-failed'],
])('a tool call that had come to a question may have run, though its next round was %s', async (_how, broken, code) => {
  let rounds = 0;
  const { error, calls } = await pay((request) => {
    rounds += 1;
    if (rounds > 1) throw broken;
    return resultTo(request, { resultType: 'input_required', requestState: 'half done' });
  });
  expect(error).toMatchObject({ code, mayHaveRun: true, server: 'depot' });
  expect(calls).toBe(2);
});

it.each([
  [{}, false],
  [{ requestState: 'half done' }, true],
  [{ inputResponses: {} }, true],
])('a round with %j that was never sent: may have run is %s', async (more, mayHaveRun) => {
  const { fetch } = scriptFetch((request) => {
    const discovery = discoveryTo(request);
    if (discovery === undefined) throw withCode('ECONNREFUSED', { syscall: 'connect' });
    return discovery;
  });
  const client = closeAfterwards(await connect('http://depot.test/mcp', { fetch }));
  const error = await failure(client.request('tools/call', { name: 'pay', ...more }));
  expect(error).toMatchObject({ code: 'connect-failed', mayHaveRun });
});
