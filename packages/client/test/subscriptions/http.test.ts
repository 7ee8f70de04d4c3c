import type { ServerResponse } from 'node:http';
import { metaKeys } from '@switchyard/protocol';
import { createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClientWarning, ConnectOptions } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { createManualClock } from '../manual-clock.ts';
import { discovered, type Received, sendError, sendResult, startHttpServer } from '../scripted-http-server.ts';

const open: AsyncDisposable[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

function closeAfterwards<T extends AsyncDisposable>(opened: T): T {
  open.push(opened);
  return opened;
}

async function reach(url: string | URL, options: ConnectOptions = {}) {
  return closeAfterwards(
    await connect(url, { name: 'depot', random: () => 0, onWarning: (warning) => warnings.push(warning), ...options }),
  );
}

/** One open stream of a subscription, as its server sees it. */
interface OpenStream {
  readonly id: number | undefined;
  readonly response: ServerResponse;
  isClosed: boolean;
}

/** A server that acknowledges, and leaves everything else to the test. */
async function serveStreams() {
  const streams: OpenStream[] = [];
  const server = closeAfterwards(
    await startHttpServer((request, response) => {
      if (discovered(request, response)) return;
      const { id, params } = request.message;
      const stream: OpenStream = { id, response, isClosed: false };
      streams.push(stream);
      response.on('close', () => {
        stream.isClosed = true;
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      tell(stream, 'subscriptions/acknowledged', { notifications: params?.['notifications'] });
    }),
  );
  return { server, streams };
}

function tell({ id, response }: OpenStream, method: string, params: object = {}): void {
  const message = {
    jsonrpc: '2.0',
    method: `notifications/${method}`,
    params: { ...params, _meta: { [metaKeys.subscriptionId]: id } },
  };
  response.write(`data: ${JSON.stringify(message)}\n\n`);
}

describe('a subscription over HTTP', () => {
  it('[SUB-10] [SUB-20] has a stream of its own, and closing that is how it is cancelled', async () => {
    const { server, streams } = await serveStreams();
    const client = await reach(server.url);
    const first = await client.subscribe({ toolsListChanged: true });
    const second = await client.subscribe({ toolsListChanged: true });
    expect(streams).toHaveLength(2);
    await first.close();
    await expect.poll(() => streams.map(({ isClosed }) => isClosed)).toEqual([true, false]);
    expect(second.state).toBe('open');
    expect(server.methods()).not.toContain('notifications/cancelled');
  });

  it('[http-08] is not cut by the limits of requests while it is idle, and comes back once when it breaks', async () => {
    const { server, streams } = await serveStreams();
    const clock = createManualClock();
    const client = await reach(server.url, { clock, timeoutMs: 60_000 });
    const subscription = await client.subscribe({ toolsListChanged: true });
    for (let waited = 0; waited < 20 * 60_000; waited += 25_000) {
      streams[0]?.response.write(':\r\n');
      await clock.advance(25_000);
    }
    expect(streams).toHaveLength(1);
    expect(subscription.state).toBe('open');
    expect(warnings).toEqual([]);
    streams[0]?.response.destroy();
    await expect.poll(() => subscription.state).toBe('returning');
    await clock.advance(1000);
    await expect.poll(() => streams).toHaveLength(2);
    await expect.poll(() => subscription.state).toBe('open');
    expect(warnings.map(({ code }) => code)).toEqual(['subscription-lost']);
  });

  it('hears what comes on its stream without the id of the subscription', async () => {
    const { server, streams } = await serveStreams();
    const client = await reach(server.url);
    const told: string[] = [];
    await client.subscribe({ toolsListChanged: true }, { onListChanged: (list) => told.push(list) });
    const message = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    streams[0]?.response.write(`data: ${JSON.stringify(message)}\n\n`);
    await expect.poll(() => told).toEqual(['tools']);
  });

  it('ends gracefully by a result and comes back, or breaks without one', async () => {
    const { server, streams } = await serveStreams();
    const clock = createManualClock();
    const client = await reach(server.url, { clock });
    const subscription = await client.subscribe({ toolsListChanged: true });
    const [stream] = streams;
    const result = { jsonrpc: '2.0', id: stream?.id, result: { resultType: 'complete' } };
    stream?.response.end(`data: ${JSON.stringify(result)}\n\n`);
    await expect.poll(() => subscription.state).toBe('returning');
    await clock.advance(1000);
    await expect.poll(() => subscription.state).toBe('open');
    expect(warnings).toEqual([]);
    streams[1]?.response.end();
    await expect.poll(() => subscription.state).toBe('returning');
    await expect.poll(() => warnings.map(({ code }) => code)).toEqual(['subscription-lost']);
  });

  it('takes an acknowledgement that names no subscription, in the stream that is its own', async () => {
    const server = closeAfterwards(
      await startHttpServer((request, response) => {
        if (discovered(request, response)) return;
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const params = { notifications: { toolsListChanged: true } };
        const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params };
        response.write(`data: ${JSON.stringify(acknowledged)}\n\n`);
      }),
    );
    const client = await reach(server.url);
    const subscription = await client.subscribe({ toolsListChanged: true });
    expect(subscription.acknowledged).toEqual({ toolsListChanged: true });
  });

  it('hears a real server, over HTTP and in this process', async () => {
    const server = createServer({ name: 'listened', version: '1.0.0' }, { logger: silentLogger })
      .tool('t', {}, () => '')
      .resource('test://r', { name: 'r' }, () => content);
    let content = 'before';
    const http = closeAfterwards(await serveHttp(server, { port: 0 }));
    for (const target of [http.url, server]) {
      content = 'before';
      const client = closeAfterwards(await connect(target, { name: 'depot' }));
      const lists: string[] = [];
      const texts: unknown[] = [];
      const subscription = await client.subscribe(
        { toolsListChanged: true, resourceSubscriptions: ['test://r'] },
        {
          onListChanged: (list) => lists.push(list),
          onResourceChanged: (change) => texts.push('result' in change ? change.result.contents[0] : change.error),
        },
      );
      expect(subscription.missing).toEqual({});
      const { tools } = await client.listTools();
      server.tool(`more${tools.length}`, {}, () => '');
      await expect.poll(() => lists).toEqual(['tools']);
      expect((await client.listTools()).tools).toHaveLength(tools.length + 1);
      content = 'after';
      server.resourceUpdated('test://r');
      await expect.poll(() => texts).toMatchObject([{ text: 'after' }]);
      await client.close();
      expect(await subscription.closed).toEqual({ how: 'closed' });
    }
  });
});

describe('a list of tools whose headers do not match', () => {
  it('is fetched again, and what the cache has of it is stale', async () => {
    let calls = 0;
    const listed: string[] = [];
    const server = closeAfterwards(
      await startHttpServer((request: Received, response) => {
        if (discovered(request, response)) return;
        if (request.message.method === 'tools/list') {
          listed.push(`list ${listed.length + 1}`);
          const region = { type: 'string', ...(listed.length === 1 ? {} : { 'x-mcp-header': 'Region' }) };
          const inputSchema = { type: 'object', properties: { region } };
          const tools = [{ name: 'stock', inputSchema, description: listed.at(-1) }];
          sendResult(response, request, { tools, ttlMs: 3_600_000, cacheScope: 'private' });
        } else {
          calls += 1;
          if (calls === 1) sendError(response, request, 400, -32020);
          else sendResult(response, request, { content: [] });
        }
      }),
    );
    const client = await reach(server.url);
    await client.listTools();
    await client.callTool('stock', { region: 'eu' });
    expect(listed).toHaveLength(2);
    expect((await client.listTools()).tools[0]?.description).toBe('list 3');
    await client.listTools();
    expect(listed).toHaveLength(3);
  });
});
