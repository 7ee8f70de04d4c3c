import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type EventEmitter, once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';

import { createServer, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';

import { openNodeRoute, postOf } from './http-route.ts';
import { createEcho, hello } from './echo-server.ts';
import { createRecorder } from './recorder.ts';
import { callOf, requestOf, type Sent } from './wire.ts';

/** A raw connection to a server, and all that comes back. */
async function openSocket(url: URL): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const ended = once(socket, 'close').then(() => text);
  return { socket, ended };
}

function rawPost(url: URL, message: Sent, close: boolean): string {
  const body = JSON.stringify(message);
  const { headers = {} } = postOf(message);
  return [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Connection: ${close ? 'close' : 'keep-alive'}`,
    '',
    body,
  ].join('\r\n');
}

describe('a server whose system cannot take a connection', () => {
  it('goes on, and logs that', async () => {
    const logger = createRecorder();
    const route = await openNodeRoute(createServer({ name: 'busy', version: '1.0.0' }, { logger }));
    const listening = Promise.withResolvers<EventEmitter>();
    const onStart = (message: unknown): void =>
      listening.resolve((message as { readonly server: EventEmitter }).server);
    subscribe('http.server.request.start', onStart);
    onTestFinished(() => void unsubscribe('http.server.request.start', onStart));
    await route.call(postOf(requestOf('tools/list')));
    (await listening.promise).emit('error', new Error('accept ENOBUFS'));
    expect((await route.call(postOf(requestOf('server/discover')))).status).toBe(200);
    expect(logger.lines.filter(({ level }) => level === 'error').map(({ fields }) => String(fields['err']))).toEqual([
      'Error: accept ENOBUFS',
    ]);
  });
});

describe('a request over a real connection', () => {
  it.each([
    ['foreign', { origin: 'https://evil.test' }, 403],
    ['absent', {}, 404],
    ['loopback', { origin: 'http://localhost' }, 404],
  ])('[HTTP-01] [http-12] answers another path with an Origin that is %s', async (_, headers, status) => {
    const route = await openNodeRoute(createEcho().server);
    for (const path of ['/', '/mcp/', '/MCP', '/mcp/sse', '/.well-known/oauth-protected-resource']) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await route.call({ ...postOf(hello, headers), path, method });
        expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/json' } });
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
      }
    }
    expect((await route.call({ ...postOf(hello), path: '/mcp?x=1' })).status).toBe(200);
  });

  it('reads a body in chunks, however a character is split', async () => {
    const { url } = await openNodeRoute(createEcho().server);
    const message = callOf('echo', { text: 'naïve — 鯨 🛶' });
    const bytes = Buffer.from(JSON.stringify(message));
    const request = httpRequest(url, { method: 'POST', headers: postOf(message).headers ?? {}, agent: false });
    const answered = once(request, 'response');
    for (const byte of bytes) request.write(Buffer.of(byte));
    request.end();
    const [response] = (await answered) as [Readable];
    const answer = JSON.parse(Buffer.concat(await response.toArray()).toString()) as object;
    expect(answer).toMatchObject({ result: { content: [{ text: 'naïve — 鯨 🛶' }] } });
  });

  it.each([
    ['with a length', false],
    ['in chunks', true],
  ])('[http-11] answers a body of 64 MB %s with a 413 that the sender can read', async (_, chunked) => {
    const { server, runs } = createEcho();
    const route = await openNodeRoute(server);
    const block = Buffer.alloc(65_536, 'q');
    const blocks = 1024;
    for (let round = 0; round < 3; round += 1) {
      const headers = {
        ...(postOf(hello).headers as object),
        ...(chunked ? {} : { 'content-length': block.length * blocks }),
      };
      const request = httpRequest(route.url, { method: 'POST', headers, agent: false });
      const answered = once(request, 'response');
      // The server may close the connection while the rest is still on its way.
      request.on('error', () => undefined);
      Readable.from(Array.from({ length: blocks }, () => block)).pipe(request);
      const [response] = (await answered) as [Readable & { statusCode: number; headers: object }];
      expect(response.statusCode).toBe(413);
      expect(JSON.parse(Buffer.concat(await response.toArray()).toString())).toMatchObject({ error: { code: -32600 } });
      request.destroy();
    }
    expect(runs()).toBe(0);
    expect((await route.call(postOf(hello))).status).toBe(200);
  });

  it('[http-09] survives callers that go away in the middle of the body', async () => {
    const { server, runs } = createEcho();
    const route = await openNodeRoute(server);
    for (let round = 0; round < 20; round += 1) {
      const { socket, ended } = await openSocket(route.url);
      socket.write(rawPost(route.url, hello, false).slice(0, -10));
      socket.resetAndDestroy();
      await ended;
    }
    expect(runs()).toBe(0);
    expect((await route.call(postOf(hello))).status).toBe(200);
  });

  it('answers pipelined requests in their order', async () => {
    const { url } = await openNodeRoute(createEcho().server);
    const { socket, ended } = await openSocket(url);
    const messages = [1, 2, 3].map((id) => callOf('echo', { text: `text ${id}` }, { id }));
    socket.write(messages.map((message, index) => rawPost(url, message, index === 2)).join(''));
    const ids = [...(await ended).matchAll(/"id":(\d)/g)].map(([, id]) => Number(id));
    expect(ids).toEqual([1, 2, 3]);
  });

  it.each<[string, string, number]>([
    ['Mcp-Method', 'Mcp-Method: tools/list', 400],
    ['Mcp-Name', 'Mcp-Name: echo', 400],
    ['MCP-Protocol-Version', 'MCP-Protocol-Version: 2026-07-28', 400],
  ])('[HDR-10] refuses a second %s', async (_, header, status) => {
    const { server, runs } = createEcho();
    const { url } = await openNodeRoute(server);
    const { socket, ended } = await openSocket(url);
    socket.write(rawPost(url, hello, true).replace('\r\n\r\n', `\r\n${header}\r\n\r\n`));
    const answer = await ended;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toContain('"code":-32020');
    expect(runs()).toBe(0);
  });

  it('[HTTP-03] runs nothing for a second Origin that is foreign', async () => {
    const header = 'Origin: http://localhost\r\nOrigin: https://evil.test';
    const { server, runs } = createEcho();
    const { url } = await openNodeRoute(server);
    const { socket, ended } = await openSocket(url);
    socket.write(rawPost(url, hello, true).replace('\r\n\r\n', `\r\n${header}\r\n\r\n`));
    expect(await ended).toMatch(/^HTTP\/1.1 403 /);
    expect(runs()).toBe(0);
  });

  it.each<[string, Buffer]>([
    ['bytes that are no ASCII', Buffer.from('Mcp-Name: \xe9cho', 'latin1')],
    ['a no-break space at the end', Buffer.from('Mcp-Method: tools/call\xa0', 'latin1')],
    ['a no-break space round the version', Buffer.from('MCP-Protocol-Version: \xa02026-07-28', 'latin1')],
  ])('[HDR-15] refuses %s in a header', async (_, header) => {
    const { server, runs } = createEcho();
    const { url } = await openNodeRoute(server);
    const { socket, ended } = await openSocket(url);
    const [name = ''] = header.toString('latin1').split(':');
    const raw = rawPost(url, hello, true).replace(
      new RegExp(`\r\n${name}: [^\r]*`, 'i'),
      `\r\n${header.toString('latin1')}`,
    );
    socket.write(Buffer.from(raw, 'latin1'));
    expect(await ended).toContain('"code":-32020');
    expect(runs()).toBe(0);
  });

  it('answers a request of HTTP/1.0 and half a request line without harm', async () => {
    const route = await openNodeRoute(createEcho().server);
    const broken = await openSocket(route.url);
    broken.socket.write('POS /mcp\r\n\r\n');
    expect(await broken.ended).toMatch(/^HTTP\/1.1 400 /);
    const old = await openSocket(route.url);
    old.socket.write(rawPost(route.url, hello, true).replace('HTTP/1.1', 'HTTP/1.0'));
    expect(await old.ended).toMatch(/^HTTP\/1.[01] 200 /);
  });

  it('[HTTP-04] listens on loopback, and on another address only with authentication', async () => {
    const { server } = createEcho();
    for (const host of ['0.0.0.0', '::', '192.0.2.1', 'mcp.example.com', '']) {
      await expect(serveHttp(server, { port: 0, host })).rejects.toThrow(/without authentication/);
    }
    const silent = createServer({ name: 'asks-nothing', version: '1.0.0' }, { state: false });
    const running = await serveHttp(silent, { port: 0, host: '0.0.0.0', authenticate: () => undefined });
    await running.close();
  });

  it.each(['', 'mcp', '?mcp'])('refuses to listen on the path %j', async (path) => {
    await expect(serveHttp(createEcho().server, { port: 0, path })).rejects.toThrow(/path/);
  });

  it('says when its port is taken', async () => {
    const { url } = await openNodeRoute(createEcho().server);
    await expect(serveHttp(createEcho().server, { port: Number(url.port) })).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: expect.stringMatching(/^port \d+ on 127\.0\.0\.1 is taken by another process .*use another port/),
      cause: { code: 'EADDRINUSE', syscall: 'listen' },
    });
  });

  it('stops listening when it closes, once, and lets the running request finish', async () => {
    const started = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const server = createServer({ name: 'slow', version: '1.0.0' }, { logger: silentLogger });
    server.tool('wait', {}, async () => {
      started.resolve();
      await release.promise;
      return 'done';
    });
    const route = await openNodeRoute(server);
    const running = await serveHttp(server, { port: 0 });
    const answered = fetch(running.url, { method: 'POST', ...(postOf(callOf('wait')) as RequestInit) });
    await started.promise;
    const closed = Promise.all([running.close(), running.close(), running[Symbol.asyncDispose]()]);
    await expect(fetch(running.url, { method: 'POST' })).rejects.toThrow('fetch failed');
    release.resolve();
    expect((await answered).status).toBe(200);
    await closed;
    expect((await route.call({ method: 'PUT' })).status).toBe(405);
  });
});
