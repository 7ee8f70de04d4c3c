import { createServer, type Server, silentLogger } from '@switchyard/server';

import { callOf } from './wire.ts';

/** A server that answers a text as it came, and how often it did. */
export function createEcho(): { server: Server; runs: () => number } {
  let runs = 0;
  const server = createServer({ name: 'echo', version: '1.0.0' }, { logger: silentLogger, state: false });
  server.tool('echo', { input: { type: 'object', properties: { text: { type: 'string' } } } }, ({ text }) => {
    runs += 1;
    return String(text);
  });
  return { server, runs: () => runs };
}

/** A call of its tool. */
export const hello = callOf('echo', { text: 'hello' });
