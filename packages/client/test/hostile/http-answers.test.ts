import { gzipSync } from 'node:zlib';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ClientErrorCode, ConnectOptions } from '../../src/index.ts';
import { expectAccepted, growthDuring, expectPeerError, expectRefused } from './outcome.ts';
import { answerText, httpJson, type RawReply, reachRaw, repeatedly, warnings } from './raw-server.ts';

const lost: readonly ClientErrorCode[] = ['closed', 'outcome-unknown', 'connect-failed'];
const late: readonly ClientErrorCode[] = ['timeout'];
const invalid: readonly ClientErrorCode[] = ['invalid-response'];
const status: readonly ClientErrorCode[] = ['http-status'];

const good = { content: [{ type: 'text', text: 'right' }] };
const head = (fields: string, line = '200 OK'): string => `HTTP/1.1 ${line}\r\n${fields}\r\n\r\n`;
const json = (text: string) => httpJson(text);
const write =
  (text: string | Buffer, end = false): RawReply =>
  (socket) => {
    socket.write(text);
    if (end) socket.end();
  };
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const sse = head('content-type: text/event-stream\r\ntransfer-encoding: chunked');

type Row = [name: string, reply: RawReply, codes: readonly ClientErrorCode[], options?: ConnectOptions];

const hostile: readonly Row[] = [
  ['never answers', () => undefined, late],
  ['answers with bytes that are no HTTP', write('\u0000\u0001\u0002garbage\r\n\r\n', true), lost],
  ['answers with TLS', write(Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x28]), true), lost],
  ['closes the connection', (socket) => socket.destroy(), lost],
  ['resets the connection', (socket) => socket.resetAndDestroy(), lost],
  ['stops after the status line', write('HTTP/1.1 200 OK\r\n'), late],
  ['stops in the middle of its headers', write('HTTP/1.1 200 OK\r\ncontent-type: appl'), late],
  ['sends no end of headers', (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: b\r\n'), [...lost, ...late]],
  ['sends a header of 1 MB', write(head(`x-a: ${'b'.repeat(1_000_000)}`), true), lost],
  [
    'goes on with 100-continue',
    (socket) => repeatedly(socket, () => socket.write('HTTP/1.1 100 Continue\r\n\r\n')),
    [...late, ...lost],
  ],
  [
    'stops in the middle of its body',
    write(`${head('content-type: application/json\r\ncontent-length: 500')}{"jsonrpc"`),
    late,
  ],
  [
    'closes in the middle of its body',
    write(`${head('content-type: application/json\r\ncontent-length: 500')}{"jsonrpc"`, true),
    lost,
  ],
  ['sends one byte at a time, too slowly', (socket, { id }) => drip(socket, json(answerText(id, good))), late],
  [
    'sends a chunked body that never ends',
    (socket) =>
      flood(socket, head('content-type: application/json\r\ntransfer-encoding: chunked'), chunk(' '.repeat(1_000))),
    ['timeout', 'too-large'],
    { maxMessageBytes: 1_000_000 },
  ],
  [
    'sends a chunk size that is none',
    write(`${head('content-type: application/json\r\ntransfer-encoding: chunked')}zz\r\n{}\r\n`, true),
    lost,
  ],
  [
    'promises a negative length',
    write(head('content-type: application/json\r\ncontent-length: -5'), true),
    [...lost, ...invalid],
  ],
  [
    'sends two lengths',
    write(`${head('content-type: application/json\r\ncontent-length: 2\r\ncontent-length: 3')}{}`, true),
    [...lost, ...invalid],
  ],
  ['sends an empty body', write(httpJson('')), lost],
  ['answers 204 to a request', write('HTTP/1.1 204 No Content\r\n\r\n'), lost],
  ['answers 202 to a request', write('HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n'), lost],
  ['sends HTML with 200', write(`${head('content-type: text/html\r\ncontent-length: 13')}<h1>Login</h1`), invalid],
  [
    'sends HTML with 502',
    write(`${head('content-type: text/html\r\ncontent-length: 13', '502 Bad Gateway')}<h1>Proxy</h1`),
    [...status, ...lost],
  ],
  ['sends an image', write(`${head('content-type: image/png\r\ncontent-length: 4')}\u0089PNG`), invalid],
  ['says a media type of 5 KB', write(`${head(`content-type: ${'x'.repeat(5_000)}\r\ncontent-length: 2`)}{}`), invalid],
  [
    'sends what is no UTF-8',
    write(
      Buffer.concat([
        Buffer.from(head('content-type: application/json\r\ncontent-length: 4')),
        Buffer.from([0x22, 0xff, 0xfe, 0x22]),
      ]),
    ),
    invalid,
  ],
  ['sends half of a JSON text', write(json('{"jsonrpc":"2.0","id":2,"resu')), lost],
  ['sends a JSON text that is no message', write(json('"ok"')), invalid],
  ['sends an array', write(json('[]')), invalid],
  ['sends a batch', (socket, { id }) => socket.write(json(`[${answerText(id, good)}]`)), invalid],
  ['sends an answer to somebody else', (socket, { id }) => socket.write(json(answerText(id + 1_000, good))), invalid],
  [
    'sends its id as a text',
    (socket, { id }) => socket.write(json(answerText(id, good).replace(`"id":${id}`, `"id":"${id}"`))),
    invalid,
  ],
  [
    'sends both members',
    (socket, { id }) => socket.write(json(`{"jsonrpc":"2.0","id":${id},"result":{},"error":{"code":1,"message":"x"}}`)),
    invalid,
  ],
  [
    'sends a result that is null',
    (socket, { id }) => socket.write(json(`{"jsonrpc":"2.0","id":${id},"result":null}`)),
    invalid,
  ],
  [
    'sends an error without a code',
    (socket, { id }) => socket.write(json(`{"jsonrpc":"2.0","id":${id},"error":{"message":"x"}}`)),
    invalid,
  ],
  [
    'sends its own request for an answer',
    (socket, { id }) =>
      socket.write(json(`{"jsonrpc":"2.0","id":${id},"method":"sampling/createMessage","params":{}}`)),
    invalid,
  ],
  ['compresses a bomb that nobody asked for', gzipBomb, [...invalid, 'too-large'], { maxMessageBytes: 1_000_000 }],
  [
    'says an encoding that there is none of',
    write(`${head('content-type: application/json\r\ncontent-encoding: snake\r\ncontent-length: 2')}{}`),
    [...invalid, ...lost],
  ],
  [
    'redirects to another origin',
    write('HTTP/1.1 307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/steal\r\ncontent-length: 0\r\n\r\n'),
    status,
  ],
  [
    'redirects to itself for ever',
    write('HTTP/1.1 308 Permanent Redirect\r\nlocation: /mcp\r\ncontent-length: 0\r\n\r\n'),
    status,
  ],
  [
    'redirects to a script',
    write('HTTP/1.1 302 Found\r\nlocation: javascript:alert(1)\r\ncontent-length: 0\r\n\r\n'),
    status,
  ],
  [
    'wants to switch protocols',
    write('HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    [...lost, ...status, ...late],
  ],
  [
    'sends an error page that never ends',
    (socket) =>
      flood(
        socket,
        head('content-type: text/html\r\ntransfer-encoding: chunked', '500 Oops'),
        chunk('<p>'.repeat(400)),
      ),
    [...status, ...late, ...lost],
  ],
  [
    'hides control characters in a status page',
    write(
      `${head('content-type: text/plain\r\ncontent-length: 20', '500 Oops')}\u001b[31m\u0007\u0008evil page…`,
      true,
    ),
    [...status, ...lost],
  ],
  [
    'sends comments without end',
    (socket) => (socket.write(sse), repeatedly(socket, () => socket.write(chunk(': still here\n\n')))),
    late,
  ],
  [
    'sends an event that is cut off',
    write(`${sse}${chunk('data: {"jsonrpc":"2.0"')}0\r\n\r\n`, true),
    [...lost, ...invalid],
  ],
  ['sends an event without end', write(`${sse}${chunk('data: {"jsonrpc":"2.0"')}`), late],
  [
    'sends a line of 5 MB in a stream',
    (socket) => flood(socket, `${sse}${chunk('data: ')}`, chunk('x'.repeat(10_000)), 600),
    ['too-large'],
    { maxMessageBytes: 1_000_000 },
  ],
  [
    'sends 20,000 data lines in one event',
    (socket) => flood(socket, sse, chunk(`data: ${'x'.repeat(100)}\n`)),
    ['too-large', 'timeout'],
    { maxMessageBytes: 1_000_000 },
  ],
  ['ends its stream without an answer', write(`${sse}${chunk('data:\n\n')}0\r\n\r\n`), [...lost, ...invalid]],
  [
    'sends junk in a stream, and no answer',
    write(`${sse}${chunk('data: hello\n\ndata: 7\n\ndata: []\n\n')}0\r\n\r\n`),
    [...lost, ...invalid],
  ],
  [
    'sends only notifications in a stream',
    (socket) => (
      socket.write(sse),
      repeatedly(socket, () => socket.write(chunk('data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n')), 1)
    ),
    late,
  ],
  [
    'sends progress for ever',
    (socket, { id }) => (
      socket.write(sse),
      repeatedly(socket, () =>
        socket.write(
          chunk(
            `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${id},"progress":1}}\n\n`,
          ),
        ),
      )
    ),
    late,
  ],
];

function drip(socket: Socket, text: string): void {
  let at = 0;
  repeatedly(socket, () => socket.write(text[at++] ?? ''), 30);
}

function flood(socket: Socket, first: string, again: string, count = 20_000): void {
  socket.write(first);
  let left = count;
  const pump = (): void => {
    while (left > 0 && !socket.destroyed) {
      left -= 1;
      if (!socket.write(again)) return void socket.once('drain', pump);
    }
  };
  pump();
}

/** 100 MB of spaces in a hundred kilobytes. */
const bomb = gzipSync(Buffer.alloc(100_000_000, ' '));

function gzipBomb(socket: Socket): void {
  socket.write(head(`content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}`));
  socket.write(bomb);
}

describe('a server on HTTP that', () => {
  it.each<Row>(hostile)(
    '%s fails the call in time, by name, and nothing else',
    async (_name, reply, codes, options = {}) => {
      let isHostile = true;
      const { client } = await reachRaw((socket, request) => {
        if (isHostile) reply(socket, request);
        else socket.write(httpJson(answerText(request.id, good)));
      }, options);
      const growth = await growthDuring(() => expectRefused(client.callTool('t'), codes[0] ?? 'closed', ...codes));
      expect(growth).toBeLessThan(64 * 1024 * 1024);
      isHostile = false;
      expect(await expectAccepted(client.callTool('t', {}, { timeoutMs: 2_000, maxTimeoutMs: 2_000 }))).toMatchObject(
        good,
      );
    },
  );

  it('ends its answer at any byte fails the call each time', async () => {
    let cut = 0;
    const { client } = await reachRaw((socket, { id }) => {
      socket.end(json(answerText(id, { content: [] })).slice(0, cut));
    });
    const whole = json(answerText(2, { content: [] })).length;
    for (cut = 0; cut < whole; cut += 1) await expectRefused(client.callTool('t'), 'closed', ...lost, ...invalid);
  });

  it('says 401 with a challenge of control characters is refused with a clean one', async () => {
    const { client } = await reachRaw(
      write('HTTP/1.1 401 No\r\nwww-authenticate: Bearer realm="\u0007evil"\r\ncontent-length: 0\r\n\r\n', true),
    );
    await expectRefused(client.callTool('t'), 'unauthorized', ...lost);
  });

  it('redirects gets no credential to the other place', async () => {
    const other = await reachRaw(() => undefined);
    const headers = { authorization: 'Bearer abcdefghijklmnop' };
    const { client } = await reachRaw(
      write(`HTTP/1.1 307 Moved\r\nlocation: ${other.server.url}\r\ncontent-length: 0\r\n\r\n`),
      { headers },
    );
    const before = other.server.received.length;
    const error = await expectRefused(client.callTool('t'), 'http-status');
    expect(other.server.received).toHaveLength(before);
    expect(error.message).not.toContain('abcdefghijklmnop');
  });

  it('says a credential back has it masked', async () => {
    const headers = { authorization: 'Bearer abcdefghijklmnop' };
    const { client } = await reachRaw(
      (socket, { id }) =>
        socket.write(
          json(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32000,"message":"you sent abcdefghijklmnop"}}`),
        ),
      { headers },
    );
    expect((await expectPeerError(client.callTool('t'), -32000)).message).not.toContain('abcdefghijklmnop');
  });

  it('sends cookies and session ids to a modern client gets none of them back', async () => {
    const { client, server } = await reachRaw((socket, { id }) =>
      socket.write(httpJson(answerText(id, good), '200 OK', 'set-cookie: a=b\r\nmcp-session-id: evil\r\n')),
    );
    await expectAccepted(client.callTool('t'));
    await expectAccepted(client.callTool('t'));
    for (const { head: sent } of server.received) expect(sent).not.toMatch(/cookie|mcp-session-id/i);
  });

  it('answers twice in one stream is heard once', async () => {
    const { client } = await reachRaw((socket, { id }) => {
      const [first, second] = ['first', 'second'].map((text) => answerText(id, { content: [{ type: 'text', text }] }));
      socket.write(`${sse}${chunk(`data: ${first}\n\ndata: ${second}\n\n`)}0\r\n\r\n`);
    });
    expect(await expectAccepted(client.callTool('t'))).toMatchObject({ content: [{ text: 'first' }] });
  });

  it('sends junk before the answer in a stream is heard, with warnings', async () => {
    const { client } = await reachRaw((socket, { id }) => {
      const data = ['hello', '{"jsonrpc":"2.0","id":99,"result":{}}', answerText(id, good)];
      socket.write(`${sse}${chunk(data.map((text) => `data: ${text}\n\n`).join(''))}0\r\n\r\n`);
    });
    expect(await expectAccepted(client.callTool('t'))).toMatchObject(good);
    expect(warnings.map(({ code }) => code)).toEqual(['junk-output', 'unmatched-response']);
    for (const { message } of warnings) expect(message).toContain('"depot"');
  });
});
