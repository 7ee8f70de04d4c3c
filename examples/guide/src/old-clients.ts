import { createServer, legacyClients } from '@switchyard/server';
import { type RunningServer, serveHttp } from '@switchyard/server/node';

const server = createServer({ name: 'shop', version: '1.0.0' });
server.tool('say_hello', { description: 'Greets the caller' }, () => 'hello');

/** Serves clients of every revision for as long as somebody needs it. */
export async function serveShop(port: number): Promise<RunningServer> {
  return serveHttp(server, { port, legacy: legacyClients({ idleMs: 600_000, httpSse: { path: '/sse' } }) });
}

/** Answers who still needs the adapter, for example `old-agent at 2025-06-18 (412 requests)`. */
export function oldClients(running: RunningServer): string[] {
  return running
    .clients()
    .filter(({ revision }) => revision < '2026-07-28')
    .map(({ client, revision, requests }) => `${client} at ${revision} (${requests} requests)`);
}
