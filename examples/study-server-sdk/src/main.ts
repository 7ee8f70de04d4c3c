import { timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import process, { env } from 'node:process';
import { parseArgs } from 'node:util';

import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';

import { createReviews } from '../../study-server/src/reviews.ts';
import { callersFrom, handleTtlFrom, openStore } from '../../study-server/src/settings.ts';
import { createStudyServerFactory } from './server.ts';

/* Serves the study server of the official SDK over HTTP: `--http PORT`, and the environment of the server beside it. */
const { http } = parseArgs({ options: { http: { type: 'string', default: '0' } } }).values;
const store = await openStore(env);
const callers = callersFrom(env);
const stateKey = Buffer.from(env['SWITCHYARD_STATE_KEYS'] ?? '', 'base64url');
const handler = createMcpHandler(createStudyServerFactory(createReviews(store, handleTtlFrom(env)), stateKey));
const serve = toNodeHandler(handler) as RequestListener;
const hostIsValid = localhostHostValidation();
const originIsValid = localhostOriginValidation();

const listener = createServer((request, response) => {
  if (!hostIsValid(request, response) || !originIsValid(request, response)) return;
  const auth = authenticate(request);
  if (callers.size > 0 && auth === undefined) {
    response.writeHead(401, { 'www-authenticate': 'ApiKey header="x-api-key"' }).end();
    return;
  }
  serve(auth === undefined ? request : Object.assign(request, { auth }), response);
});
listener.listen(Number(http), '127.0.0.1', () => {
  console.log(`study-server-sdk listens on http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    listener.close(() => void store.close());
    listener.closeAllConnections();
  });
}

function authenticate({ headers }: IncomingMessage): AuthInfo | undefined {
  const sent = Buffer.from(String(headers['x-api-key'] ?? ''));
  for (const [key, clientId] of callers) {
    const known = Buffer.from(key);
    if (known.length === sent.length && timingSafeEqual(known, sent)) return { token: key, clientId, scopes: [] };
  }
  return undefined;
}
