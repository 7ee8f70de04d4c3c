import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';
import { type Client, type ClientWarning, type ConnectOptions } from '../../src/index.ts';
import { connect } from '../../src/node/index.ts';
import { impatient } from './outcome.ts';

const opened: AsyncDisposable[] = [];

/** What the client of the current test warned of. */
export const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  for (const it of opened.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

/** Closes a client or a server after the test. */
export function closeAfterwards<T extends AsyncDisposable>(it: T): T {
  opened.push(it);
  return it;
}

/** One request that came over a socket. */
export interface RawRequest {
  readonly head: string;
  readonly id: number;
  readonly method: string;
}

/** Writes bytes in answer to a request. */
export type RawReply = (socket: Socket, request: RawRequest) => void;

export interface RawServer extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly RawRequest[];
}

/** An HTTP answer of one JSON text, as a well-behaved server writes it. */
export function httpJson(text: string, status = '200 OK', headers = ''): string {
  const length = Buffer.byteLength(text);
  return `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n${headers}\r\n${text}`;
}

/** The text of a JSON-RPC answer. */
export const answerText = (id: number, result: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });

const discovery = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' };

/** Plays a server on a socket that discovers well and answers everything else with the bytes of `reply`. */
export async function startRawServer(reply: RawReply, discovers = true): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const received: RawRequest[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let held = '';
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (chunk) => {
      held += chunk.toString('latin1');
      for (;;) {
        const end = held.indexOf('\r\n\r\n');
        if (end < 0) return;
        const head = held.slice(0, end);
        const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
        if (held.length < end + 4 + length) return;
        const body = held.slice(end + 4, end + 4 + length);
        held = held.slice(end + 4 + length);
        const { id = -1, method = '' } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
        const request = { head, id, method };
        received.push(request);
        if (discovers && method === 'server/discover') socket.write(httpJson(answerText(id, discovery)));
        else reply(socket, request);
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return closeAfterwards({
    url: `http://127.0.0.1:${port}/mcp`,
    received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  });
}

/** A client of a server that answers everything but the discovery with the bytes of `reply`. */
export async function reachRaw(
  reply: RawReply,
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly server: RawServer }> {
  const server = await startRawServer(reply);
  const client = await connect(server.url, {
    ...impatient,
    startTimeoutMs: 5_000,
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  return { client: closeAfterwards(client), server };
}

/** Calls `write` every few milliseconds until the socket is gone. */
export function repeatedly(socket: Socket, write: () => void, everyMs = 10): void {
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer);
    else write();
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}
