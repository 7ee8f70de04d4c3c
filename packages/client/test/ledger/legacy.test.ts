import type { JsonObject } from '@switchyard/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, type ClientWarning, connect, type ConnectOptions } from '../../src/index.ts';
import { failure } from '../expect-failure.ts';
import { createManualClock, settle } from '../manual-clock.ts';
import { type ScriptedHttpServer, sendError, sendJson, sendResult, startHttpServer } from '../scripted-http-server.ts';
import { createScriptedPeer } from '../scripted-peer.ts';
import { serveLegacy } from '../input/asking-peer.ts';

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'old', version: '1' },
};

describe('a server of 2025-11-25', () => {
  it('[LEGC-20] is told of no extension, neither of tasks nor of the caller’s own', async () => {
    const extensions = { 'com.example/zip': {} };
    const { peer } = await serveLegacy({}, { tasks: true, capabilities: { extensions, experimental: { x: {} } } });
    const initialize = peer.written.find(({ method }) => method === 'initialize');
    expect(initialize?.params?.['capabilities']).toEqual({ experimental: { x: {} } });
  });

  it('[LEGC-20] [VER-04] is never asked about a task: that is refused here', async () => {
    const { client, peer } = await serveLegacy({}, { tasks: true });
    const before = peer.written.length;
    const task = client.task('t-1');
    for (const work of [task.look(), task.result(), task.cancel(), task.answer({ a: { action: 'decline' } })]) {
      expect(await failure(work)).toMatchObject({
        code: 'invalid-argument',
        message: expect.stringMatching(/2025-11-25.*no such tasks.*nothing was sent/),
      });
    }
    expect(peer.written).toHaveLength(before);
  });

  it('[LEGC-03] gets nothing before it has answered initialize', async () => {
    const peer = createScriptedPeer(({ id, method }) => {
      if (method === 'server/discover') peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
      return true;
    });
    const connecting = connect(peer.transport, { clock: createManualClock(), listensToLists: true });
    await settle();
    expect(peer.written.map(({ method }) => method)).toEqual(['server/discover', 'initialize']);
    peer.answer(peer.written.at(-1)?.id, initialized);
    open.push(await connecting);
    expect(peer.written.map(({ method }) => method)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
    ]);
  });

  it('[LEGC-13] is not told when initialize is given up', async () => {
    const peer = createScriptedPeer(({ id, method }) => {
      if (method === 'server/discover') peer.send({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } });
      return true;
    });
    const controller = new AbortController();
    const connecting = failure(connect(peer.transport, { clock: createManualClock(), signal: controller.signal }));
    await settle();
    expect(peer.written.at(-1)?.method).toBe('initialize');
    controller.abort();
    expect((await connecting).code).toBe('aborted');
    await settle();
    expect(peer.written.map(({ method }) => method)).toEqual(['server/discover', 'initialize']);
  });
});

describe('the id of a session over HTTP', () => {
  const sessionId = 'session-4f81b2c09a';
  const warnings: ClientWarning[] = [];

  async function reach(
    answer: Parameters<typeof startHttpServer>[0],
    options: ConnectOptions = {},
  ): Promise<{ readonly client: Client; readonly server: ScriptedHttpServer }> {
    const server = await startHttpServer((request, response) => {
      const { message, httpMethod } = request;
      if (httpMethod === 'DELETE') response.writeHead(200).end();
      else if (message.method === 'server/discover') sendError(response, request, 400, -32601);
      else if (message.method === 'initialize') {
        sendJson(response, { jsonrpc: '2.0', id: message.id, result: initialized }, 200, {
          'mcp-session-id': sessionId,
        });
      } else if (message.id === undefined) response.writeHead(202).end();
      else return answer(request, response);
      return undefined;
    });
    open.push(server);
    const client = await connect(server.url, { name: 'depot', onWarning: (it) => warnings.push(it), ...options });
    open.push(client);
    return { client, server };
  }

  it('[LEGB-04] shows in no error of the server that says it back', async () => {
    const { client } = await reach(({ message }, response) =>
      sendJson(response, {
        jsonrpc: '2.0',
        id: message.id,
        error: { code: -32603, message: `${sessionId} is broken`, data: { session: sessionId } },
      }),
    );
    const error: unknown = await client.callTool('x').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'ProtocolError', code: -32603 });
    const { message, data } = error as { readonly message: string; readonly data: JsonObject };
    expect(message + JSON.stringify(data)).not.toContain(sessionId);
    expect(message).toContain('is broken');
  });

  it('[LEGB-04] shows in no error of this side, and in no warning', async () => {
    const { client } = await reach((request, response) => {
      if (request.message.method === 'tools/list') {
        sendResult(response, request, { tools: [{ name: `tool-${sessionId}` }] });
        return;
      }
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`no room for ${sessionId}`);
    });
    const error = await failure(client.callTool('x'));
    expect(error.message).toContain('no room for');
    await client.listTools();
    expect(warnings.map(({ code }) => code)).toEqual(['entry-left-out']);
    expect(error.message + JSON.stringify(warnings)).not.toContain(sessionId);
  });
});
