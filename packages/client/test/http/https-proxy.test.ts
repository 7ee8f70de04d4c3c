import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect as connectSocket, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { connect, type NodeConnectOptions } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { canMakeCertificates, makeAuthority } from './certificates.ts';
import { modernServer, openServer } from './open-server.ts';

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function listen(server: Server): Promise<number> {
  const { port, end } = await openServer(server);
  endings.push(end);
  return port;
}

describe.skipIf(!canMakeCertificates)('a proxy that is reached over TLS by its address', () => {
  const { ca = '', server, client } = canMakeCertificates ? makeAuthority() : {};

  /** It leads each tunnel to `port`, answers what it gets whole, and notes whose certificate it was shown. */
  async function startProxy(port: number): Promise<{ readonly port: number; readonly asked: string[] }> {
    const asked: string[] = [];
    const note = (request: IncomingMessage): void => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      asked.push(`${request.method} ${request.url} of ${String(subject?.CN ?? 'nobody')}`);
    };
    const proxy = createServer({ ...server, ca: [ca], requestCert: true, rejectUnauthorized: false });
    proxy.on('request', (request, response) => {
      note(request);
      modernServer(request, response);
    });
    proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
      note(request);
      socket.on('error', () => undefined);
      const through = connectSocket(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 Connection established\r\n\r\n');
        through.pipe(socket).pipe(through);
      });
      through.on('error', () => socket.destroy());
      socket.on('close', () => through.destroy());
    });
    return { port: await listen(proxy), asked };
  }

  /** Answers the common name of each certificate that a server was shown. */
  async function startServer(): Promise<{ readonly port: number; readonly shown: string[] }> {
    const shown: string[] = [];
    const target = createServer({ ...server, ca: [ca], requestCert: true }, (request, response) => {
      shown.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
      modernServer(request, response);
    });
    return { port: await listen(target), shown };
  }

  async function reach(url: string, options: NodeConnectOptions): Promise<void> {
    const reached = await connect(url, { name: 'depot', baseEnv: {}, ...options });
    endings.push(() => reached.close());
    expect(reached.era).toBe('modern');
  }

  it('is held against the configured authority, as the server behind it, and is not shown who calls', async () => {
    const target = await startServer();
    const { port, asked } = await startProxy(target.port);
    await reach(`https://127.0.0.1:${target.port}/mcp`, { proxy: `https://127.0.0.1:${port}`, tls: { ca, ...client } });
    expect(asked).toEqual([`CONNECT 127.0.0.1:${target.port} of nobody`]);
    expect(target.shown).toEqual(['client']);
  });

  it('gets requests for http whole', async () => {
    const { port, asked } = await startProxy(0);
    await reach('http://depot.test/mcp', { proxy: `https://127.0.0.1:${port}`, tls: { ca, ...client } });
    expect(asked).toEqual(['POST http://depot.test/mcp of nobody']);
  });

  it.each(['http', 'https'])('gets nothing for %s where its certificate is of no authority', async (scheme) => {
    const { port, asked } = await startProxy(0);
    const error = await failure(
      connect(`${scheme}://depot.test/mcp`, { baseEnv: {}, proxy: `https://127.0.0.1:${port}` }),
    );
    expect(error.code).toBe('connect-failed');
    expect(error.message).toMatch(/certificate/);
    expect(asked).toEqual([]);
  });
});
