import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execPath } from 'node:process';
import { text } from 'node:stream/consumers';

import { describe, expect, it, onTestFinished } from 'vitest';

import { openRawConnection, type RawConnection, type RawConnectionLimits } from '../../src/index.ts';
import { mirroredHeaders } from '../../src/raw/modern-message.ts';

const request = { jsonrpc: '2.0', id: 7, method: 'tools/list' };
const answer = { jsonrpc: '2.0', id: 7, result: { resultType: 'complete' } };

async function overHttp(
  serve: (request: IncomingMessage, response: ServerResponse, body: string) => void,
  limits: RawConnectionLimits = {},
): Promise<RawConnection> {
  const server = createServer(
    (incoming, response) => void text(incoming).then((body) => serve(incoming, response, body)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return closing(await openRawConnection({ url, headers: { 'x-own': 'own' } }, limits));
}

/** A connection to a program whose text is given; `answer` is the response as a line. */
async function overStdio(program: string, limits: RawConnectionLimits = {}): Promise<RawConnection> {
  const head = `const answer = ${JSON.stringify(JSON.stringify(answer))};`;
  return closing(await openRawConnection({ command: execPath, args: ['-e', head + program] }, limits));
}

function closing(connection: RawConnection): RawConnection {
  onTestFinished(() => connection.close());
  return connection;
}

const onRequest = (code: string): string => `process.stdin.once('data', () => { ${code} });`;

it('leaves the header out for a name that no header can carry, and sends the rest', () => {
  const headers = mirroredHeaders({ method: 'tools/call', params: { name: 'a\ud800' } });
  expect(headers).toMatchObject({ 'mcp-method': 'tools/call' });
  expect(headers).not.toHaveProperty('mcp-name');
});

describe('a connection over HTTP', () => {
  it('sends exactly the message and the headers, and shows the status, the headers and the response', async () => {
    const seen: { body: string; own: unknown; method: unknown; version: unknown }[] = [];
    const connection = await overHttp(({ headers }, response, body) => {
      seen.push({
        body,
        own: headers['x-own'],
        method: headers['mcp-method'],
        version: headers['mcp-protocol-version'],
      });
      response.writeHead(418, { 'content-type': 'application/json', 'x-seen': 'yes' }).end(JSON.stringify(answer));
    });
    const shown = await connection.send(request, { headers: { 'mcp-method': 'another' } });
    expect(seen).toEqual([{ body: JSON.stringify(request), own: 'own', method: 'another', version: undefined }]);
    expect(shown).toMatchObject({ status: 418, response: answer, received: [answer], stray: [] });
    expect(shown.headers?.['x-seen']).toBe('yes');
  });

  it.each(['http://mira:hunter2@127.0.0.1:9/mcp', 'http://hunter2@127.0.0.1:9/mcp?token=hunter2'])(
    'refuses a user or a password in a URL, and shows none of it: %s',
    async (url) => {
      const connection = closing(await openRawConnection({ url }));
      const error: unknown = await connection.send(request).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'RawConnectionError', code: 'unreachable' });
      expect(String(error)).toContain('send a header');
      expect(String(error)).not.toContain('hunter2');
    },
  );

  it('shows every message of a stream up to the response, however its bytes are split', async () => {
    const before = { jsonrpc: '2.0', method: 'notifications/progress', params: { message: 'ü 鯨' } };
    const own = { jsonrpc: '2.0', id: 'own', method: 'roots/list' };
    const stream = [before, own, answer, { jsonrpc: '2.0', id: 8, result: {} }]
      .map((message) => `: note\ndata: ${JSON.stringify(message)}\n\n`)
      .join('');
    const connection = await overHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const byte of Buffer.from(stream)) response.write(Buffer.of(byte));
      response.end();
    });
    expect((await connection.send(request)).received).toEqual([before, own, answer]);
  });

  it('does not wait for a stream to end that has brought the response', async () => {
    const connection = await overHttp((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(`data: ${JSON.stringify(answer)}\n\n`);
    });
    expect((await connection.send(request)).response).toEqual(answer);
  });

  it('shows what is no message as such, and follows no redirect', async () => {
    const connection = await overHttp((_request, response) => {
      response.writeHead(302, { location: '/elsewhere', 'content-type': 'text/html' }).end('<p>moved</p>');
    });
    expect(await connection.send(request)).toMatchObject({
      status: 302,
      response: undefined,
      received: [],
      stray: ['<p>moved</p>'],
    });
  });

  it('shows the head of a request without a body, and leaves its stream alone', async () => {
    const connection = await overHttp(({ method }, response) => {
      response.writeHead(method === 'GET' ? 200 : 405, { 'content-type': 'text/event-stream' });
      if (method === 'GET') response.write(': open\n\n');
      else response.end();
    });
    expect([(await connection.head?.('GET'))?.status, (await connection.head?.('DELETE'))?.status]).toEqual([200, 405]);
  });

  it.each<[string, Parameters<typeof overHttp>[0], string]>([
    ['timeout', () => undefined, 'did not answer tools/list within 200 ms'],
    ['too-large', (_request, response) => void response.end('x'.repeat(2_000)), 'more than 1000 bytes'],
    ['unreachable', ({ socket }) => void socket.destroy(), 'cannot be reached for tools/list'],
  ])('gives up with %s', async (code, serve, message) => {
    const connection = await overHttp(serve, { timeoutMs: 200, maxBytes: 1_000 });
    await expect(connection.send(request)).rejects.toMatchObject({
      name: 'RawConnectionError',
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  it('gives up when it is told to', async () => {
    const connection = await overHttp(() => undefined);
    await expect(connection.send(request, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a connection over stdio', () => {
  it('shows every message up to the response, and what is no message', async () => {
    const connection = await overStdio(
      onRequest(
        `console.log('Server ready'); console.log('{"jsonrpc":"2.0","method":"notifications/message"}'); console.log(answer);`,
      ),
    );
    expect(await connection.send(request)).toEqual({
      received: [{ jsonrpc: '2.0', method: 'notifications/message' }, answer],
      response: answer,
      stray: ['Server ready'],
      chars: expect.any(Number) as number,
    });
  });

  it('gives up when it is told to, before or after it was asked', async () => {
    const connection = await overStdio(onRequest(''), { timeoutMs: 60_000 });
    await expect(connection.send(request, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'closed' });
    const controller = new AbortController();
    const sent = connection.send(request, { signal: controller.signal });
    controller.abort();
    await expect(sent).rejects.toMatchObject({ code: 'closed' });
  });

  it('keeps what the program wrote to stderr', async () => {
    const connection = await overStdio(onRequest(`process.stderr.write('no licence\\n', () => console.log(answer));`));
    await connection.send(request);
    await connection.close();
    expect(connection.lastWords()).toEqual(['no licence']);
  });

  it.each<[string, string, string]>([
    ['timeout', onRequest(''), 'did not answer tools/list within 500 ms'],
    ['closed', onRequest('process.exit(3);'), 'ended before it answered'],
    ['too-large', onRequest(`console.log('x'.repeat(5000));`), 'more than 1000 bytes'],
  ])('gives up with %s', async (code, program, message) => {
    const connection = await overStdio(program, { timeoutMs: 500, maxBytes: 1_000 });
    await expect(connection.send(request)).rejects.toMatchObject({
      name: 'RawConnectionError',
      code,
      message: expect.stringContaining(message) as string,
    });
  });

  it('ends the program when it is closed, also where that ignores the end of its input', async () => {
    const connection = await overStdio(
      `setInterval(() => undefined, 1000); ${onRequest(`console.log(JSON.stringify({ jsonrpc: '2.0', id: 7, result: { pid: process.pid } }));`)}`,
    );
    const { response = {} } = await connection.send(request);
    const { pid } = response['result'] as { readonly pid: number };
    await connection.close();
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
  });
});
