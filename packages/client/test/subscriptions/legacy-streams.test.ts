import { describe, expect, it } from 'vitest';
import { type Client, connect, type SubscribeOptions } from '../../src/index.ts';
import { closeAfterwards, toolsOf, updated, warnings } from '../cache/serve-cached.ts';
import {
  type Answer,
  eventOf,
  type Fetched,
  greetingTo,
  resultTo,
  scriptFetch,
  type ScriptedStream,
  streamed,
} from '../http/scripted-fetch.ts';
import { createManualClock, type ManualClock, settle } from '../manual-clock.ts';

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };

/** A legacy server with a stream of what it says by itself. */
interface OldServer {
  readonly client: Client;
  readonly clock: ManualClock;
  /** The streams that were asked for, each as the test writes it. */
  readonly streams: readonly ScriptedStream[];
  readonly told: string[];
  /** Its tools, and the session that it knows; another one: what was before is gone. */
  readonly state: { tools: readonly string[]; session: string };
  asked(method: string): readonly Fetched[];
  subscribe(uris?: readonly string[], options?: SubscribeOptions): ReturnType<Client['subscribe']>;
}

async function serveOld(onRequest: (request: Fetched) => Answer | Promise<Answer> | undefined = () => undefined) {
  const clock = createManualClock();
  const streams: ScriptedStream[] = [];
  const told: string[] = [];
  const state: OldServer['state'] = { tools: ['a'], session: 's-1' };
  const { fetch, requests } = scriptFetch((request) => {
    const { message, headers, httpMethod } = request;
    const own = onRequest(request);
    if (own !== undefined) return own;
    if (message.method === 'initialize') {
      const serverInfo = { name: 'old', version: '1' };
      const { headers: fields, ...rest } = resultTo(request, {
        protocolVersion: '2025-11-25',
        capabilities,
        serverInfo,
      });
      return { ...rest, headers: { ...fields, 'mcp-session-id': state.session } };
    }
    if (
      httpMethod !== 'DELETE' &&
      message.method !== 'server/discover' &&
      headers['mcp-session-id'] !== state.session
    ) {
      return { status: 404 };
    }
    if (httpMethod === 'GET') return streamed((stream) => streams.push(stream));
    return greetingTo(request) ?? resultTo(request, message.method === 'tools/list' ? toolsOf(state.tools) : {});
  });
  const client = closeAfterwards(
    await connect('http://depot.test/mcp', {
      fetch,
      clock,
      random: () => 1,
      onWarning: (warning) => warnings.push(warning),
    }),
  );
  await client.listTools();
  await settle();
  const server: OldServer = {
    client,
    clock,
    streams,
    told,
    state,
    asked: (method) => requests.filter(({ message, httpMethod }) => (message.method ?? httpMethod) === method),
    subscribe: (uris = [], options = {}) =>
      client.subscribe(
        { toolsListChanged: true, resourceSubscriptions: uris },
        { onListChanged: (list) => told.push(list), onResourceUpdated: (uri) => told.push(uri), ...options },
      ),
  };
  return server;
}

describe('the stream in which a legacy server tells of changes', () => {
  it('is compared with what was known when it comes back, since what was said meanwhile is lost', async () => {
    const { client, clock, streams, state, told, subscribe } = await serveOld();
    const subscription = await subscribe(['a:/1']);
    state.tools = ['a', 'b'];
    streams[0]?.break();
    await settle();
    expect(subscription.state).toBe('returning');
    await client.listTools();
    await clock.advance(2000);
    expect(streams).toHaveLength(2);
    expect(subscription.state).toBe('open');
    expect(told).toEqual(['tools', 'a:/1']);
  });

  it('[LEGC-07] has the session renewed when it is gone, though nobody calls, and again until that works', async () => {
    let isStarting = false;
    const { client, clock, streams, state, told, subscribe, asked } = await serveOld(({ message }) =>
      isStarting && message.method === 'initialize' ? { status: 502 } : undefined,
    );
    const subscription = await subscribe(['a:/1']);
    isStarting = true;
    state.session = 's-2';
    state.tools = ['b'];
    streams[0]?.break();
    for (let second = 0; second < 20; second += 1) await clock.advance(1000);
    expect(asked('initialize').length).toBeGreaterThan(2);
    isStarting = false;
    for (let second = 0; second < 70; second += 1) await clock.advance(1000);
    expect(subscription.state).toBe('open');
    expect(asked('resources/subscribe').map(({ headers }) => headers['mcp-session-id'])).toEqual(['s-1', 's-2']);
    expect(told).toEqual(['tools', 'a:/1']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['b']);
  });

  it('is there again after an outage of any length, with one warning', async () => {
    let isDown = false;
    const { clock, streams, state, told, subscribe } = await serveOld(() => {
      if (isDown) throw Object.assign(new Error('no'), { code: 'ECONNREFUSED' });
      return undefined;
    });
    const subscription = await subscribe();
    await clock.advance(20_000);
    isDown = true;
    streams[0]?.break();
    for (let minute = 0; minute < 10; minute += 1) await clock.advance(60_000);
    isDown = false;
    state.tools = ['b'];
    await clock.advance(60_000);
    await clock.advance(1000);
    expect(subscription.state).toBe('open');
    expect(told).toEqual(['tools']);
    expect(warnings.map(({ code }) => code)).toEqual(['stream-lost']);
  });

  it('may be polled: a place without a message is a sign of life', async () => {
    const { clock, streams, told, subscribe } = await serveOld();
    await subscribe();
    for (let poll = 0; poll < 20; poll += 1) {
      streams.at(-1)?.write(`id: p-${poll}\nretry: 1000\ndata:\n\n`);
      streams.at(-1)?.end();
      await clock.advance(1000);
    }
    expect(streams).toHaveLength(21);
    streams.at(-1)?.write(eventOf(changed));
    await clock.advance(100);
    expect(told.at(-1)).toBe('tools');
    expect(warnings).toEqual([]);
  });

  it('has what was missed looked for ever less often, where it is cut each second', async () => {
    const { clock, streams, subscribe, asked } = await serveOld();
    await subscribe();
    const before = asked('tools/list').length;
    for (let cut = 0; cut < 60; cut += 1) {
      streams.at(-1)?.write(`retry: 1000\n${eventOf({ jsonrpc: '2.0', method: 'notifications/message', params: {} })}`);
      streams.at(-1)?.end();
      await clock.advance(1000);
    }
    expect(asked('tools/list').length - before).toBeLessThan(10);
    expect(asked('tools/list').length - before).toBeGreaterThan(3);
  });
});

describe('what was missed by the stream of a legacy server', () => {
  it('is told though the caller listed meanwhile, and the stream broke again before it was looked for', async () => {
    const { client, clock, streams, state, told, subscribe } = await serveOld();
    await subscribe();
    const breakOff = async (): Promise<void> => {
      streams.at(-1)?.write(eventOf({ jsonrpc: '2.0', method: 'notifications/message', params: {} }));
      streams.at(-1)?.end();
      await clock.advance(500);
      await clock.advance(500);
    };
    for (let gap = 0; gap < 6; gap += 1) await breakOff();
    state.tools = ['a', 'b'];
    for (let gap = 0; gap < 40; gap += 1) {
      await client.listTools();
      await breakOff();
    }
    expect(told).toEqual(['tools']);
  });

  it('is found after a renewal that failed half way', async () => {
    let isBroken = false;
    const { client, clock, streams, state, told, subscribe } = await serveOld(({ message }) =>
      isBroken && message.method === 'notifications/initialized' ? { status: 500 } : undefined,
    );
    const subscription = await subscribe();
    isBroken = true;
    state.session = 's-2';
    state.tools = ['b'];
    await expect(client.listTools({ cache: 'reload' })).rejects.toMatchObject({ status: 500 });
    isBroken = false;
    streams[0]?.break();
    for (let second = 0; second < 10; second += 1) await clock.advance(1000);
    expect(subscription.state).toBe('open');
    expect(told).toEqual(['tools']);
  });

  it('has the session renewed ever less often, where the server forgets it time and again', async () => {
    const { clock, streams, state, asked } = await serveOld();
    const before = asked('initialize').length;
    for (let second = 0; second < 120; second += 1) {
      state.session = `s-${second + 2}`;
      streams.at(-1)?.write(eventOf({ jsonrpc: '2.0', method: 'notifications/message', params: {} }));
      streams.at(-1)?.end();
      await clock.advance(1000);
    }
    expect(asked('initialize').length - before).toBeLessThan(12);
    expect(asked('initialize').length - before).toBeGreaterThan(3);
  });
});

describe('a subscription to a legacy server', () => {
  it('that drops its session at each resource is left alone a while, and refused who asks for the first time', async () => {
    let sessions = 1;
    const { subscribe, asked, state } = await serveOld(({ message }) => {
      if (message.method !== 'resources/subscribe') return undefined;
      sessions += 1;
      state.session = `s-${sessions}`;
      return { status: 404 };
    });
    await expect(subscribe(['a:/1'])).rejects.toMatchObject({ code: 'closed' });
    expect(asked('initialize').length).toBeLessThan(6);
  });

  it('that is being agreed to when the session is renewed asks the new one for all of it', async () => {
    let isSlow = true;
    const { client, clock, state, subscribe, asked } = await serveOld(({ message }) =>
      isSlow && message.params?.['uri'] === 'a:/slow' ? new Promise<Answer>(() => undefined) : undefined,
    );
    await subscribe(['a:/1']);
    const second = subscribe(['a:/1', 'a:/slow']);
    await settle();
    isSlow = false;
    state.session = 's-2';
    await client.listTools();
    for (let second_ = 0; second_ < 5; second_ += 1) await clock.advance(1000);
    expect((await second).acknowledged.resourceSubscriptions).toEqual(['a:/1', 'a:/slow']);
    const inNew = asked('resources/subscribe').filter(({ headers }) => headers['mcp-session-id'] === 's-2');
    expect(new Set(inNew.map(({ message }) => message.params?.['uri']))).toEqual(new Set(['a:/1', 'a:/slow']));
  });

  it('tells nothing any more once its signal aborted, also while leave is taken', async () => {
    const { clock, streams, told, subscribe } = await serveOld(({ message }) =>
      message.method === 'resources/unsubscribe' ? new Promise<Answer>(() => undefined) : undefined,
    );
    const ending = new AbortController();
    const subscription = await subscribe(['a:/1'], { signal: ending.signal });
    streams[0]?.write(eventOf(changed));
    await settle();
    ending.abort();
    streams[0]?.write(eventOf(updated('a:/1')));
    await clock.advance(2000);
    expect(await subscription.closed).toEqual({ how: 'closed' });
    expect(told).toEqual([]);
  });
});
