import process from 'node:process';

import { createServer } from '@switchyard/server';
import { toNode } from '@switchyard/server/node';
import express from 'express';
import * as z from 'zod';

const mcp = createServer({ name: 'on-express', version: '1.0.0' });
const input = z.object({ a: z.number(), b: z.number() });
mcp.tool('add_numbers', { description: 'Adds two numbers', input }, ({ a, b }) => ({ sum: a + b }));

const app = express();
// Before any body parser: the endpoint reads the body itself, and holds it to its own limits.
app.all('/mcp', toNode(mcp));

app.use(express.json());
app.post('/echo', (request, response) => {
  response.json(request.body);
});

const listener = app.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = listener.address();
  if (address !== null && typeof address === 'object') console.log(`http://127.0.0.1:${address.port}/mcp`);
});
