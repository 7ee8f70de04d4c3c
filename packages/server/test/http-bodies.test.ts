import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { createServer } from '@switchyard/server';
import { toNode } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { openNodeRoute, postOf } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf } from './wire.ts';

const lingeringMs = 5_000;

function createPing(logger = createRecorder()) {
  return createServer({ name: 'ping', version: '1.0.0' }, { logger }).tool('ping', {}, () => 'pong');
}

/** A raw connection, and what came over it. */
async function openSocket(url: URL): Promise<{ socket: Socket; seen(fits: RegExp): Promise<void> }> {
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
      socket.write(head(url, [`DELETE ${url.pathname} HTTP/1.1`]));
      await seen(/405 [^]*405 /);
      expect(socket.closed).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });
});

it('says in the log that a body parser came first, and leaves no caller waiting', async () => {
  const log = createRecorder();
  const handle = toNode(createPing(log));
  const http = createHttpServer((request, response) => {
    request.resume().on('end', () => setImmediate(() => handle(request, response)));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const { port } = http.address() as AddressInfo;
  const call = fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...(postOf(callOf('ping')) as RequestInit) });
  await expect(call).rejects.toThrow('fetch failed');
  expect(log.lines).toMatchObject([
    {
      level: 'error',
      fields: { err: expect.objectContaining({ message: expect.stringContaining('before any body parser') }) },
    },
  ]);
});
