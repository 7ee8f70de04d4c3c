import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { reportTo } from './report.ts';

// The official TypeScript SDK v2 as its documentation serves it: a factory that builds a server for each request.
const tools = Number(process.argv[2]);
const input = z.object({ a: z.number(), b: z.number() });
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  for (let index = 0; index < tools; index += 1) {
    server.registerTool(
      index === 0 ? 'add' : `add_${index}`,
      { description: 'Adds two numbers', inputSchema: input },
      ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
    );
  }
  return server;
});
const serve = toNodeHandler(handler) as RequestListener;
const hostIsValid = localhostHostValidation();
const originIsValid = localhostOriginValidation();

const server = createServer((request, response) => {
  if (hostIsValid(request, response) && originIsValid(request, response)) serve(request, response);
});
server.listen(0, '127.0.0.1', () => reportTo((server.address() as AddressInfo).port));
