import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { reportTo } from './report.ts';

// The floor: reads the body, parses it, adds, and writes the same bytes as a conforming MCP server, without any check.
const serverInfo = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      id: number;
      params: { arguments: { a: number; b: number } };
    };
    const { a, b } = message.params.arguments;
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: message.id,
      result: { resultType: 'complete', _meta: serverInfo, content: [{ type: 'text', text: String(a + b) }] },
    });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => reportTo((server.address() as AddressInfo).port));
