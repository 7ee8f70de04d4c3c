import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, connect as connectByPlatform } from '../../src/index.ts';
import { connect, type NodeConnectOptions } from '../../src/node/index.ts';
import { failure } from '../expect-failure.ts';
import { canMakeCertificates, makeAuthority } from './certificates.ts';

const endings: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Writes one piece after the other, each when the one before has gone out on its own. */
type Answering = (socket: Socket, answer: string) => void;

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n';
const PROCESSING = 'HTTP/1.1 102 Processing\r\n\r\n';

/** Sends each piece in a packet of its own. */
function inPieces(socket: Socket, pieces: readonly string[]): void {
  const [first, ...rest] = pieces;
  if (first === undefined) return;
  socket.write(first, 'latin1', () => void setImmediate(() => inPieces(socket, rest)));
}

/** A server that reads requests by their length and answers each with discovery, an empty list or a tool's text. */
async function startRaw(
  answering: Answering,
  tls?: { readonly cert: string; readonly key: string },
  content = CONTINUE,
): Promise<string> {
  const sockets = new Set<Socket>();
  const onSocket = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true).on('error', () => undefined);
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
      const [head, ...bodies] = received.split('\r\n\r\n');
      const body = bodies.join('\r\n\r\n');
      if (head === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Infinity)) return;
      received = '';
      answering(socket, answerTo(JSON.parse(body) as { readonly id: number }, content));
    });
  };
  const server = tls === undefined ? createServer(onSocket) : createTlsServer(tls, onSocket);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  endings.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

/** The text of the answer holds an interim response, which is no such thing there. */
function answerTo({ id }: { readonly id: number }, text: string): string {
  const result = {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    tools: [],
    content: [{ type: 'text', text }],
    ttlMs: 0,
    cacheScope: 'private',
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id, result });
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

async function reach(url: string, options: NodeConnectOptions = {}): Promise<Client> {
  const client = await connect(url, { name: 'depot', baseEnv: {}, ...options });
  endings.push(() => client.close());
  return client;
}

/** Three calls one after the other, so that the socket is used again. */
async function callThrice(client: Client): Promise<unknown[]> {
  const texts: unknown[] = [];
  for (let count = 0; count < 3; count += 1) texts.push((await client.callTool('x')).content[0]);
  return texts;
}

describe('interim responses', () => {
  it.each<[string, Answering]>([
    ['100 before the answer', (socket, answer) => void socket.write(CONTINUE + answer)],
    ['100 in a packet of its own', (socket, answer) => inPieces(socket, [CONTINUE, answer])],
    ['102, 103 and 100 twice', (socket, answer) => inPieces(socket, [PROCESSING, HINTS + CONTINUE, CONTINUE, answer])],
    [
      '100 that comes byte by byte',
      (socket, answer) => inPieces(socket, [...CONTINUE, ...answer.slice(0, 40), answer.slice(40)]),
    ],
    ['none', (socket, answer) => inPieces(socket, [answer.slice(0, 9), answer.slice(9)])],
  ])('are passed over: %s', async (_what, answering) => {
    const client = await reach(await startRaw(answering));
    const text = { type: 'text', text: CONTINUE };
    expect(await callThrice(client)).toEqual([text, text, text]);
  });

  it.each([0, 15_000, 17_000, 100_000, 1_000_000])('are passed over before an answer of %i bytes', async (length) => {
    const text = 'x'.repeat(length);
    for (const interim of [CONTINUE, HINTS + CONTINUE.repeat(800)]) {
      const url = await startRaw((socket, answer) => void socket.write(interim + answer), undefined, text);
      const client = await reach(url);
      expect((await client.callTool('x')).content).toEqual([{ type: 'text', text }]);
    }
  });

  it('are not looked for within an answer', async () => {
    const url = await startRaw((socket, answer) => {
      const [, json = ''] = answer.split('\r\n\r\n');
      const pieces = [':', CONTINUE, `data: ${json}\n\n`];
      const { length } = pieces.join('');
      inPieces(socket, [
        `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${length}\r\n\r\n`,
        ...pieces,
      ]);
    });
    expect(await callThrice(await reach(url))).toHaveLength(3);
  });

  it('that never end are bounded by the deadline, and a head without an end is refused', async () => {
    const endless = await startRaw((socket) => {
      const again = (): void => void (socket.writable && socket.write(CONTINUE, () => setImmediate(again)));
      again();
    });
    expect((await failure(reach(endless, { startTimeoutMs: 300 }))).code).toBe('timeout');
    const headless = await startRaw((socket) => void socket.write(`HTTP/1.1 103 Early\r\nx: ${'x'.repeat(20_000)}`));
    expect((await failure(reach(headless))).code).toBe('closed');
  });

  it('of 101 are none: the call ends', async () => {
    const url = await startRaw((socket) => void socket.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n'));
    expect((await failure(reach(url))).code).toBe('closed');
  });
});

it('an interim 100 that a fetch function does not pass over is named', async () => {
  const url = await startRaw((socket, answer) => void socket.write(CONTINUE + answer));
  const error = await failure(connectByPlatform(url, { name: 'depot' }));
  expect(error.code).toBe('closed');
  expect(error.message).toMatch(/HTTP 100 \(Continue\) came.*@switchyard\/client\/node/);
});

describe.skipIf(!canMakeCertificates)('interim responses over TLS', () => {
  it('are passed over', async () => {
    const { ca, server } = makeAuthority();
    const url = await startRaw((socket, answer) => inPieces(socket, [CONTINUE, answer]), server);
    expect(await callThrice(await reach(url, { tls: { ca } }))).toHaveLength(3);
  });
});
