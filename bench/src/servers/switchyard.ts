import { createServer } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { z } from 'zod';

import { reportTo } from './report.ts';

// Everything as a user gets it: zod schemas, every check, the request log on standard error.
const tools = Number(process.argv[2]);
const server = createServer({ name: 'bench', version: '1.0.0' });
for (let index = 0; index < tools; index += 1) {
  server.tool(
    index === 0 ? 'add' : `add_${index}`,
    { description: 'Adds two numbers', input: z.object({ a: z.number(), b: z.number() }) },
    ({ a, b }) => String(a + b),
  );
}
const { url } = await serveHttp(server, { port: 0 });
reportTo(Number(new URL(url).port));
