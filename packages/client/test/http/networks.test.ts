import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect as connectSocket, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/index.ts';
import { connect, type NodeConnectOptions, openPooledFetch } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { canMakeCertificates, makeAuthority } from './certificates.ts';
import { modernServer } from './open-server.ts';

const endings: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function listen(
  server: Server,
  where: { readonly path: string } | { readonly port: 0; readonly host: string },
): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(where, resolve);
  });
  endings.push(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return 'path' in where ? 0 : (server.address() as AddressInfo).port;
}

const onLoopback = { port: 0, host: '127.0.0.1' } as const;

async function reach(url: string, options: NodeConnectOptions = {}): Promise<Client> {
  const client = await connect(url, { name: 'depot', baseEnv: {}, ...options });
  endings.push(() => client.close());
  return client;
}

/** A proxy that leads every host to one port on loopback, and notes what it was asked for. */
async function startProxy(
  port: number,
  refusal?: number,
): Promise<{ readonly url: string; readonly asked: string[]; readonly authorizations: unknown[] }> {
  const asked: string[] = [];
  const authorizations: unknown[] = [];
  const sockets = new Set<Socket>();
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
    modernServer(request, response);
  });
  proxy.on('connect', (request, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
      return;
    }
    const through = connectSocket(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    for (const each of [socket, through]) {
      sockets.add(each);
      each.on('error', () => each.destroy());
    }
  });
  const proxyPort = await listen(proxy, onLoopback);
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { url: `http://127.0.0.1:${proxyPort}`, asked, authorizations };
}

describe('a proxy', () => {
  it.each(['HTTP_PROXY', 'http_proxy'])(
    'of %s gets requests to other hosts, with its own credentials',
    async (name) => {
      const { url, asked, authorizations } = await startProxy(0);
      const env = { [name]: url.replace('//', '//user:p%40ss@') };
      const client = await reach('http://depot.test/mcp', { baseEnv: env });
      expect((await client.listTools()).tools).toEqual([]);
      expect(new Set(asked)).toEqual(new Set(['POST http://depot.test/mcp']));
      expect(authorizations[0]).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    },
  );

  it('is not asked for this machine, nor for the hosts of NO_PROXY', async () => {
    const { url, asked } = await startProxy(0);
    const port = await listen(createServer(modernServer), onLoopback);
    await reach(`http://127.0.0.1:${port}/mcp`, { baseEnv: { HTTP_PROXY: url } });
    const env = { HTTP_PROXY: url, NO_PROXY: '.test,127.0.0.2' };
    await failure(reach('http://127.0.0.2:1/mcp', { baseEnv: env }));
    expect(asked).toEqual([]);
  });

  it('that was given is asked for everything, and none where that is false', async () => {
    const { url, asked } = await startProxy(0);
    const port = await listen(createServer(modernServer), onLoopback);
    await reach(`http://127.0.0.1:${port}/mcp`, { proxy: url });
    expect(asked).toEqual([`POST http://127.0.0.1:${port}/mcp`]);
    await failure(reach('http://127.0.0.2:1/mcp', { proxy: false, baseEnv: { HTTP_PROXY: url } }));
    expect(asked).toHaveLength(1);
  });

  it('of a CGI program is not that of whoever calls it', async () => {
    const { url, asked } = await startProxy(0);
    const env = { REQUEST_METHOD: 'POST', HTTP_PROXY: url };
    await failure(reach('http://127.0.0.2:1/mcp', { baseEnv: env }));
    expect(asked).toEqual([]);
  });

  it.each<[string, (authorization: string) => string]>([
    ['as it was sent', (authorization) => authorization],
    ['decoded', (authorization) => Buffer.from(authorization.replace('Basic ', ''), 'base64').toString()],
  ])('has its login shown in no error, where it says that back %s', async (_how, form) => {
    let said = '';
    const port = await listen(
      createServer((request, response) => {
        said = form(request.headers['proxy-authorization'] ?? '');
        response.writeHead(502).end(`not for ${said}`);
      }),
      onLoopback,
    );
    const error = await failure(
      reach('http://depot.test/mcp', { proxy: `http://mira:hunter%402222@127.0.0.1:${port}` }),
    );
    expect(said.length).toBeGreaterThan(10);
    expect(error.said).toContain('not for ');
    const secret = said.replace(/^Basic |^mira:/, '');
    expect([error.message, error.said].join()).not.toContain(secret);
  });

  it('that is no URL is an error that does not show it', async () => {
    const error = await failure(
      reach('http://depot.test/mcp', { baseEnv: { HTTP_PROXY: 'ftp://user:hunter22@proxy' } }),
    );
    expect(error).toMatchObject({ code: 'invalid-argument', server: 'depot' });
    expect(error.message).toContain('HTTP_PROXY');
    expect(error.message).not.toContain('hunter22');
  });
});

describe.skipIf(!canMakeCertificates)('TLS', () => {
  const authority = canMakeCertificates ? makeAuthority() : undefined;
  const { ca = '', server, client } = authority ?? {};

  async function startTls(options: ServerOptions = {}): Promise<number> {
    return listen(createTlsServer({ ...server, ...options }, modernServer), onLoopback);
  }

  it('takes the certificates of an authority of the caller', async () => {
    const port = await startTls();
    expect((await reach(`https://127.0.0.1:${port}/mcp`, { tls: { ca } })).era).toBe('modern');
  });

  it('takes no certificate that nobody vouches for, or of another name, and says so before anything is sent', async () => {
    const port = await startTls();
    const unknown = await failure(reach(`https://127.0.0.1:${port}/mcp`));
    expect(unknown).toMatchObject({ code: 'connect-failed', server: 'depot' });
    expect(unknown.message).toMatch(/certificate/);
    const misnamed = reach(`https://127.0.0.1:${port}/mcp`, { tls: { ca, servername: 'other.test' } });
    expect((await failure(misnamed)).code).toBe('connect-failed');
  });

  it('shows a certificate of the client to a server that wants one', async () => {
    const port = await startTls({ ca: [ca], requestCert: true, rejectUnauthorized: true });
    const url = `https://127.0.0.1:${port}/mcp`;
    expect((await reach(url, { tls: { ca, ...client } })).era).toBe('modern');
    expect((await failure(reach(url, { tls: { ca } }))).code).toMatch(/connect-failed|closed/);
  });

  it('makes whoever has another certificate another principal', () => {
    const pools = [{ ca, ...client }, { ca, ...server }, { ca }].map((tls) => openPooledFetch({ tls, baseEnv: {} }));
    endings.push(...pools.map((pool) => () => pool.close()));
    const principals = pools.map(({ principal }) => principal);
    expect(new Set(principals).size).toBe(3);
    expect(principals[2]).toBeUndefined();
  });

  it('goes through a tunnel of the proxy of HTTPS_PROXY', async () => {
    const port = await startTls();
    const { url, asked } = await startProxy(port);
    const options = { baseEnv: { HTTPS_PROXY: url }, tls: { ca, servername: 'localhost' } };
    expect((await reach('https://depot.test/mcp', options)).era).toBe('modern');
    expect(asked).toEqual(['CONNECT depot.test:443']);
  });

  it('is not reached where the proxy makes no tunnel, and nothing is sent', async () => {
    const { url } = await startProxy(0, 407);
    const error = await failure(reach('https://depot.test/mcp', { baseEnv: { HTTPS_PROXY: url } }));
    expect(error.code).toBe('connect-failed');
    expect(error.message).toContain('407');
  });
});

describe.skipIf(process.platform === 'win32')('a unix socket', () => {
  async function startUnix(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-'));
    endings.push(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'mcp server.sock');
    const server = createServer((request, response) => {
      if (request.url === '/mcp') modernServer(request, response);
      else response.writeHead(404).end();
    });
    await listen(server, { path });
    return path;
  }

  it('is reached by its own kind of URL, with the path after #', async () => {
    const path = await startUnix();
    const client = await reach(`unix://${encodeURI(path)}#/mcp`, { baseEnv: { HTTP_PROXY: 'http://127.0.0.1:1' } });
    expect((await client.listTools()).tools).toEqual([]);
  });

  it('is reached with a query, which no message shows', async () => {
    const path = await startUnix();
    const error = await failure(connect(`unix://${encodeURI(path)}#/other?key=hunter22`, { baseEnv: {} }));
    expect(error).toMatchObject({ code: 'http-status', status: 404 });
    expect(error.message).not.toContain('hunter22');
  });

  it('is reached by a target with a choice of the transport', async () => {
    const path = await startUnix();
    const url = `unix://${encodeURI(path)}#/mcp`;
    const client = await connect({ url, transport: 'streamable-http' }, { baseEnv: {} });
    endings.push(() => client.close());
    expect(client.era).toBe('modern');
    const old = { url: `unix://${encodeURI(path)}#/other`, transport: 'sse' } as const;
    expect(await failure(connect(old, { baseEnv: {} }))).toMatchObject({ code: 'http-status', status: 404 });
  });

  it('is reached by an option beside an http URL', async () => {
    const socketPath = await startUnix();
    expect((await reach('http://localhost/mcp', { socketPath })).era).toBe('modern');
  });

  it('that nobody listens on is an error that names it', async () => {
    const error = await failure(connect('unix:///nowhere/at/all.sock#/mcp', { baseEnv: {} }));
    expect(error.code).toBe('connect-failed');
    expect(error.server).toBe('unix:///nowhere/at/all.sock#/mcp');
  });
});
