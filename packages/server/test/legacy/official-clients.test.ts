import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { legacyClients, type LegacyOptions, type Server } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';

import { createLegacyServer, type Traces } from './legacy-server.ts';

const program = fileURLToPath(new URL('../fixtures/legacy-stdio.ts', import.meta.url));

interface Served {
  readonly server: Server;
  readonly traces: Traces;
  readonly url: URL;
}

async function serve(options: LegacyOptions = {}): Promise<Served> {
  const { server, traces } = createLegacyServer();
  const running = await serveHttp(server, { port: 0, legacy: legacyClients(options) });
  onTestFinished(() => running.close({ graceMs: 0 }));
  return { server, traces, url: new URL(running.url) };
}

/** A client of the official SDK, version 1, that can do what a client can. */
async function connect(transport: Transport): Promise<Client> {
  const capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} };
  const client = new Client({ name: 'official', version: '1.0.0' }, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'hi' },
  }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///a' }] }));
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

const transports: readonly [name: string, open: () => Promise<Transport>][] = [
  ['Streamable HTTP', async () => new StreamableHTTPClientTransport((await serve()).url)],
  [
    'streams that are polled',
    async () => new StreamableHTTPClientTransport((await serve({ pollAfterMs: 20, retryMs: 1 })).url),
  ],
  ['HTTP+SSE', async () => new SSEClientTransport((await serve({ httpSse: {} })).url)],
  [
    'stdio',
    () =>
      Promise.resolve(
        new StdioClientTransport({
          command: process.execPath,
          args: ['--conditions=@switchyard/source', program],
          stderr: 'ignore',
        }),
      ),
  ],
];

describe.each(transports)('the official client, version 1, over %s', (_name, open) => {
  it('lists, calls, reads, prompts and pings', async () => {
    const client = await connect(await open());
    expect(client.getServerVersion()).toMatchObject({ name: 'old' });
    expect(client.getInstructions()).toBe('Be kind');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('greet');
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    });
    expect(await client.callTool({ name: 'list' })).toMatchObject({ content: [{ text: '[1,2]' }] });
    expect(await client.readResource({ uri: 'mem://one' })).toMatchObject({ contents: [{ text: 'one' }] });
    expect(await client.getPrompt({ name: 'greeting', arguments: { name: 'A' } })).toMatchObject({
      messages: [{ role: 'user' }],
    });
    expect(await client.ping()).toEqual({});
    await expect(client.readResource({ uri: 'mem://absent' })).rejects.toMatchObject({ code: -32002 });
  });

  it('answers the asks of handlers', async () => {
    const client = await connect(await open());
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
    expect(await client.callTool({ name: 'sample' })).toMatchObject({
      content: [{ text: '{"type":"text","text":"hi"}' }],
    });
    expect(await client.callTool({ name: 'roots' })).toMatchObject({ content: [{ text: 'file:///a' }] });
  });

  it('gets progress and log messages', async () => {
    const transport = await open();
    const client = await connect(transport);
    // Looked at on the wire: the client drops progress that it reads in one piece with the response.
    const seen: unknown[] = [];
    const { onmessage } = transport;
    transport.onmessage = (message, extra) => {
      if ('method' in message && message.method === 'notifications/progress') seen.push(message.params?.['progress']);
      onmessage?.(message, extra);
    };
    const logged: unknown[] = [];
    client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void logged.push(params.data));
    await client.setLoggingLevel('debug');
    await client.callTool({ name: 'count' }, undefined, { onprogress: () => undefined });
    await client.callTool({ name: 'log' });
    expect(seen).toEqual([0, 5, 5.5, 10]);
    expect(logged).toEqual(['small', 'large']);
  });

  it('cancels what it no longer wants', async () => {
    const client = await connect(await open());
    const controller = new AbortController();
    const calling = client.callTool({ name: 'wait' }, undefined, { signal: controller.signal });
    await client.ping();
    controller.abort('enough');
    await expect(calling).rejects.toThrow(/enough/);
    expect(await client.ping()).toEqual({});
  });
});

describe('the official client, version 1, that listens', () => {
  it('hears of changed lists and updated resources', async () => {
    const { server, url } = await serve();
    const transport = new StreamableHTTPClientTransport(url);
    const client = await connect(transport);
    const listChanged = Promise.withResolvers<void>();
    const updated = Promise.withResolvers<string>();
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => listChanged.resolve());
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated.resolve(params.uri));
    await client.subscribeResource({ uri: 'mem://one' });
    server.resourceUpdated('mem://one');
    server.tool('late', {}, () => 'late');
    expect(await updated.promise).toBe('mem://one');
    await listChanged.promise;
    await transport.terminateSession();
    await expect(client.ping()).rejects.toThrow(/404|session/i);
  });
});

describe('the official client, version 2', () => {
  it.each(['legacy', 'auto'] as const)('speaks what its mode %s says to the same URL', async (mode) => {
    const { url } = await serve();
    const client = new ModernClient({ name: 'official', version: '2.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new ModernTransport(url));
    onTestFinished(() => client.close());
    expect(client.getNegotiatedProtocolVersion()).toBe(mode === 'auto' ? '2026-07-28' : '2025-11-25');
    expect(await client.callTool({ name: 'greet', arguments: { name: 'Ada' } })).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    });
  });
});
