import { createServer } from '@switchyard/server';
import { serveStdio } from '@switchyard/server/node';
import * as z from 'zod';

const server = createServer({ name: 'minimal', version: '1.0.0' });
const input = z.object({ a: z.number(), b: z.number() });
server.tool('add_numbers', { description: 'Adds two numbers', input }, ({ a, b }) => a + b);
await serveStdio(server);
