import { createServer } from '@switchyard/server';
import { serveStdio } from '@switchyard/server/node';
import { z } from 'zod';

import { reportCpu } from './report.ts';

// Everything as a user gets it: a zod schema, every check, the request log on standard error.
const server = createServer({ name: 'bench', version: '1.0.0' }).tool(
  'add',
  { description: 'Adds two numbers', input: z.object({ a: z.number(), b: z.number() }) },
  ({ a, b }) => String(a + b),
);
await serveStdio(server);
reportCpu();
