import { describe, expect, it } from 'vitest';
import { type Client, connect, type ConnectOptions } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, type ManualClock, settle } from '../manual-clock.ts';
import { closeAfterwards } from '../serve-http.ts';
import { type Answer, discoveryTo, type Fetched, resultTo, saying, scriptFetch } from './scripted-fetch.ts';

const REPEATABLE = { isRepeatable: true } as const;

async function reach(
  answers: readonly (Answer | Error)[],
  options: ConnectOptions = {},
): Promise<{ client: Client; clock: ManualClock; calls: () => number; ids: () => unknown[] }> {
  const clock = createManualClock();
  const script = [...answers];
  const { fetch, requests } = scriptFetch((request) => {
    const next = discoveryTo(request) ?? script.shift() ?? rest(request);
    if (next instanceof Error) throw next;
    return next;
  });
  const client = closeAfterwards(
    await connect('http://depot.test/mcp', { name: 'depot', fetch, clock, random: () => 0, ...options }),
  );
  const sent = (): Fetched[] => requests.filter(({ message }) => message.method !== 'server/discover');
  return { client, clock, calls: () => sent().length, ids: () => sent().map(({ message }) => message.id) };
}

function rest(request: Fetched): Answer {
  return resultTo(request, { tools: [], ttlMs: 0, cacheScope: 'private', ...saying('done') });
}

const busy = (status: number, headers: Answer['headers'] = {}): Answer => ({ status, headers });
const reset = (): Error => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

describe('a repeatable request', () => {
  it.each([429, 503])('waits as long as Retry-After of %i says, and is sent again', async (status) => {
    const { client, clock, calls, ids } = await reach([busy(status, { 'retry-after': '7' })]);
    const listing = client.listTools();
    await clock.advance(6999);
    expect(calls()).toBe(1);
    await clock.advance(1);
    expect((await listing).tools).toEqual([]);
    expect(calls()).toBe(2);
    expect(new Set(ids()).size).toBe(2);
  });

  it('is waited for no longer than until the client is closed', async () => {
    const { client, calls } = await reach([busy(503, { 'retry-after': '30' })]);
    const listing = failure(client.listTools());
    await settle();
    await client.close();
    expect((await listing).code).toBe('closed');
    expect(calls()).toBe(1);
  });

  it('takes a date of Retry-After by the clock of the server, not its own', async () => {
    const headers = { date: 'Wed, 21 Oct 2015 07:28:00 GMT', 'retry-after': 'Wed, 21 Oct 2015 07:28:05 GMT' };
    const { client, clock, calls } = await reach([busy(503, headers)]);
    const listing = client.listTools();
    await clock.advance(4999);
    expect(calls()).toBe(1);
    await clock.advance(1);
    await listing;
    expect(calls()).toBe(2);
  });

  it('backs off without Retry-After, longer each time, and gives up after three repetitions', async () => {
    const { client, clock, calls } = await reach([busy(503), busy(503), busy(503), busy(503)]);
    const listing = failure(client.listTools());
    const counts: number[] = [];
    for (const ms of [0, 499, 1, 999, 1, 1999, 1]) {
      await clock.advance(ms);
      counts.push(calls());
    }
    expect(counts).toEqual([1, 1, 2, 2, 3, 3, 4]);
    expect(await listing).toMatchObject({ code: 'http-status', status: 503 });
  });

  it('shortens its back-off by chance, by half at most', async () => {
    const { client, clock, calls } = await reach([busy(503)], { random: () => 1 });
    const listing = client.listTools();
    await clock.advance(250);
    await listing;
    expect(calls()).toBe(2);
  });

  it.each([
    ['timeoutMs', { timeoutMs: 5000 }],
    ['maxTimeoutMs', { maxTimeoutMs: 5000 }],
  ])('does not wait for what %s leaves no time for', async (_name, limits) => {
    const { client, clock, calls } = await reach([busy(429, { 'retry-after': '5' })]);
    const listing = failure(client.listTools(limits));
    await settle();
    expect(await listing).toMatchObject({ code: 'http-status', status: 429, retryAfterMs: 5000 });
    expect(calls()).toBe(1);
    expect(clock.now()).toBe(0);
  });

  it('is given up at once when its caller gives it up while it waits', async () => {
    const { client, clock, calls } = await reach([busy(429, { 'retry-after': '5' })]);
    const controller = new AbortController();
    const listing = failure(client.listTools({ signal: controller.signal }));
    await settle();
    controller.abort();
    expect((await listing).code).toBe('aborted');
    await clock.advance(10_000);
    expect(calls()).toBe(1);
  });

  it('is sent again at once after a connection that broke, such as a kept socket that the server had closed', async () => {
    const { client, clock, calls } = await reach([reset()]);
    expect((await client.listTools()).tools).toEqual([]);
    expect(calls()).toBe(2);
    expect(clock.now()).toBe(0);
  });

  it('is sent again after an answer that breaks off', async () => {
    const broken: Answer = {
      headers: { 'content-type': 'application/json' },
      body(stream) {
        stream.write('{"jsonrpc":"2.0",');
        stream.break();
      },
    };
    const { client, calls } = await reach([broken]);
    expect((await client.listTools()).tools).toEqual([]);
    expect(calls()).toBe(2);
  });

  it.each(['', '{"jsonrpc":"2.0","id":3,"resu'])('is sent again once after an answer that is %j', async (body) => {
    const cut: Answer = { headers: { 'content-type': 'application/json' }, body };
    expect((await (await reach([cut])).client.listTools()).tools).toEqual([]);
    const { client, calls } = await reach([cut, cut, cut]);
    expect((await failure(client.listTools())).code).toBe('invalid-response');
    expect(calls()).toBe(2);
  });

  it.each([400, 401, 403, 404, 500, 502, 504])('is not sent again after %i', async (status) => {
    const { client, clock } = await reach([busy(status, { 'retry-after': '0' })]);
    const listing = failure(client.listTools());
    await clock.advance(100);
    expect((await listing).status).toBe(status);
  });

  it('is not sent again when the client was closed', async () => {
    const { client, clock, calls } = await reach([busy(503, { 'retry-after': '1' })]);
    const listing = failure(client.listTools());
    await settle();
    await client.close();
    await clock.advance(5000);
    expect((await listing).code).toBe('closed');
    expect(calls()).toBe(1);
  });

  it('may be a tool call, where the caller says so', async () => {
    const { client, clock, calls } = await reach([busy(503, { 'retry-after': '1' }), reset()]);
    const call = client.callTool('x', {}, REPEATABLE);
    await clock.advance(5000);
    expect(await call).toMatchObject({ content: [{ text: 'done' }] });
    expect(calls()).toBe(3);
  });
});

describe('a tool call', () => {
  it.each([
    ['429', busy(429, { 'retry-after': '0' }), 'http-status'],
    ['503', busy(503, { 'retry-after': '0' }), 'http-status'],
    ['502', busy(502), 'outcome-unknown'],
    ['504', busy(504), 'outcome-unknown'],
    ['a reset connection', reset(), 'outcome-unknown'],
    ['a connection that was never made', Object.assign(new Error('no'), { code: 'ECONNREFUSED' }), 'connect-failed'],
    ['a name that is not found', Object.assign(new Error('no'), { code: 'ENOTFOUND' }), 'connect-failed'],
    [
      'a certificate that is not trusted',
      Object.assign(new Error('no'), { code: 'CERT_HAS_EXPIRED' }),
      'connect-failed',
    ],
    ['an error of which nothing is known', new Error('odd'), 'outcome-unknown'],
  ])('is sent once, and ends after %s as %s', async (_what, answer, code) => {
    const { client, clock, calls } = await reach([answer]);
    const call = failure(client.callTool('pay', { amount: 5 }));
    await clock.advance(60_000);
    const error = await call;
    expect(error.code).toBe(code);
    expect(calls()).toBe(1);
    if (code === 'outcome-unknown') expect(error).toMatchObject({ server: 'depot', cause: { name: 'ClientError' } });
  });

  it('says what happened where its outcome is unknown, and keeps the status', async () => {
    const { client } = await reach([busy(504)]);
    const error = await failure(client.callTool('pay'));
    expect(error.status).toBe(504);
    expect(error.message).toContain('tools/call was sent and its answer is lost');
    expect(error.message).toContain('HTTP 504');
    expect(error.message.match(/MCP server/g)).toHaveLength(1);
  });

  it('that the client itself cut off by closing ends as closed', async () => {
    const { client } = await reach([{ headers: { 'content-type': 'text/event-stream' }, body: () => undefined }]);
    const call = failure(client.callTool('pay'));
    await settle();
    await client.close();
    expect((await call).code).toBe('closed');
  });
});
