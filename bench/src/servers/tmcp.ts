import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod';
import { HttpTransport } from '@tmcp/transport-http';
import { McpServer } from 'tmcp';
import { z } from 'zod';

import { reportTo } from './report.ts';

// tmcp behind node:http: its handler is one of fetch, so that each request is turned into a `Request` and back.
const tools = Number(process.argv[2]);
const mcp = new McpServer(
  { name: 'bench', version: '1.0.0', description: 'bench' },
  { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } },
);
for (let index = 0; index < tools; index += 1) {
  mcp.tool(
    {
      name: index === 0 ? 'add' : `add_${index}`,
      description: 'Adds two numbers',
      schema: z.object({ a: z.number(), b: z.number() }),
    },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
}
const transport = new HttpTransport(mcp, { path: '/mcp' });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
    const body = Buffer.concat(chunks);
    void transport
      .respond(new Request(`http://127.0.0.1${request.url ?? ''}`, { method: 'POST', headers, body }))
      .then((answer) => {
        response.writeHead(answer?.status ?? 404, Object.fromEntries(answer?.headers ?? []));
        const stream = answer?.body ?? undefined;
        if (stream === undefined) response.end();
        else Readable.fromWeb(stream).pipe(response);
      });
  });
});
server.listen(0, '127.0.0.1', () => reportTo((server.address() as AddressInfo).port));
