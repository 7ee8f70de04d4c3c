import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { listedTools } from './listed-tools.ts';
import { reportTo } from './report.ts';

// The floor of a list: reads the body, parses it, and sends bytes that were ready before, under the id of the request.
const result = JSON.stringify({
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } },
  tools: listedTools(Number(process.argv[2])),
  ttlMs: 60_000,
  cacheScope: 'private',
});

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { id: number };
    const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => reportTo((server.address() as AddressInfo).port));
