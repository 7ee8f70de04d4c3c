import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect as connectSocket, createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect, openPooledFetch } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { canMakeCertificates, makeAuthority } from './certificates.ts';
import { openServer } from './open-server.ts';

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const end of endings.splice(0).reverse()) await end();
});

async function listen(server: Server | HttpServer): Promise<number> {
  const { port, end } = await openServer(server);
  endings.push(end);
  return port;
}

/** A SOCKS proxy without a login that leads everybody to one port, and notes the names that it was asked for. */
async function startSocks(port: number): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const proxy = createServer((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request: Buffer) => {
        // Version, command, reserved, kind 3 (a name), its length, the name.
        asked.push(request.toString('latin1', 5, 5 + (request[4] ?? 0)));
        const through = connectSocket(port, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          through.pipe(socket).pipe(through);
        });
        through.on('error', () => socket.destroy());
        socket.on('close', () => through.destroy());
      });
    });
  });
  return { url: `socks5://127.0.0.1:${await listen(proxy)}`, asked };
}

const discovery = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  result: {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: {},
    ttlMs: 0,
    cacheScope: 'private',
  },
});

describe('a SOCKS proxy', () => {
  // First, since undici keeps the timer that it begins with, which is to be a false one.
  it('lets a stream be silent for twenty minutes', async () => {
    const asked = Promise.withResolvers<void>();
    const body = Promise.withResolvers<void>();
    const server = createHttpServer((_request, response) => {
      response.writeHead(200).write('a');
      asked.resolve();
      void body.promise.then(() => response.end('b'));
    });
    const { url } = await startSocks(await listen(server));
    const pool = openPooledFetch({ proxy: url });
    endings.push(() => pool.close());
    const { signal } = new AbortController();
    const init = { method: 'POST', headers: {}, body: '{}', signal, redirect: 'manual' } as const;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    const answering = pool.fetch('http://depot.test/mcp', init);
    await asked.promise;
    const reader = (await answering).body?.getReader();
    const read = async (): Promise<string> => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe('a');
    const next = read();
    await vi.advanceTimersByTimeAsync(20 * 60_000);
    body.resolve();
    expect(await next).toBe('b');
  });

  it('leads to servers on http', async () => {
    const server = createHttpServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(discovery),
    );
    const { url, asked } = await startSocks(await listen(server));
    const client = await connect('http://depot.test/mcp', { proxy: url });
    expect(client.era).toBe('modern');
    expect(asked).toEqual(['depot.test']);
    await client.close();
  });

  it.skipIf(!canMakeCertificates)('leads to servers on https', async () => {
    const { ca, server: pair } = makeAuthority();
    const server = createHttpsServer(pair, (_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(discovery),
    );
    const { url, asked } = await startSocks(await listen(server));
    const client = await connect('https://localhost/mcp', { proxy: url, tls: { ca } });
    expect(client.era).toBe('modern');
    expect(asked).toEqual(['localhost']);
    await client.close();
  });

  it('does not pass over 100 (Continue), which is named', async () => {
    const raw = createServer((socket) => {
      socket.on('data', () => socket.write('HTTP/1.1 100 Continue\r\n\r\n'));
    });
    const { url } = await startSocks(await listen(raw));
    const error = await failure(connect('http://depot.test/mcp', { name: 'depot', proxy: url }));
    expect(error.code).toBe('closed');
    expect(error.message).toMatch(/HTTP 100 \(Continue\) came.*SOCKS proxy/);
  });
});
