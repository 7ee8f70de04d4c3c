import { env } from 'node:process';
import { parseArgs } from 'node:util';

import { serveHttp, serveStdio } from '@switchyard/server/node';

import { createOrderServer } from './server.ts';

const { http } = parseArgs({ options: { http: { type: 'string' } } }).values;
const server = createOrderServer(env['ORDERS_IDENTITY'] ?? 'mira');

if (http === undefined) {
  await serveStdio(server);
} else {
  const { url } = await serveHttp(server, { port: Number(http) });
  console.log(`book-orders listens on ${url}`);
}
