import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client, ConnectOptions } from '../src/index.ts';
import { connect } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import {
  discovered,
  type Received,
  said,
  type ScriptedHttpServer,
  sendError,
  sendJson,
  sendResult,
  startHttpServer,
} from './scripted-http-server.ts';

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

async function start(reply: Parameters<typeof startHttpServer>[0]): Promise<ScriptedHttpServer> {
  const server = await startHttpServer(reply);
  open.push(server);
  return server;
}

async function reach(server: ScriptedHttpServer, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(server.url, { name: 'depot', ...options });
  open.push(client);
  return client;
}

interface LegacyOptions {
  readonly version?: unknown;
  readonly sessionId?: string;
  readonly initialized?: (response: ServerResponse) => void;
  readonly serve?: (request: Received, response: ServerResponse) => void;
  readonly onDiscover?: (request: Received, response: ServerResponse) => void;
}

/** Plays a legacy server. */
function legacy(options: LegacyOptions = {}): (request: Received, response: ServerResponse) => void {
  const { version = '2025-11-25', sessionId } = options;
  return (request, response) => {
    const { message, httpMethod } = request;
    if (httpMethod === 'DELETE') response.writeHead(200).end();
    else if (message.method === 'server/discover') {
      if (options.onDiscover !== undefined) options.onDiscover(request, response);
      else sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request' } }, 400);
    } else if (message.method === 'initialize') {
      const result = {
        protocolVersion: version,
        capabilities: { tools: {} },
        serverInfo: { name: 'old', version: '1' },
      };
      const headers = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
      sendJson(response, { jsonrpc: '2.0', id: message.id, result }, 200, headers);
    } else if (message.method === 'notifications/initialized') {
      if (options.initialized !== undefined) options.initialized(response);
      else response.writeHead(202).end();
    } else if (options.serve !== undefined) options.serve(request, response);
    else sendJson(response, { jsonrpc: '2.0', id: message.id, result: { tools: [] } });
  };
}

const text = (status: number, body: string) => (_request: Received, response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'text/plain' });
  response.end(body);
};

describe('the era of a server on HTTP', () => {
  it.each<[string, LegacyOptions['onDiscover'] & object]>([
    ['400 without a body', text(400, '')],
    ['400 with text', text(400, 'Bad Request: unsupported MCP-Protocol-Version')],
    [
      '400 with a legacy error without an id',
      (_request, response) =>
        sendJson(response, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'unsupported header' } }, 400),
    ],
    ['400 with -32600', (request, response) => sendError(response, request, 400, -32600)],
    ['404 without a body', text(404, '')],
    ['404 with -32601', (request, response) => sendError(response, request, 404, -32601)],
    ['405', text(405, 'Method Not Allowed')],
    ['415', text(415, '')],
    ['200 with -32601', (request, response) => sendError(response, request, 200, -32601)],
    [
      '200 with an empty result',
      (request, response) => sendJson(response, { jsonrpc: '2.0', id: request.message.id, result: {} }),
    ],
  ])('[HTTP-32] [HTTP-33] [VER-11] [version-04] is legacy after %s', async (_name, onDiscover) => {
    const server = await start(legacy({ onDiscover }));
    const client = await reach(server);
    expect(client).toMatchObject({ era: 'legacy', revision: '2025-11-25', serverInfo: { name: 'old' } });
    expect(server.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  it('[DISC-07] [VER-10] [HTTP-32] [version-04] is modern after 400 with -32022, and the revision is tried again', async () => {
    let isFirst = true;
    const server = await start((request, response) => {
      if (isFirst) sendError(response, request, 400, -32022, { supported: ['2026-07-28'] });
      else discovered(request, response);
      isFirst = false;
    });
    expect((await reach(server)).era).toBe('modern');
    expect(server.methods()).toEqual(['server/discover', 'server/discover']);
  });

  it.each([-32020, -32021])('[VER-10] [version-04] is modern after 400 with %i, which is handed on', async (code) => {
    const server = await start((request, response) => sendError(response, request, 400, code));
    await expect(reach(server)).rejects.toMatchObject({ name: 'ProtocolError', code });
    expect(server.methods()).toEqual(['server/discover']);
  });

  it.each([401, 403, 407, 408, 429, 500, 502, 503, 301])(
    '[version-04] is not decided by %i: initialize is not tried',
    async (status) => {
      const server = await start((_request, response) => {
        // No start waits as long as that.
        response.writeHead(status, { 'content-type': 'text/plain', 'retry-after': '3600' }).end('later');
      });
      expect(await failure(reach(server))).toMatchObject({ server: 'depot', status });
      expect(server.methods()).toEqual(['server/discover']);
    },
  );

  it('is not decided by a web page', async () => {
    const server = await start((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<title>Sign in</title>');
    });
    expect((await failure(reach(server))).message).toContain('text/html');
    expect(server.methods()).toEqual(['server/discover']);
  });

  it('is not decided by silence, which ends when the start time is over', async () => {
    const server = await start(() => undefined);
    const error = await failure(reach(server, { startTimeoutMs: 100 }));
    expect(error).toMatchObject({ code: 'timeout', server: 'depot' });
  });

  it.each([404, 405, 400])(
    'is an error that mentions the older transport when initialize gets %i, too',
    async (status) => {
      const server = await start(text(status, ''));
      const error = await failure(reach(server));
      expect(error).toMatchObject({ code: 'http-status', status });
      expect(error.message).toContain('2024-11-05');
      expect(server.methods()).toEqual(['server/discover', 'initialize']);
    },
  );
});

describe('a legacy server on HTTP', () => {
  it('[LEGC-05] [LEGC-06] [LEGC-08] [LEGC-19] [version-01] gets its session id and the negotiated revision, and no modern header', async () => {
    const server = await start(legacy({ version: '2025-06-18', sessionId: 's-1' }));
    const client = await reach(server);
    await client.listTools();
    await client.close();
    expect(server.methods()).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'tools/list',
      'DELETE',
    ]);
    const [, initialize, ...later] = server.received;
    expect(initialize?.headers).not.toHaveProperty('mcp-session-id');
    expect(initialize?.headers).not.toHaveProperty('mcp-protocol-version');
    expect(initialize?.message.params).not.toHaveProperty('_meta');
    for (const { headers } of later) {
      expect(headers).toMatchObject({ 'mcp-session-id': 's-1', 'mcp-protocol-version': '2025-06-18' });
    }
    for (const { headers, message } of [initialize, ...later].filter((it) => it !== undefined)) {
      expect(Object.keys(headers).filter((name) => /^mcp-(method|name|param)/.test(name))).toEqual([]);
      expect(JSON.stringify(message)).not.toContain('io.modelcontextprotocol');
    }
  });

  it.each(['2025-03-26', '2024-11-05'])('[LEGC-05] gets no version header at %s, which has none', async (version) => {
    const server = await start(legacy({ version }));
    const client = await reach(server);
    await client.listTools();
    expect(server.received.at(-1)?.headers).not.toHaveProperty('mcp-protocol-version');
    expect(client.revision).toBe(version);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['202', (response) => response.writeHead(202).end()],
    ['200 without a body', (response) => response.writeHead(200, { 'content-length': '0' }).end()],
    ['204', (response) => response.writeHead(204).end()],
    ['202 with a media type', (response) => response.writeHead(202, { 'content-type': 'application/json' }).end()],
  ])('[http-06] may accept a notification with %s', async (_name, initialized) => {
    const client = await reach(await start(legacy({ initialized })));
    expect((await client.listTools()).tools).toEqual([]);
  });

  it('is given up when it refuses notifications/initialized', async () => {
    const server = await start(legacy({ initialized: (response) => response.writeHead(500).end('no') }));
    expect(await failure(reach(server))).toMatchObject({ code: 'http-status', status: 500 });
  });

  it.each(['1999-01-01', '', null, '2026-07-28'])(
    '[LEGC-04] [version-01] is left when it answers the version %j',
    async (version) => {
      const server = await start(
        legacy({ version: version ?? undefined, ...(version === null ? { version: null } : {}) }),
      );
      const error = await failure(reach(server));
      expect(error.code).toBe('version');
      expect(error.message).toContain(JSON.stringify(version));
    },
  );

  it('answers on event streams, pings on them, and gets the answer by POST', async () => {
    const ponged = Promise.withResolvers<Received>();
    const server = await start(
      legacy({
        sessionId: 's-1',
        serve(request, response) {
          if (request.message.method === undefined) {
            ponged.resolve(request);
            response.writeHead(202).end();
            return;
          }
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write('id: 1\ndata: \n\n');
          response.write('data: {"jsonrpc":"2.0","id":"p1","method":"ping"}\n\n');
          void ponged.promise.then(() => {
            response.end(
              `data: ${JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result: said('pong') })}\n\n`,
            );
          });
        },
      }),
    );
    const client = await reach(server);
    expect(await client.callTool('x')).toMatchObject({ content: [{ text: 'pong' }], resultType: 'complete' });
    const pong = await ponged.promise;
    expect(pong.message).toEqual({ jsonrpc: '2.0', id: 'p1', result: {} });
    expect(pong.headers['mcp-session-id']).toBe('s-1');
  });

  it('[LEGC-13] is told of a call that is given up by notifications/cancelled', async () => {
    const cancelled = Promise.withResolvers<Received>();
    const server = await start(
      legacy({
        sessionId: 's-1',
        serve(request, response) {
          if (request.message.method !== 'notifications/cancelled') return;
          cancelled.resolve(request);
          response.writeHead(202).end();
        },
      }),
    );
    const client = await reach(server);
    expect((await failure(client.callTool('x', {}, { timeoutMs: 50 }))).code).toBe('timeout');
    const { message, headers } = await cancelled.promise;
    const call = server.received.find((it) => it.message.method === 'tools/call');
    expect(message.params).toEqual({ requestId: call?.message.id, reason: 'timeout' });
    expect(headers['mcp-session-id']).toBe('s-1');
  });

  it('does not leave out tools for annotations that its revision does not know', async () => {
    const tools = [
      { name: 'x', inputSchema: { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } } },
    ];
    const server = await start(
      legacy({
        serve: ({ message }, response) => sendJson(response, { jsonrpc: '2.0', id: message.id, result: { tools } }),
      }),
    );
    const client = await reach(server);
    expect((await client.listTools()).tools).toHaveLength(1);
  });
});

describe('a legacy session that the server dropped', () => {
  /** The first session is gone after its handshake; `renewed` says whether the next ones live. */
  function forgetful(renewed: boolean): Parameters<typeof startHttpServer>[0] {
    let sessions = 0;
    return (request, response) => {
      if (request.message.method === 'initialize') sessions += 1;
      legacy({
        sessionId: `s-${sessions}`,
        serve({ message, headers }, answer) {
          const isLive = renewed && headers['mcp-session-id'] !== 's-1';
          if (isLive) sendJson(answer, { jsonrpc: '2.0', id: message.id, result: { tools: [], content: [] } });
          else sendJson(answer, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'gone' } }, 404);
        },
      })(request, response);
    };
  }

  it('[LEGC-07] is replaced once, without its id, and the request is sent again', async () => {
    const server = await start(forgetful(true));
    const client = await reach(server);
    expect((await client.listTools()).tools).toEqual([]);
    expect(server.methods().slice(3)).toEqual(['tools/list', 'initialize', 'notifications/initialized', 'tools/list']);
    expect(server.received.slice(3).map(({ headers }) => headers['mcp-session-id'])).toEqual([
      's-1',
      undefined,
      's-2',
      's-2',
    ]);
  });

  it('[LEGC-07] is replaced once for all calls that lose it', async () => {
    const server = await start(forgetful(true));
    const client = await reach(server);
    await Promise.all(Array.from({ length: 10 }, () => client.callTool('x')));
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(2);
  });

  it('[LEGC-07] fails the call when its successor is gone, too', async () => {
    const server = await start(forgetful(false));
    const client = await reach(server);
    expect(await failure(client.listTools())).toMatchObject({ code: 'http-status', status: 404, server: 'depot' });
    expect(server.methods().slice(3)).toEqual(['tools/list', 'initialize', 'notifications/initialized', 'tools/list']);
  });

  it('is another matter than 404 from a server that keeps none', async () => {
    const server = await start(legacy({ serve: (request, response) => sendError(response, request, 404, -32601) }));
    const client = await reach(server);
    await expect(client.getPrompt('x')).rejects.toMatchObject({ name: 'ProtocolError', code: -32601 });
    expect(server.methods().filter((method) => method === 'initialize')).toHaveLength(1);
  });
});

it('answers discover anew from a modern server', async () => {
  const server = await start((request, response) => {
    if (!discovered(request, response)) sendResult(response, request, said('x'));
  });
  const client = await reach(server);
  expect(await client.discover()).toMatchObject({ supportedVersions: ['2026-07-28'], resultType: 'complete' });
  expect(server.methods()).toEqual(['server/discover', 'server/discover']);
});
