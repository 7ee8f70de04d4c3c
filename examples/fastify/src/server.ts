import process from 'node:process';

import { createServer } from '@switchyard/server';
import { toNode } from '@switchyard/server/node';
import { fastify } from 'fastify';
import * as z from 'zod';

const mcp = createServer({ name: 'on-fastify', version: '1.0.0' });
const input = z.object({ a: z.number(), b: z.number() });
mcp.tool('add_numbers', { description: 'Adds two numbers', input }, ({ a, b }) => ({ sum: a + b }));

const app = fastify();
const serve = toNode(mcp);
await app.register((scope, _options, done) => {
  // Fastify parses a body before the route runs; in this scope it leaves every body to the endpoint.
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  scope.all('/mcp', (request, reply) => {
    reply.hijack();
    serve(request.raw, reply.raw);
  });
  done();
});

app.post('/echo', (request, reply) => reply.send(request.body));

const url = await app.listen({ port: Number(process.env['PORT'] ?? 3000), host: '127.0.0.1' });
console.log(`${url}/mcp`);
