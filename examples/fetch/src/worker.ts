import { createServer, toFetch } from '@switchyard/server';
import * as z from 'zod';

const mcp = createServer({ name: 'on-fetch', version: '1.0.0' });
const input = z.object({ a: z.number(), b: z.number() });
mcp.tool('add_numbers', { description: 'Adds two numbers', input }, ({ a, b }) => ({ sum: a + b }));

const handle = toFetch(mcp);

// What Deno (`deno serve`), Bun and workers take. Nothing in here needs Node.
// oxlint-disable-next-line import/no-default-export -- That is what these runtimes look for.
export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/mcp') return handle(request);
    if (pathname === '/echo') return Response.json(await request.json());
    return new Response('Nothing is served here', { status: 404 });
  },
};
