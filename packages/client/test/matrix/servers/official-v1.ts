import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  type ServerNotification,
  type ServerRequest,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { createHangUps } from './hang-ups.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const names = ['Ada', 'Adam', 'Bob'];
// Of the process: where there are no sessions each request has a server of its own.
const hangUps = createHangUps();

/** Creates a server on the official SDK v1 that has every feature of the matrix. */
export function createOfficialV1(): McpServer {
  const capabilities = { logging: {}, resources: { subscribe: true } };
  const server = new McpServer({ name: 'matrix', version: '1.0.0' }, { capabilities });
  // Who subscribes is not kept, as there is one client.
  server.server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => text(String(a + b)));
  server.registerTool('steps', { inputSchema: {} }, async (_args, extra) => {
    for (const progress of [1, 2, 3]) await tell(extra, progress, 3);
    return text('three steps');
  });
  server.registerTool('hang', { inputSchema: {} }, async (_args, extra) => {
    await tell(extra, 1);
    return text(await hangUps.hang(extra.signal));
  });
  server.registerTool('heard', { inputSchema: {} }, async () => text(await hangUps.heard()));
  server.registerTool('ask', { inputSchema: {} }, async () => {
    const { action, content } = await server.server.elicitInput({
      message: 'Whom shall I greet?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    return text(action === 'accept' ? `Hello, ${String(content?.['name'])}!` : action);
  });
  server.registerTool('sample', { inputSchema: {} }, async () => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Where?' } }];
    return text(JSON.stringify((await server.server.createMessage({ messages, maxTokens: 10 })).content));
  });
  server.registerTool('roots', { inputSchema: {} }, async () =>
    text((await server.server.listRoots()).roots.map(({ uri }) => uri).join()),
  );
  server.registerTool('log', { inputSchema: {} }, async (_args, { sendNotification }) => {
    // The level is the business of who sends: within a call there is no helper that minds it.
    for (const data of ['this', { that: 1 }])
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    return text('logged');
  });
  server.registerTool('touch', { inputSchema: {} }, async () => {
    await server.server.sendResourceUpdated({ uri: 'note://welcome' });
    return text('touched');
  });
  server.registerResource('welcome', 'note://welcome', {}, ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'Welcome!' }],
  }));
  server.registerResource(
    'today',
    new ResourceTemplate('note://{name}/today', { list: undefined }),
    {},
    ({ href }, { name }) => ({ contents: [{ uri: href, text: `Today for ${String(name)}` }] }),
  );
  const argsSchema = { name: completable(z.string(), (value) => names.filter((name) => name.startsWith(value))) };
  server.registerPrompt('greet', { argsSchema }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
  }));
  return server;
}

async function tell(
  { _meta, sendNotification }: RequestHandlerExtra<ServerRequest, ServerNotification>,
  progress: number,
  total?: number,
): Promise<void> {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress, ...(total === undefined ? {} : { total }) };
  await sendNotification({ method: 'notifications/progress', params });
}
