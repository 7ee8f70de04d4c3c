/** tmcp behind node:http: its handler is one of fetch, so that each request is turned into a `Request` and back. */
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { McpServer } from 'tmcp';
import { z } from 'zod';
import { createHangUps } from './hang-ups.ts';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const names = ['Ada', 'Adam', 'Bob'];
const hangUps = createHangUps();
const mcp = new McpServer(
  { name: 'matrix', version: '1.0.0', description: 'matrix' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
  },
);
mcp.tool(
  { name: 'add', description: 'Adds two numbers', schema: z.object({ a: z.number(), b: z.number() }) },
  ({ a, b }) => text(String(a + b)),
);
mcp.tool({ name: 'steps', description: 'Takes three steps' }, () => {
  for (const step of [1, 2, 3]) mcp.progress(step, 3);
  return text('three steps');
});
mcp.tool({ name: 'hang', description: 'Waits until it is cancelled' }, async () => {
  mcp.progress(1);
  return text(await hangUps.hang(mcp.ctx.signal ?? new AbortController().signal));
});
mcp.tool({ name: 'heard', description: 'Waits until a cancellation was heard of' }, async () =>
  text(await hangUps.heard()),
);
mcp.tool({ name: 'ask', description: 'Asks for a name', replayable: true }, async () => {
  const { action, content } = await mcp.elicitation('Whom shall I greet?', z.object({ name: z.string() }));
  return text(action === 'accept' ? `Hello, ${String(content?.name)}!` : action);
});
mcp.tool({ name: 'sample', description: 'Asks a model', replayable: true }, async () => {
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Where?' } }];
  return text(JSON.stringify((await mcp.message({ messages, maxTokens: 10 })).content));
});
mcp.tool({ name: 'roots', description: 'Asks for the roots' }, async () => {
  await mcp.refreshRoots();
  return text(mcp.roots.map(({ uri }) => uri).join());
});
mcp.tool({ name: 'log', description: 'Logs' }, () => {
  mcp.log('info', 'this');
  mcp.log('debug', 'nothing');
  mcp.log('warning', { that: 1 });
  return text('logged');
});
mcp.tool({ name: 'touch', description: 'Updates the note' }, () => {
  mcp.changed('resource', 'note://welcome');
  return text('touched');
});
mcp.resource({ name: 'welcome', description: 'A note', uri: 'note://welcome' }, (uri) => ({
  contents: [{ uri, mimeType: 'text/plain', text: 'Welcome!' }],
}));
mcp.template({ name: 'today', description: 'A note', uri: 'note://{name}/today' }, (uri, { name }) => ({
  contents: [{ uri, text: `Today for ${String(name)}` }],
}));
mcp.prompt(
  {
    name: 'greet',
    description: 'Greets somebody',
    schema: z.object({ name: z.string() }),
    complete: { name: (value) => ({ completion: { values: names.filter((name) => name.startsWith(value)) } }) },
  },
  ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }] }),
);
const transport = new HttpTransport(mcp, { path: '/mcp' });

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const { method = 'GET' } = request;
    const body = method === 'POST' ? Buffer.concat(chunks) : null;
    const asked = new Request(`http://127.0.0.1${request.url ?? ''}`, { method, headers, body, signal: gone.signal });
    void transport.respond(asked).then((answer) => {
      response.writeHead(answer?.status ?? 404, Object.fromEntries(answer?.headers ?? []));
      const stream = answer?.body ?? undefined;
      if (stream === undefined) response.end();
      else Readable.fromWeb(stream).pipe(response);
    });
  });
}).listen(0, '127.0.0.1');
