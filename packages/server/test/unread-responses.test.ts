import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

import { createServer, type Logger, type Server, type ServerOptions, silentLogger } from '@switchyard/server';
import { type NodeHttpOptions, serveHttp, toNode } from '@switchyard/server/node';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { postOf } from './http-route.ts';
import { createRecorder } from './recorder.ts';
import { callOf, metaOf } from './wire.ts';

const mebibyte = 1024 * 1024;
/** More than the buffers of a loopback connection take. */
const large = 8 * mebibyte;
/** What these tests wait for takes a few milliseconds. */
const often = { interval: 5 };

function createLarge(
  logger: Logger = silentLogger,
  size = large,
  options: ServerOptions = {},
): { server: Server; runs(): number } {
  let runs = 0;
  const server = createServer(
    { name: 'large', version: '1.0.0' },
    { logger, maxResultChars: Infinity, ...options },
  ).tool('large', {}, () => {
    runs += 1;
    return 'q'.repeat(size);
  });
  // A stream that goes on until its caller goes away.
  server.tool('stream', {}, async (_args, ctx) => {
    ctx.progress(1);
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    return '';
  });
  return { server, runs: () => runs };
}

type Open = (server: Server, options: NodeHttpOptions) => Promise<URL>;

const listeners: readonly (readonly [name: string, open: Open])[] = [
  [
    'serveHttp',
    async (server, options) => {
      const running = await serveHttp(server, { port: 0, ...options });
      onTestFinished(() => running.close({ graceMs: 0 }));
      return new URL(running.url);
    },
  ],
  [
    'toNode',
    async (server, options) => {
      const http = createHttpServer(toNode(server, options)).listen(0, '127.0.0.1');
      onTestFinished(() => {
        http.closeAllConnections();
        http.close();
      });
      await once(http, 'listening');
      return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
    },
  ],
];

function rawOf(url: URL, tool = 'large'): string {
  const { headers, body } = postOf(callOf(tool, {}, { meta: metaOf({ progressToken: 1 }) }));
  const lines = Object.entries({ ...headers, host: url.host, 'content-length': String(body?.length) });
  return `POST ${url.pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${String(body)}`;
}

/** Asks on a connection of its own, and reads nothing until it is resumed. */
function ask(url: URL, times = 1): Socket {
  const socket = connect(Number(url.port), url.hostname).pause();
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(rawOf(url).repeat(times));
  return socket;
}

/** Asks for as many behind a stream that goes on, of which everything is read. */
async function askBehindStream(url: URL, times: number): Promise<Socket> {
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(rawOf(url, 'stream'));
  await once(socket, 'data');
  socket.write(rawOf(url).repeat(times));
  socket.resume();
  return socket;
}

/** Reads what is there, and answers its bytes when there are as many or the connection ends. */
async function read(socket: Socket, atLeast: number): Promise<number> {
  let bytes = 0;
  await new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes >= atLeast) resolve();
    });
    socket.once('close', () => resolve()).resume();
  });
  return bytes;
}

/** Reads a part of what is there, and nothing further; answers its bytes. */
async function readSome(socket: Socket, atLeast: number): Promise<number> {
  const bytes = await read(socket, atLeast);
  socket.removeAllListeners('data').pause();
  return bytes;
}

describe.each(listeners)('finished responses that nobody reads, of %s', (_, open) => {
  it('are cut off from the oldest on, however few requests may run, and that is logged', async () => {
    const log = createRecorder();
    const { server, runs } = createLarge(log);
    const url = await open(server, { maxUnreadBytes: 3 * large, maxRunningRequests: 1 });
    const sockets: Socket[] = [];
    for (let count = 1; count <= 6; count += 1) {
      sockets.push(ask(url));
      await expect.poll(runs, often).toBe(count);
    }
    const got = await Promise.all(sockets.map((socket) => read(socket, large)));
    expect(got.map((bytes) => bytes >= large)).toEqual([false, false, false, false, true, true]);
    expect(log.lines.filter(({ message }) => message.includes('maxUnreadBytes'))).not.toEqual([]);
  });

  it('are cut off, and no connection of a caller who has read its response', async () => {
    const { server, runs } = createLarge();
    const url = await open(server, { maxUnreadBytes: 2 * large });
    const reader = ask(url);
    await expect.poll(runs, often).toBe(1);
    expect(await read(reader, large)).toBeGreaterThanOrEqual(large);
    for (let count = 2; count <= 5; count += 1) {
      ask(url);
      await expect.poll(runs, often).toBe(count);
    }
    reader.write(rawOf(url));
    expect(await read(reader, large)).toBeGreaterThanOrEqual(large);
  });

  it('are cut off while they wait behind another one on their connection', async () => {
    const { server, runs } = createLarge();
    const url = await open(server, { maxUnreadBytes: 3 * large });
    const queued = ask(url, 2);
    await expect.poll(runs, often).toBe(2);
    const [second, third] = [ask(url), ask(url)];
    await expect.poll(runs, often).toBe(4);
    expect(await read(queued, 2 * large)).toBeLessThan(large);
    expect(await read(second, large)).toBeGreaterThanOrEqual(large);
    expect(await read(third, large)).toBeGreaterThanOrEqual(large);
  });

  it('are cut off where they wait behind a stream that is read, before those of one who reads slowly', async () => {
    const log = createRecorder();
    const size = 4 * large;
    const { server, runs } = createLarge(log, size);
    const url = await open(server, { maxUnreadBytes: 3.5 * size });
    const reader = ask(url);
    await expect.poll(runs, often).toBe(1);
    const behind = await askBehindStream(url, 2);
    await expect.poll(runs, often).toBe(3);
    const bytes = await readSome(reader, large);
    const closed = once(behind, 'close');
    ask(url);
    await closed;
    expect(bytes + (await read(reader, size - bytes))).toBeGreaterThanOrEqual(size);
    // Both went with their connection.
    expect(log.lines.filter(({ message }) => message.includes('maxUnreadBytes'))).toHaveLength(1);
  });

  it('are not those that are read at last, or whose caller has gone', async () => {
    const { server, runs } = createLarge();
    const url = await open(server, { maxUnreadBytes: 3 * large + mebibyte });
    const first = ask(url);
    await expect.poll(runs, often).toBe(1);
    for (let count = 2; count <= 6; count += 1) {
      const other = ask(url);
      await expect.poll(runs, often).toBe(count);
      if (count % 2 === 0) expect(await read(other, large)).toBeGreaterThanOrEqual(large);
      other.destroy();
      await once(other, 'close');
    }
    expect(await read(first, large)).toBeGreaterThanOrEqual(large);
  });

  it('are not the latest one, though it is larger than the limit alone', async () => {
    const { server, runs } = createLarge();
    const url = await open(server, { maxUnreadBytes: 1 });
    const socket = ask(url);
    await expect.poll(runs, often).toBe(1);
    expect(await read(socket, large)).toBeGreaterThanOrEqual(large);
  });

  it('have a limit that is no number below 1', async () => {
    await expect((async () => open(createLarge().server, { maxUnreadBytes: 0 }))()).rejects.toThrow(/maxUnreadBytes/);
  });

  it('are cut off of callers who read nothing before those of one who reads', async () => {
    // Of what was sent before it was cut off, a caller still gets what the buffers hold.
    const size = 4 * large;
    const { server, runs } = createLarge(silentLogger, size);
    const url = await open(server, { maxUnreadBytes: 3 * size + mebibyte });
    const reader = ask(url);
    await expect.poll(runs, often).toBe(1);
    let bytes = 0;
    const idle: Socket[] = [];
    for (let count = 2; count <= 5; count += 1) {
      bytes += await readSome(reader, large / 2);
      idle.push(ask(url));
      await expect.poll(runs, often).toBe(count);
    }
    expect(bytes + (await read(reader, size - bytes))).toBeGreaterThanOrEqual(size);
    const whole = await Promise.all(idle.map(async (socket) => (await read(socket, size)) >= size));
    expect(whole).toEqual([false, false, true, true]);
  });

  it('are cut off of a caller who reads nothing of them for a minute, which is logged, and not of one who reads', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const log = createRecorder();
    const clock = { now: 0 };
    const { server, runs } = createLarge(log, large, { now: () => clock.now });
    const url = await open(server, {});
    // The second response of who reads waits behind the first one.
    const [reader, idle] = [ask(url, 2), ask(url)];
    const behind = await askBehindStream(url, 2);
    await expect.poll(runs, often).toBe(5);
    const closed = once(behind, 'close');
    let bytes = 0;
    for (let seconds = 0; seconds < 90; seconds += 15) {
      bytes += await readSome(reader, mebibyte);
      clock.now += 15_000;
      vi.advanceTimersByTime(15_000);
    }
    expect(await read(idle, large)).toBeLessThan(large);
    await closed;
    expect(bytes + (await read(reader, 2 * large - bytes))).toBeGreaterThanOrEqual(2 * large);
    expect(log.lines.filter(({ message }) => message.includes('nothing for a minute'))).toHaveLength(2);
  });
});

describe('a finished response that was unread for a moment', () => {
  it('leaves no time limit on its connection, which the next request would have', async () => {
    const { server, runs } = createLarge();
    const http = createHttpServer({ keepAliveTimeout: 0 }, toNode(server)).listen(0, '127.0.0.1');
    onTestFinished(() => {
      http.closeAllConnections();
      http.close();
    });
    const connected = once(http, 'connection') as Promise<[Socket]>;
    await once(http, 'listening');
    const caller = ask(new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
    await expect.poll(runs, often).toBe(1);
    const [connection] = await connected;
    expect(connection.writableLength).toBeGreaterThan(0);
    expect(await read(caller, large)).toBeGreaterThanOrEqual(large);
    await expect.poll(() => connection.writableLength).toBe(0);
    expect(connection.timeout ?? 0).toBe(0);
  });
});
