import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { createServer, type Server, silentLogger, toFetch } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished } from 'vitest';

import { openNodeRoute, postOf } from './http-route.ts';
import { callOf } from './wire.ts';

const bodyTimeoutMs = 50;
const asked = postOf(callOf('t'));

function create(): Server {
  return createServer({ name: 'patient', version: '1.0.0' }, { logger: silentLogger }).tool('t', {}, () => 'done');
}

/** Begins a request on a connection of its own, and sends only as much of its body. */
async function begin(url: URL, part: string, length: string): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const lines = Object.entries({ ...asked.headers, host: url.host }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}${length}\r\n\r\n${part}`);
  const answer = once(socket.setEncoding('utf8'), 'data').then(([text]) => String(text));
  return { socket, answer };
}

describe('a body that does not come in time', () => {
  it.each([
    ['of which nothing comes', '', 'content-length: 1000'],
    ['of which a part comes', '{"jsonrpc"', 'content-length: 1000'],
    ['of which a chunk comes', '2\r\n{"\r\n', 'transfer-encoding: chunked'],
  ])('is answered 408, and its place is for others: one %s', async (_, part, length) => {
    const { url, call } = await openNodeRoute(create(), { bodyTimeoutMs, maxRunningRequests: 1 });
    const { answer } = await begin(url, part, length);
    expect(await answer).toMatch(/^HTTP\/1.1 408 [^]*"code":-32600,"message":"The body did not come within 0.05 s"/);
    expect((await call(asked)).status).toBe(200);
  });

  it('is answered 408 however steadily it trickles, and its connection serves another request once it has come', async () => {
    const { url } = await openNodeRoute(create(), { bodyTimeoutMs });
    const { socket, answer } = await begin(url, '', 'content-length: 40');
    let sent = 0;
    const trickle = setInterval(() => {
      sent += 1;
      socket.write(' ');
    }, 5);
    expect(await answer).toMatch(/^HTTP\/1.1 408 /);
    clearInterval(trickle);
    socket.write(' '.repeat(40 - sent));
    socket.write(`PUT ${url.pathname} HTTP/1.1\r\nhost: ${url.host}\r\n\r\n`);
    const [next] = (await once(socket, 'data')) as [string];
    expect(next).toMatch(/^HTTP\/1.1 405 /);
  });

  it('is answered 408 over fetch, and is read no further', async () => {
    let cancelled = 0;
    const serve = toFetch(create(), { bodyTimeoutMs, maxRunningRequests: 1 });
    const answer = await serve(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: asked.headers ?? {},
        body: new ReadableStream({ cancel: () => void (cancelled += 1) }),
        duplex: 'half',
      }),
    );
    expect(answer.status).toBe(408);
    expect(cancelled).toBe(1);
    const { headers = {}, body } = asked;
    const next = (): Request => new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: body as string });
    await expect.poll(async () => (await serve(next())).status).toBe(200);
  });

  it.each([0, -1, Number.NaN])('has a time that cannot be %s ms', async (ms) => {
    await expect(serveHttp(create(), { port: 0, bodyTimeoutMs: ms })).rejects.toThrow(/bodyTimeoutMs/);
  });
});
