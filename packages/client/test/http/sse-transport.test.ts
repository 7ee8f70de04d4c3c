import { afterEach, describe, expect, it } from 'vitest';
import type { ServerResponse } from 'node:http';
import type { Client, ConnectOptions } from '../../src/index.ts';
import { connect, type NodeTarget } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { type Received, said, type ScriptedHttpServer, startHttpServer } from '../scripted-http-server.ts';

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

interface OldServer {
  readonly server: ScriptedHttpServer;
  /** The streams that were opened, oldest first. */
  readonly streams: ServerResponse[];
}

interface OldOptions {
  /** What the first event says. */
  readonly endpoint?: (url: string) => string;
  readonly onCall?: (request: Received, stream: ServerResponse, response: ServerResponse) => void;
  /** What a POST to the URL of the stream gets. */
  readonly postStatus?: number;
}

/** A server of revision 2024-11-05: a stream by GET, messages by POST to `/messages`. */
async function startOld({
  endpoint = () => '/messages?session=1',
  onCall,
  postStatus = 405,
}: OldOptions = {}): Promise<OldServer> {
  const streams: ServerResponse[] = [];
  const server = await startHttpServer(
    (request, response) => {
      const stream = streams.at(-1);
      const { message, url } = request;
      if (!url.startsWith('/messages') || stream === undefined) return void response.writeHead(postStatus).end();
      const send = (body: object): void => void stream.write(`event: message\ndata: ${JSON.stringify(body)}\n\n`);
      if (message.method === 'tools/call' && onCall !== undefined) return onCall(request, stream, response);
      response.writeHead(202).end('Accepted');
      if (message.id === undefined) return undefined;
      const result =
        message.method === 'initialize'
          ? { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'older', version: '1' } }
          : message.method === 'tools/list'
            ? { tools: [] }
            : said('done');
      send({ jsonrpc: '2.0', id: message.id, result });
    },
    (_request, response) => {
      streams.push(response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: ${endpoint(server.url)}\n\n`);
    },
  );
  open.push(server);
  return { server, streams };
}

async function reach(target: NodeTarget, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(target, { name: 'depot', ...options });
  open.push(client);
  return client;
}

describe('a server of the HTTP+SSE transport', () => {
  it.each([400, 404, 405])(
    '[HTTP-35] [HTTP-34] [LEGC-18] is found after it refused both POSTs with %i',
    async (postStatus) => {
      const { server } = await startOld({ postStatus });
      const client = await reach(server.url);
      expect(client).toMatchObject({
        era: 'legacy',
        revision: '2024-11-05',
        verdict: { era: 'legacy', revision: '2024-11-05', transport: 'sse' },
      });
      expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'done' }] });
      expect(server.methods().slice(0, 2)).toEqual(['server/discover', 'initialize']);
      expect(server.received.slice(2).map(({ url }) => url)).toEqual([
        '/messages?session=1',
        '/messages?session=1',
        '/messages?session=1',
      ]);
      expect(server.gets).toHaveLength(1);
    },
  );

  it('[LEGB-04] has the id of its session, which it says in the URL for messages, shown in no error', async () => {
    const sessionId = 'session-4f81b2c09a';
    const { server } = await startOld({
      endpoint: () => `/messages?sessionId=${sessionId}`,
      onCall({ message }, stream, response) {
        response.writeHead(202).end();
        const error = { code: -32603, message: `${sessionId} is broken` };
        stream.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: message.id, error })}\n\n`);
      },
    });
    const client = await reach({ url: server.url, transport: 'sse' });
    const told = String(await client.callTool('x').catch((reason: unknown) => reason));
    expect(told).toContain('is broken');
    expect(told).not.toContain(sessionId);
    expect(server.received.at(-1)?.url).toContain(sessionId);
  });

  it('is asked for nothing else where the transport was chosen', async () => {
    const { server } = await startOld();
    const client = await reach({ url: server.url, transport: 'sse' });
    expect((await client.listTools()).tools).toEqual([]);
    expect(client.verdict.transport).toBe('sse');
    expect(server.methods()).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  });

  it('is not looked for where Streamable HTTP was chosen, or the endpoint is silent about POSTs', async () => {
    const { server } = await startOld();
    const chosen = await failure(reach({ url: server.url, transport: 'streamable-http' }));
    expect(chosen).toMatchObject({ code: 'http-status', status: 405 });
    const { server: broken } = await startOld({ postStatus: 503 });
    expect((await failure(reach(broken.url))).status).toBe(503);
    expect([...server.gets, ...broken.gets]).toEqual([]);
  });

  it('is reached at once with its verdict as prior', async () => {
    const { server } = await startOld();
    const { verdict } = await reach(server.url);
    const before = server.received.length;
    await reach(server.url, { prior: verdict });
    expect(server.methods().slice(before)).toEqual(['initialize', 'notifications/initialized']);
  });

  it('may name its endpoint in full; headers and credentials go there, too', async () => {
    const { server } = await startOld({ endpoint: (url) => new URL('/messages', url).href });
    await reach({ url: server.url, transport: 'sse' }, { headers: { 'x-key': 'k' } });
    for (const { headers } of [...server.received, ...server.gets]) expect(headers['x-key']).toBe('k');
  });

  it('that names the endpoint by a URL with its origin in it gets nothing', async () => {
    const { server } = await startOld({ endpoint: (url) => `blob:${new URL('/messages', url).href}` });
    expect((await failure(reach({ url: server.url, transport: 'sse' }))).code).toBe('invalid-response');
    expect(server.received).toEqual([]);
  });

  it.each(['http://127.0.0.1:1/messages', '//evil.test/messages', 'https://127.0.0.1/messages', 'javascript:alert(1)'])(
    'that names the endpoint %s, which is of another origin, gets nothing',
    async (place) => {
      const { server } = await startOld({ endpoint: () => place });
      const error = await failure(reach({ url: server.url, transport: 'sse' }));
      expect(error).toMatchObject({ code: 'invalid-response', server: 'depot' });
      expect(error.message).toContain('endpoint');
      expect(server.received).toEqual([]);
    },
  );

  it('is not waited for where a GET opens a stream of another kind: the refusals of the POSTs are told', async () => {
    const server = await startHttpServer(
      (_request, response) => void response.writeHead(400).end('bad key'),
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n'),
    );
    open.push(server);
    const error = await failure(reach(server.url, { probeTimeoutMs: 50 }));
    expect(error).toMatchObject({ code: 'http-status', status: 400 });
  });

  it('that names no endpoint is given up when the start time is over', async () => {
    const server = await startHttpServer(
      (_request, response) => void response.writeHead(405).end(),
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': hello\n\n'),
    );
    open.push(server);
    const error = await failure(reach({ url: server.url, transport: 'sse' }, { startTimeoutMs: 100 }));
    expect(error.code).toBe('timeout');
  });

  it('whose stream ends loses its tool calls, and is reached anew for the next one', async () => {
    const { server, streams } = await startOld({
      onCall(_request, stream, response) {
        response.writeHead(202).end();
        stream.end();
      },
    });
    const client = await reach({ url: server.url, transport: 'sse' });
    expect((await failure(client.callTool('x'))).code).toBe('outcome-unknown');
    expect((await client.listTools()).tools).toEqual([]);
    expect(streams).toHaveLength(2);
  });

  it('that refuses a message refuses that call', async () => {
    const { server } = await startOld({
      onCall: (_request, _stream, response) => void response.writeHead(400).end('no session'),
    });
    const client = await reach({ url: server.url, transport: 'sse' });
    const error = await failure(client.callTool('x'));
    expect(error).toMatchObject({ code: 'http-status', status: 400 });
    expect(error.message).toContain('no session');
  });

  it('is told of a call that is given up', async () => {
    const { server } = await startOld({ onCall: (_request, _stream, response) => void response.writeHead(202).end() });
    const client = await reach({ url: server.url, transport: 'sse' });
    expect((await failure(client.callTool('x', {}, { timeoutMs: 50 }))).code).toBe('timeout');
    await expect.poll(() => server.methods()).toContain('notifications/cancelled');
  });

  it('has its stream closed with the client', async () => {
    const { server, streams } = await startOld();
    const client = await reach({ url: server.url, transport: 'sse' });
    const gone = new Promise((resolve) => streams[0]?.once('close', resolve));
    await client.close();
    await gone;
    expect((await failure(client.listTools())).code).toBe('closed');
  });
});
