import { describe, expect, it } from 'vitest';
import { type Client, connect } from '../../src/index.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { closeAfterwards } from '../serve-http.ts';
import { type Answer, type Fetched, greetingTo, saying, scriptFetch } from './scripted-fetch.ts';

const json = { 'content-type': 'application/json' };

interface CallOnceOptions {
  readonly sessionId?: string;
  readonly call?: (client: Client) => Promise<object>;
}

/** A legacy server that answers the first tool call with 404, and later ones as they should be. */
async function callOnce(
  first: (request: Fetched) => Answer,
  { sessionId = 's-1', call = (client) => client.callTool('pay') }: CallOnceOptions = {},
): Promise<{ readonly outcome: object; readonly methods: readonly string[]; readonly requests: readonly Fetched[] }> {
  let isFirst = true;
  const { fetch, methods, requests } = scriptFetch((request) => {
    if (request.httpMethod === 'GET') return { status: 405 };
    const start = greetingTo(request, sessionId);
    if (start !== undefined) return start;
    if (isFirst) {
      isFirst = false;
      return first(request);
    }
    const result = { ...saying('done'), messages: [] };
    return { headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result }) };
  });
  const client = closeAfterwards(await connect('http://depot.test/mcp', { name: 'depot', fetch }));
  const outcome = await call(client).catch((error: unknown) => error as object);
  await settle();
  const counted = methods().filter((method) =>
    ['tools/call', 'prompts/get', 'resources/read', 'initialize'].includes(method),
  );
  return { outcome, methods: counted, requests };
}

const errorOf =
  (code: number, message: string, id?: null) =>
  (request: Fetched): Answer => ({
    status: 404,
    headers: json,
    body: JSON.stringify({ jsonrpc: '2.0', id: id === undefined ? request.message.id : id, error: { code, message } }),
  });

describe('HTTP 404 within a legacy session', () => {
  it.each([
    [-32602, 'no such order'],
    [-32601, 'no such tool'],
    [-32000, 'card was charged, receipt failed'],
    [404, 'unknown customer'],
  ])(
    'with the error %i of the tool itself (%s) is the answer, and the call is not sent again',
    async (code, message) => {
      const { outcome, methods } = await callOnce(errorOf(code, message));
      expect(outcome).toMatchObject({ name: 'ProtocolError', code, status: 404 });
      expect(methods).toEqual(['initialize', 'tools/call']);
    },
  );

  it.each<[string, (request: Fetched) => Answer]>([
    ['nothing in it', () => ({ status: 404 })],
    ['a page', () => ({ status: 404, body: '<h1>gone</h1>' })],
    ['an error without an id', errorOf(-32600, 'no', null)],
    ['the code of the SDKs and no id', errorOf(-32001, 'no', null)],
  ])('with %s tells that the session is gone: it is renewed, and the call sent again', async (_what, answer) => {
    const { outcome, methods } = await callOnce(answer);
    expect(outcome).toMatchObject({ content: [{ text: 'done' }] });
    expect(methods).toEqual(['initialize', 'tools/call', 'initialize', 'tools/call']);
  });

  const speaking: readonly [string, (request: Fetched) => Answer][] = [
    ['the code of the SDKs', errorOf(-32001, 'no')],
    ['words about the session', errorOf(-32000, 'Bad Request: no valid session ID')],
  ];

  it.each(speaking)(
    "with %s under the call's own id may be of the tool: the call ends so, and the session is renewed",
    async (_what, answer) => {
      const { outcome, methods } = await callOnce(answer);
      expect(outcome).toMatchObject({ name: 'ProtocolError', status: 404 });
      expect(methods).toEqual(['initialize', 'tools/call', 'initialize']);
    },
  );

  it.each([-32002, -32601, -32602])(
    'with %i is of what was asked for, also where that is called a session',
    async (code) => {
      const call = (client: Client): Promise<object> => client.readResource('session://x');
      const { outcome, methods } = await callOnce(errorOf(code, 'Resource session://x not found'), { call });
      expect(outcome).toMatchObject({ name: 'ProtocolError', status: 404 });
      expect(methods).toEqual(['initialize', 'resources/read']);
    },
  );

  it.each(speaking)('with %s sends again what changes nothing', async (_what, answer) => {
    const { outcome, methods } = await callOnce(answer, { call: (client) => client.getPrompt('greet') });
    expect(outcome).toMatchObject({ messages: [] });
    expect(methods).toEqual(['initialize', 'prompts/get', 'initialize', 'prompts/get']);
  });
});

it('a server that is busy is greeted anew when it says', async () => {
  const clock = createManualClock();
  let isDropped = false;
  let greetings = 0;
  const { fetch, methods } = scriptFetch((request) => {
    const { message, httpMethod, headers } = request;
    if (httpMethod === 'GET') return { status: 405 };
    if (message.method === 'initialize') greetings += 1;
    if (greetings === 2) return { status: 503, headers: { 'retry-after': '2' } };
    const start = greetingTo(request, `s-${greetings}`);
    if (start !== undefined) return start;
    if (isDropped && headers['mcp-session-id'] === 's-1') return { status: 404 };
    return { headers: json, body: JSON.stringify({ jsonrpc: '2.0', id: message.id, result: saying('done') }) };
  });
  const client = closeAfterwards(await connect('http://depot.test/mcp', { name: 'depot', fetch, clock }));
  isDropped = true;
  const call = client.callTool('pay');
  await settle();
  await clock.advance(1999);
  expect(greetings).toBe(2);
  await clock.advance(1);
  expect(await call).toMatchObject({ content: [{ text: 'done' }] });
  expect(methods().filter((method) => method === 'tools/call')).toHaveLength(2);
});

it('an empty id names no session: it is not said back, and 404 is 404', async () => {
  const { outcome, requests } = await callOnce(() => ({ status: 404 }), { sessionId: '' });
  expect(outcome).toMatchObject({ code: 'http-status', status: 404 });
  expect(requests.filter(({ headers }) => headers['mcp-session-id'] !== undefined)).toEqual([]);
});
