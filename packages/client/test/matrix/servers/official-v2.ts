import {
  acceptedContent,
  completable,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createHangUps } from './hang-ups.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const nameForm = z.object({ name: z.string() });
const names = ['Ada', 'Adam', 'Bob'];
// Of the process: the factory makes a server for each request or connection.
const hangUps = createHangUps();

/** The factory of a server on the official SDK v2 that has every feature of the matrix. */
export function createOfficialV2(
  tellUpdated = (server: McpServer, uri: string): Promise<void> | void => server.server.sendResourceUpdated({ uri }),
): McpServer {
  const capabilities = { logging: {}, resources: { subscribe: true } };
  const server = new McpServer({ name: 'matrix', version: '1.0.0' }, { capabilities });
  // Of the legacy revisions; who subscribes is not kept, as there is one client.
  server.server.setRequestHandler('resources/subscribe', () => ({}));
  server.server.setRequestHandler('resources/unsubscribe', () => ({}));
  server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) =>
    text(String(a + b)),
  );
  server.registerTool('steps', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    for (const progress of [1, 2, 3]) await tell(mcpReq, progress, 3);
    return text('three steps');
  });
  server.registerTool('hang', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    await tell(mcpReq, 1);
    return text(await hangUps.hang(mcpReq.signal));
  });
  server.registerTool('heard', { inputSchema: z.object({}) }, async () => text(await hangUps.heard()));
  server.registerTool('ask', { inputSchema: z.object({}) }, (_args, { mcpReq }) => {
    const answer = acceptedContent(mcpReq.inputResponses, 'name', nameForm);
    if (answer !== undefined) return text(`Hello, ${answer.name}!`);
    const name = inputRequired.elicit({ message: 'Whom shall I greet?', requestedSchema: nameForm });
    return inputRequired({ inputRequests: { name } });
  });
  server.registerTool('sample', { inputSchema: z.object({}) }, (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'where');
    if (answer.kind === 'sampling') return text(JSON.stringify(answer.result.content));
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Where?' } }];
    return inputRequired({ inputRequests: { where: inputRequired.createMessage({ messages, maxTokens: 10 }) } });
  });
  server.registerTool('roots', { inputSchema: z.object({}) }, (_args, { mcpReq }) => {
    const answer = inputResponse(mcpReq.inputResponses, 'roots');
    if (answer.kind === 'roots') return text(answer.roots.map(({ uri }) => uri).join());
    return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
  });
  server.registerTool('log', { inputSchema: z.object({}) }, async (_args, { mcpReq }) => {
    await mcpReq.log('info', 'this');
    await mcpReq.log('debug', 'nothing');
    await mcpReq.log('warning', { that: 1 });
    return text('logged');
  });
  server.registerTool('touch', { inputSchema: z.object({}) }, async () => {
    await tellUpdated(server, 'note://welcome');
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
  const argsSchema = z.object({
    name: completable(z.string(), (value) => names.filter((name) => name.startsWith(value))),
  });
  server.registerPrompt('greet', { argsSchema }, ({ name }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }],
  }));
  return server;
}

type Requested = Parameters<Parameters<McpServer['registerTool']>[2]>[1]['mcpReq'];

async function tell(mcpReq: Requested, progress: number, total?: number): Promise<void> {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = { progressToken, progress, ...(total === undefined ? {} : { total }) };
  await mcpReq.notify({ method: 'notifications/progress', params });
}
