import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { createServer, type HttpOptions, type Server } from '@switchyard/server';
import type { Endpoint } from '@switchyard/server/endpoint';
import { endpointToNode, toNode } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { createEcho } from './echo-server.ts';
import { openNodeRoute, postOf } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf } from './wire.ts';

const lingeringMs = 5_000;

function createPing(logger = createRecorder()) {
  return createServer({ name: 'ping', version: '1.0.0' }, { logger }).tool('ping', {}, () => 'pong');
}

/** A raw connection, and what came over it. */
async function openSocket(url: URL): Promise<{ socket: Socket; seen(fits: RegExp): Promise<string> }> {
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
  await once(socket, 'connect');
  return {
    socket,
    async seen(fits) {
      while (!fits.test(text)) await once(socket, 'data');
      return text;
    },
  };
}

function head(url: URL, lines: readonly string[]): string {
  return [lines[0], `Host: ${url.host}`, ...lines.slice(1), '', ''].join('\r\n');
}

describe('a sender whose body nobody wants', () => {
  it.each<[string, (path: string) => string[], RegExp]>([
    [
      'too large',
      (path) => [`POST ${path} HTTP/1.1`, 'Content-Type: application/json', 'Content-Length: 99999999'],
      /^HTTP\/1\.1 413 [^]*\}$/,
    ],
    ['for another method', (path) => [`PUT ${path} HTTP/1.1`, 'Content-Length: 99999999'], /^HTTP\/1\.1 405 [^]*\}$/],
    ['for another path', () => ['POST /other HTTP/1.1', 'Content-Length: 99999999'], /^HTTP\/1\.1 404 [^]*\}$/],
    ['in endless chunks', (path) => [`PUT ${path} HTTP/1.1`, 'Transfer-Encoding: chunked'], /^HTTP\/1\.1 405 [^]*\}$/],
  ])(
    '[http-11] gets its reply, and is cut off some seconds later where it goes on: a body %s',
    async (_, lines, reply) => {
      const { url } = await openNodeRoute(createPing());
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        const { socket, seen } = await openSocket(url);
        socket.write(head(url, lines(url.pathname)));
        await seen(reply);
        while (vi.getTimerCount() === 0) await nextTurn();
        vi.advanceTimersByTime(lingeringMs - 1);
        await nextTurn();
        expect(socket.closed).toBe(false);
        const closed = once(socket, 'close');
        vi.advanceTimersByTime(1);
        await closed;
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it('[http-11] keeps its connection where it ends the body in time', async () => {
    const { url } = await openNodeRoute(createPing());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { socket, seen } = await openSocket(url);
      socket.write(`${head(url, [`PUT ${url.pathname} HTTP/1.1`, 'Content-Length: 10'])}four`);
      await seen(/^HTTP\/1\.1 405 /);
      while (vi.getTimerCount() === 0) await nextTurn();
      socket.write('andsix');
      while (vi.getTimerCount() > 0) await nextTurn();
      vi.advanceTimersByTime(10 * lingeringMs);
      socket.write(head(url, [`PATCH ${url.pathname} HTTP/1.1`]));
      await seen(/405 [^]*405 /);
      expect(socket.closed).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});

/** Serves behind something that has read the body, and answers what the caller gets. */
async function callBehindParser(
  log: ReturnType<typeof createRecorder>,
  body: unknown,
  options: HttpOptions = {},
): Promise<Response> {
  const handle = toNode(createPing(log), options);
  const http = createHttpServer((request, response) => {
    request.resume().on('end', () => setImmediate(() => handle(Object.assign(request, { body }), response)));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const { port } = http.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...(postOf(callOf('ping')) as RequestInit) });
}

/** Serves behind something that does to a request what it wants; `after` comes once the request was handed over. */
async function serveBehind(
  server: Server,
  front: (request: IncomingMessage, hand: () => void) => void,
  after: (request: IncomingMessage) => void = () => undefined,
): Promise<URL> {
  const handle = toNode(server);
  const http = createHttpServer((request, response) => {
    front(request, () => {
      handle(request, response);
      after(request);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/`);
}

describe('a request that somebody in front has had', () => {
  const waitForEnd = (request: IncomingMessage, hand: () => void): void =>
    void request.resume().once('end', () => setImmediate(hand));

  it.each([
    ['of no length', 'Content-Length: 0', ''],
    ['in no chunk', 'Transfer-Encoding: chunked', '0\r\n\r\n'],
  ])('is answered at once where its body is empty, %s, and has ended', async (_, length, body) => {
    const url = await serveBehind(createPing(), waitForEnd);
    const { socket, seen } = await openSocket(url);
    socket.write(head(url, ['POST / HTTP/1.1', 'Content-Type: application/json', length]) + body);
    expect(await seen(/^HTTP\/1\.1 \d+ [^]*\}$/)).toMatch(/^HTTP\/1\.1 400 [^]*"code":-32700/);
  });

  it.each(['utf8', 'latin1', 'hex', 'base64'] as const)(
    'is served where its encoding was set: %s',
    async (encoding) => {
      const { server } = createEcho();
      const url = await serveBehind(server, (request, hand) => {
        request.setEncoding(encoding);
        hand();
      });
      const text = 'Zoë 🐦 '.repeat(30_000);
      const response = await fetch(url, { method: 'POST', ...(postOf(callOf('echo', { text })) as RequestInit) });
      expect(await response.json()).toMatchObject({ result: { content: [{ text }] } });
    },
  );

  it('is served where it was paused', async () => {
    const url = await serveBehind(createPing(), (request, hand) => {
      request.pause();
      setImmediate(hand);
    });
    const response = await fetch(url, { method: 'POST', ...(postOf(callOf('ping')) as RequestInit) });
    expect(await response.text()).toContain('pong');
  });

  it.each([
    ['before the rest of it', JSON.stringify(callOf('ping'))],
    ['and nothing else', ''],
  ])('fails alone where it brings what no body has, %s', async (_, body) => {
    const log = createRecorder();
    const give = (request: IncomingMessage): void => void request.emit('data', 7);
    const url = await serveBehind(createPing(log), (_request, hand) => hand(), give);
    const call = fetch(url, { method: 'POST', ...(postOf(callOf('ping')) as RequestInit), body });
    await expect(call).rejects.toThrow('fetch failed');
    expect(log.lines).toMatchObject([{ level: 'error', message: 'the HTTP exchange failed' }]);
  });
});

describe('a body that a parser in front has read', () => {
  it.each([undefined, null])('is missed, to the caller and in the log, where it left %j', async (left) => {
    const log = createRecorder();
    const response = await callBehindParser(log, left);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('mount it before any body parser') },
    });
    expect(log.lines).toMatchObject([
      {
        level: 'error',
        fields: { err: expect.objectContaining({ message: expect.stringContaining('before any body parser') }) },
      },
    ]);
  });

  it.each([
    ['the value', callOf('ping')],
    ['the text', JSON.stringify(callOf('ping'))],
    ['the bytes', Buffer.from(JSON.stringify(callOf('ping')))],
  ])('is taken where it left %s', async (_name, left) => {
    const response = await callBehindParser(createRecorder(), left);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('pong');
  });

  it.each([7, false])("is no message, which is the caller's fault, where it left %j", async (left) => {
    const response = await callBehindParser(createRecorder(), left);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32600 } });
  });

  it('keeps to the limit, and to UTF-8', async () => {
    const large = await callBehindParser(createRecorder(), callOf('ping'), { maxBodyBytes: 10 });
    expect(large.status).toBe(413);
    const broken = await callBehindParser(createRecorder(), Buffer.from([0x22, 0xff, 0x22]));
    expect(broken.status).toBe(400);
  });

  it('is not taken as a value by who hands integers on digit for digit', async () => {
    const endpoint: Endpoint = { ...createPing().endpoint(), exactIntegers: true };
    const handle = endpointToNode(endpoint);
    const http = createHttpServer((request, response) => {
      request.resume().on('end', () => handle(Object.assign(request, { body: callOf('ping') }), response));
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void http.close());
    const { port } = http.address() as AddressInfo;
    const call = postOf(callOf('ping')) as RequestInit;
    expect((await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...call })).status).toBe(500);
  });
});
