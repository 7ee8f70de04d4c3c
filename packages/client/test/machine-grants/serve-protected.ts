import { once } from 'node:events';
import { createServer as createNetServer, type AddressInfo } from 'node:net';
import { createServer, silentLogger } from '@switchyard/server';
import { bearerJwt, protectedResource } from '@switchyard/server/authorization';
import { serveHttp } from '@switchyard/server/node';
import { onTestFinished } from 'vitest';

/**
 * Serves the tool `who`, which tells the caller, to those who have a token of the last of the issuers that it names.
 */
export async function serveProtected(...issuers: string[]): Promise<string> {
  const port = await freePort();
  const resource = `http://127.0.0.1:${port}/mcp`;
  const metadata = protectedResource({ resource, authorizationServers: issuers, scopesSupported: ['orders:read'] });
  const server = createServer({ name: 'who', version: '1.0.0' }, { logger: silentLogger });
  server.tool('who', {}, (_, { principal }) => ({ who: principal?.subject ?? principal?.clientId ?? 'nobody' }));
  const authenticate = bearerJwt(metadata, { issuer: issuers.at(-1) ?? '' });
  const running = await serveHttp(server, { port, protectedResource: metadata, authenticate });
  onTestFinished(() => running.close({ graceMs: 0 }));
  return running.url;
}

async function freePort(): Promise<number> {
  const probe = createNetServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}
