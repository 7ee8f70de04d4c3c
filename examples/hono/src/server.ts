import process from 'node:process';

import { serve } from '@hono/node-server';
import { createServer, toFetch } from '@switchyard/server';
import { Hono } from 'hono';
import * as z from 'zod';

const mcp = createServer({ name: 'on-hono', version: '1.0.0' });
const input = z.object({ a: z.number(), b: z.number() });
mcp.tool('add_numbers', { description: 'Adds two numbers', input }, ({ a, b }) => ({ sum: a + b }));

const app = new Hono();
const handle = toFetch(mcp);
// The request as it came: whatever reads its body in front of the endpoint (`c.req.json()`) leaves none for it.
app.all('/mcp', (c) => handle(c.req.raw));

app.post('/echo', async (c) => c.json(await c.req.json()));

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env['PORT'] ?? 3000) }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}/mcp`),
);
