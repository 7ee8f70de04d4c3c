import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { connect as connectSocket, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { canMakeCertificates, makeAuthority } from './certificates.ts';
import { openServer } from './open-server.ts';

const endings: (() => void | Promise<void>)[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});

afterEach(async () => {
  vi.useRealTimers();
  for (const end of endings.splice(0).reverse()) await end();
});

async function listen(server: Server): Promise<number> {
  const { port, end } = await openServer(server);
  endings.push(end);
  return port;
}

/** A server of HTTP/2 that answers everything, and holds calls until they are let go where it is told to. */
class Http2Server {
  readonly calls: string[] = [];
  readonly #server;

  constructor(tls: { readonly cert: string; readonly key: string }) {
    this.#server = createSecureServer(tls);
    this.#server.on('sessionError', () => undefined);
    this.#server.on('stream', (stream: ServerHttp2Stream) => this.#take(stream));
  }

  listen(): Promise<number> {
    return listen(this.#server);
  }

  #take(stream: ServerHttp2Stream): void {
    let text = '';
    stream.on('error', () => undefined);
    stream.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    stream.on('end', () => {
      const { id, method, params } = JSON.parse(text) as {
        readonly id: number;
        readonly method: string;
        readonly params: { readonly name?: string };
      };
      if (method === 'tools/call') this.calls.push(String(params.name));
      const result = {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        content: [{ type: 'text', text: 'done' }],
        ttlMs: 0,
        cacheScope: 'private',
      };
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  }
}

/** A way to a server whose sockets can die without a word: what either side says is lost, or what the server says. */
async function startWay(port: number): Promise<{ readonly port: number; sockets: number; die(): void }> {
  const live = new Set<Socket>();
  const dead = new Set<Socket>();
  const way = {
    port: 0,
    sockets: 0,
    die(): void {
      for (const socket of live) dead.add(socket);
    },
  };
  const server = createServer((socket) => {
    way.sockets += 1;
    live.add(socket);
    const onward = connectSocket(port, '127.0.0.1');
    onward.on('error', () => undefined);
    socket.on('data', (bytes) => onward.write(bytes));
    onward.on('data', (bytes) => {
      if (!dead.has(socket)) socket.write(bytes);
    });
    socket.on('close', () => onward.destroy());
  });
  way.port = await listen(server);
  return way;
}

describe.skipIf(!canMakeCertificates)('a socket of HTTP/2 that dies without a word', () => {
  const { ca = '', server: tls } = canMakeCertificates ? makeAuthority() : {};

  it('is given up after two pings without an answer; what was under way is not sent twice, and the next call has another', async () => {
    const server = new Http2Server(tls ?? { cert: '', key: '' });
    const way = await startWay(await server.listen());
    const client = await connect(`https://127.0.0.1:${way.port}/mcp`, { name: 'depot', baseEnv: {}, tls: { ca } });
    endings.push(() => client.close());
    await client.callTool('before');
    way.die();
    const lost = ['first', 'second'].map((name) => failure(client.callTool(name)));
    await vi.waitUntil(() => server.calls.length === 3);
    vi.advanceTimersByTime(5000);
    vi.advanceTimersByTime(5000);
    for (const each of lost) expect((await each).code).toBe('outcome-unknown');
    expect((await client.callTool('after')).content).toEqual([{ type: 'text', text: 'done' }]);
    expect(server.calls).toEqual(['before', 'first', 'second', 'after']);
    expect(way.sockets).toBe(2);
  });

  it('is not taken for one that is slow', async () => {
    const server = new Http2Server(tls ?? { cert: '', key: '' });
    const way = await startWay(await server.listen());
    const client = await connect(`https://127.0.0.1:${way.port}/mcp`, { name: 'depot', baseEnv: {}, tls: { ca } });
    endings.push(() => client.close());
    for (const name of ['1', '2', '3']) {
      vi.advanceTimersByTime(5000);
      // It comes after the answer to the ping.
      await client.callTool(name);
    }
    expect(way.sockets).toBe(1);
  });
});
