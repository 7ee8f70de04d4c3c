/** `serve-official-v1 stdio|sessions|stateless|sse` */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import process from 'node:process';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createOfficialV1 } from './official-v1.ts';
import { serveSessions } from './serve-sessions.ts';

const [transport = ''] = process.argv.slice(2);
const serve: { readonly [transport: string]: () => unknown } = {
  stdio: () => createOfficialV1().connect(new StdioServerTransport()),
  sessions: () =>
    serveSessions(async (onOpened) => {
      const opened: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => {
          onOpened(id, opened);
        },
      });
      await createOfficialV1().connect(opened);
      return opened;
    }),
  stateless: () => createServer((request, response) => void answerOnce(request, response)).listen(0, '127.0.0.1'),
  sse: () => {
    const opened = new Map<string, SSEServerTransport>();
    createServer((request, response) => void answerOfStream(opened, request, response)).listen(0, '127.0.0.1');
  },
};
await serve[transport]?.();

/** As the documentation has it: a server and a transport for each request, which end with it. */
async function answerOnce(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.writeHead(405).end();
    return;
  }
  const server = createOfficialV1();
  const once = new StreamableHTTPServerTransport({});
  response.once('close', () => {
    void once.close();
    void server.close();
  });
  await server.connect(once);
  await once.handleRequest(request, response);
}

async function answerOfStream(
  opened: Map<string, SSEServerTransport>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  if (request.method === 'GET' && pathname === '/mcp') {
    const stream = new SSEServerTransport('/messages', response);
    opened.set(stream.sessionId, stream);
    await createOfficialV1().connect(stream);
    return;
  }
  const stream = opened.get(searchParams.get('sessionId') ?? '');
  if (request.method === 'POST' && stream !== undefined) await stream.handlePostMessage(request, response);
  else response.writeHead(request.method === 'POST' ? 404 : 405).end();
}
