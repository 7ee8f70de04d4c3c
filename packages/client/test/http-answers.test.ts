import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { CallToolResult } from '@switchyard/protocol';
import type { Client, ClientWarning, ConnectOptions } from '../src/index.ts';
import { connect } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import {
  discovered,
  type Received,
  said,
  type ScriptedHttpServer,
  sendError,
  sendJson,
  sendResult,
  startHttpServer,
} from './scripted-http-server.ts';

const open: AsyncDisposable[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

/** A modern server whose tools/call is answered by `reply`. */
async function serve(
  reply: (request: Received, response: ServerResponse) => void | Promise<void>,
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly server: ScriptedHttpServer }> {
  const server = await startHttpServer((request, response) => {
    if (!discovered(request, response)) return reply(request, response);
  });
  open.push(server);
  const client = await connect(server.url, {
    name: 'depot',
    onWarning: (warning) => warnings.push(warning),
    ...options,
  });
  open.push(client);
  return { client, server };
}

function textOf(result: CallToolResult): string {
  const [block] = result.content;
  return block?.type === 'text' ? block.text : '';
}

const answerTo = ({ message }: Received, text = 'right'): string =>
  JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { resultType: 'complete', ...said(text) } });

function stream(response: ServerResponse, type = 'text/event-stream'): void {
  response.writeHead(200, { 'content-type': type });
}

describe('an event stream', () => {
  it.each([
    ['LF', '\n'],
    ['CR', '\r'],
    ['CRLF', '\r\n'],
  ])('[HTTP-13] [http-01] may end its lines in %s', async (_name, end) => {
    const { client } = await serve((request, response) => {
      stream(response);
      response.end(`event: message${end}data: ${answerTo(request)}${end}${end}`);
    });
    expect(textOf(await client.callTool('x'))).toBe('right');
  });

  it('[HTTP-19] [http-04] may hold comments, priming events, other types and empty data, which are ignored', async () => {
    const { client } = await serve((request, response) => {
      stream(response);
      for (const chunk of [
        'id: s1:0\nretry: 2500\ndata: \n\n',
        ':\r\n',
        ': ping - 12:00\n\n',
        'event: ping\ndata: {}\n\n',
      ]) {
        response.write(chunk);
      }
      response.end(`data: ${answerTo(request)}\n\n`);
    });
    expect(textOf(await client.callTool('x'))).toBe('right');
    expect(warnings).toEqual([]);
  });

  it.each([1000, 1])('[http-03] may come in chunks of %i bytes, with characters cut in two', async (size) => {
    const text = 'é'.repeat(size === 1 ? 300 : 9000);
    const { client } = await serve(async (request, response) => {
      stream(response);
      response.socket?.setNoDelay(true);
      const bytes = Buffer.from(`data:${answerTo(request, text)}\n\n`);
      for (let at = 0; at < bytes.length; at += size) {
        await new Promise((resolve) => {
          response.write(bytes.subarray(at, at + size), resolve);
        });
      }
      response.end();
    });
    expect(textOf(await client.callTool('x'))).toBe(text);
  });

  it('may spread one message over several data lines, and end without a blank line', async () => {
    const { client } = await serve((request, response) => {
      stream(response);
      response.end(`data: {"jsonrpc":"2.0",\ndata: "id":${request.message.id},"result":{"content":[]}}`);
    });
    expect(await client.callTool('x')).toEqual({ resultType: 'complete', content: [] });
  });

  it('may hold junk, foreign answers and broken messages, which are reported', async () => {
    const { client } = await serve((request, response) => {
      stream(response);
      response.write('data: not json\n\n');
      response.write('data: {"jsonrpc":"2.0","id":4711,"result":{}}\n\n');
      response.write('data: {"jsonrpc":"2.0","id":"x","method":"ping"}\n\n');
      response.write('data: {"jsonrpc":"2.0","method":5}\n\n');
      response.end(`data: ${answerTo(request)}\n\n`);
    });
    expect(textOf(await client.callTool('x'))).toBe('right');
    const codes = ['junk-output', 'unmatched-response', 'unexpected-request', 'invalid-message'];
    expect(warnings.map(({ code }) => code)).toEqual(codes);
  });

  it('carries the progress and the log messages of its own request', async () => {
    const { client } = await serve((request, response) => {
      const progressToken = request.message.id;
      const notify = (method: string, params: object): void => {
        response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params })}\n\n`);
      };
      stream(response);
      notify('notifications/progress', { progressToken, progress: 1, total: 2 });
      notify('notifications/progress', { progressToken: 'foreign', progress: 2, total: 2 });
      notify('notifications/message', { level: 'warning', logger: 'disk', data: { free: 3 } });
      response.end(`data: ${answerTo(request)}\n\n`);
    });
    const seen: unknown[] = [];
    await client.callTool('x', {}, { onProgress: (it) => seen.push(it), onLog: (it) => seen.push(it) });
    expect(seen).toEqual([
      { progress: 1, total: 2 },
      { level: 'warning', logger: 'disk', data: { free: 3 } },
    ]);
  });

  it('carries other notifications to the client', async () => {
    const seen: string[] = [];
    const { client } = await serve(
      (request, response) => {
        stream(response);
        response.write('data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n');
        response.end(`data: ${answerTo(request)}\n\n`);
      },
      { onNotification: ({ method }) => seen.push(method) },
    );
    await client.callTool('x');
    expect(seen).toEqual(['notifications/tools/list_changed']);
  });

  it.each([
    ['without an event', ''],
    ['in the middle of the answer', 'data: {"jsonrpc":"2.0","id"'],
  ])('is an error when it ends %s', async (_name, body) => {
    const { client } = await serve((_request, response) => {
      stream(response);
      response.end(body);
    });
    const error = await failure(client.callTool('x'));
    expect(error).toMatchObject({ code: 'closed', server: 'depot' });
    expect(error.message).toContain('before its response');
  });

  it('is an error when its connection breaks', async () => {
    const { client } = await serve((_request, response) => {
      stream(response);
      response.write(': here\n\n', () => response.destroy());
    });
    expect((await failure(client.callTool('x'))).code).toBe('closed');
  });

  it('rejects the request whose answer on it breaks the protocol', async () => {
    const { client } = await serve((request, response) => {
      stream(response);
      response.end(
        `data: {"jsonrpc":"2.0","id":${request.message.id},"result":{},"error":{"code":1,"message":"x"}}\n\n`,
      );
    });
    expect((await failure(client.callTool('x'))).code).toBe('invalid-response');
  });

  it('may stay open after the answer without holding up anything', async () => {
    const { client } = await serve((request, response) => {
      stream(response);
      response.write(`data: ${answerTo(request)}\n\n`);
    });
    expect(textOf(await client.callTool('x'))).toBe('right');
    expect(textOf(await client.callTool('x'))).toBe('right');
  });

  it('is cut off when an event is over the limit, and the next call works', async () => {
    const { client } = await serve(
      (request, response) => {
        stream(response);
        const isBig = request.message.params?.['name'] === 'big';
        response.end(`data: ${answerTo(request, isBig ? 'q'.repeat(50_000) : 'small')}\n\n`);
      },
      { maxMessageBytes: 10_000 },
    );
    expect((await failure(client.callTool('big'))).code).toBe('too-large');
    expect(textOf(await client.callTool('x'))).toBe('small');
  });
});

describe('a JSON answer', () => {
  it.each(['application/json', 'Application/JSON; charset=utf-8', 'application/vnd.depot+json'])(
    'may have the media type %s',
    async (type) => {
      const { client } = await serve((request, response) => {
        response.writeHead(200, { 'content-type': type });
        response.end(answerTo(request));
      });
      expect(textOf(await client.callTool('x'))).toBe('right');
    },
  );

  it('[http-05] may lack a media type', async () => {
    const { client } = await serve((request, response) => {
      response.writeHead(200);
      response.end(answerTo(request));
    });
    expect(textOf(await client.callTool('x'))).toBe('right');
  });

  it('[http-05] is told from an event stream whatever the letter case', async () => {
    const { client } = await serve((request, response) => {
      stream(response, 'Text/Event-Stream;charset=UTF-8');
      response.end(`data: ${answerTo(request)}\n\n`);
    });
    expect(textOf(await client.callTool('x'))).toBe('right');
  });

  it('[http-05] is refused when it is a web page, which is named at once', async () => {
    const { client } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      // Not ended: the beginning says enough.
      response.write(`<title>Sign in to the lobby Wi-Fi</title>${' '.repeat(2000)}`);
    });
    const error = await failure(client.callTool('x'));
    expect(error.code).toBe('invalid-response');
    expect(error.message).toContain('text/html');
    expect(error.message).toContain('Sign in to the lobby Wi-Fi');
  });

  it.each([
    ['no JSON', 'oops'],
    ['a batch', '[{"jsonrpc":"2.0","id":2,"result":{}}]'],
    ['another id', '{"jsonrpc":"2.0","id":4711,"result":{}}'],
    ['the id as a string', '{"jsonrpc":"2.0","id":"2","result":{}}'],
    ['a notification', '{"jsonrpc":"2.0","method":"notifications/message"}'],
    ['result and error', '{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"x"}}'],
    ['an array as result', '{"jsonrpc":"2.0","id":2,"result":[]}'],
    ['a code that is no integer', '{"jsonrpc":"2.0","id":2,"error":{"code":"1","message":"x"}}'],
    ['nothing', ''],
  ])('is refused when it is %s', async (_name, body) => {
    const { client } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(body);
    });
    const error = await failure(client.callTool('x'));
    expect(error).toMatchObject({ code: 'invalid-response', server: 'depot' });
  });

  it('is not asked for in compressed form, and refused when it comes so', async () => {
    const { client, server } = await serve((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(answerTo(request)));
    });
    const error = await failure(client.callTool('x'));
    expect(error.code).toBe('invalid-response');
    expect(error.message).toContain('compressed (gzip)');
    expect(server.received.at(-1)?.headers['accept-encoding']).toBe('identity');
  });

  it('is refused when it is not UTF-8', async () => {
    const { client } = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]));
    });
    expect((await failure(client.callTool('x'))).code).toBe('invalid-response');
  });

  it.each([true, false])(
    'is not read when it is over the limit (with its length told: %s), and the next call works',
    async (told) => {
      const { client } = await serve(
        (request, response) => {
          const text = answerTo(request, request.message.params?.['name'] === 'big' ? 'q'.repeat(1_000_000) : 'small');
          response.writeHead(200, {
            'content-type': 'application/json',
            ...(told ? { 'content-length': String(Buffer.byteLength(text)) } : {}),
          });
          response.end(text);
        },
        { maxMessageBytes: 10_000 },
      );
      const error = await failure(client.callTool('big'));
      expect(error.code).toBe('too-large');
      expect(error.message).toContain('10000 bytes');
      expect(textOf(await client.callTool('x'))).toBe('small');
    },
  );

  it('[TOOL-23] [schema-11] hands on integers digit for digit when asked to', async () => {
    const { client } = await serve(
      (request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(
          `{"jsonrpc":"2.0","id":${request.message.id},"result":{"content":[],"structuredContent":{"id":9007199254740993}}}`,
        );
      },
      { exactIntegers: true },
    );
    expect((await client.callTool('x', { id: 1234567890123456789n })).structuredContent).toEqual({
      id: 9007199254740993n,
    });
  });
});

describe('an HTTP status', () => {
  it.each([
    [400, -32602],
    [404, -32601],
    [500, -32603],
    [200, -32602],
  ])('[HTTP-28] %i with a JSON-RPC error is that error', async (status, code) => {
    const { client } = await serve((request, response) => sendError(response, request, status, code, { hint: 1 }));
    await expect(client.callTool('x')).rejects.toMatchObject({
      name: 'ProtocolError',
      code,
      status,
      data: { hint: 1 },
    });
  });

  it.each([undefined, null])(
    '[LEGB-06] [jsonrpc-11] 400 with an error of id %s is the error of the request that got it',
    async (id) => {
      const { client } = await serve((_request, response) =>
        sendJson(
          response,
          { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: { code: -32600, message: 'no id' } },
          400,
        ),
      );
      await expect(client.callTool('x')).rejects.toMatchObject({ name: 'ProtocolError', code: -32600 });
    },
  );

  it('400 with the error of another request is a local error', async () => {
    const { client } = await serve((_request, response) =>
      sendJson(response, { jsonrpc: '2.0', id: 4711, error: { code: -32600, message: 'x' } }, 400),
    );
    expect(await failure(client.callTool('x'))).toMatchObject({ code: 'http-status', status: 400 });
  });

  it('401 asks for credentials and keeps the challenge, whatever the body says', async () => {
    const { client } = await serve((request, response) => {
      response.setHeader('www-authenticate', 'Bearer resource_metadata="https://depot.test/.well-known"');
      sendError(response, request, 401, -32001);
    });
    const error = await failure(client.callTool('x'));
    expect(error).toMatchObject({
      code: 'unauthorized',
      status: 401,
      challenge: expect.stringContaining('Bearer') as string,
    });
    expect(error.message).toContain('Authorization');
  });

  it.each([403, 404, 405, 429, 500, 502, 503])(
    '%i without an answer is a local error that quotes the body',
    async (status) => {
      const { client } = await serve((_request, response) => {
        response.writeHead(status, { 'content-type': 'text/html', 'retry-after': '30' });
        response.end('<h1>Out of order</h1>');
      });
      const error = await failure(client.callTool('x'));
      expect(error).toMatchObject({ code: 'http-status', status, server: 'depot' });
      expect(error.message).toContain('Out of order');
      expect(error.message).toContain('30');
    },
  );

  it.each([401, 404, 429, 503])('%i counts where its body is compressed or breaks off', async (status) => {
    const { client } = await serve(({ message }, response) => {
      const isCompressed = message.params?.['name'] === 'compressed';
      response.writeHead(status, isCompressed ? { 'content-encoding': 'gzip' } : { 'content-length': '100' });
      if (isCompressed) response.end(gzipSync('<title>Later</title>'));
      else response.write('<title>', () => response.destroy());
    });
    for (const name of ['compressed', 'broken']) {
      const error = await failure(client.callTool(name));
      expect(error).toMatchObject({ code: status === 401 ? 'unauthorized' : 'http-status', status });
    }
  });

  it('is told without the credentials that were sent, wherever the server says them back', async () => {
    const headers = { Authorization: 'Bearer qqqq-4711-zzzz', 'X-Depot': 'the red door' };
    const server = await startHttpServer((request, response) => {
      if (discovered(request, response)) return;
      const { authorization } = request.headers;
      const door = String(request.headers['x-depot']);
      const [, token] = authorization?.split(' ') ?? [];
      const texts: { [name: string]: string } = {
        whole: `${token} does not open ${door}, nor does ${request.url}`,
        cut: `${'.'.repeat(70)}${token}`,
        junk: `${token} ${door}`,
      };
      const name = String(request.message.params?.['name']);
      response.writeHead(name === 'junk' ? 200 : 400, { 'www-authenticate': `Bearer error="${token}"` });
      response.end(texts[name]);
    });
    open.push(server);
    const url = new URL(server.url);
    url.search = '?key=in-the-url&other=half%2Fof-it';
    const client = await connect(url, { headers, onWarning: (warning) => warnings.push(warning) });
    open.push(client);
    const told: string[] = [];
    for (const name of ['whole', 'cut', 'junk']) {
      const { message, challenge = '' } = await failure(client.callTool(name));
      told.push(message, challenge);
    }
    told.push(...warnings.map(({ message }) => message));
    expect(told.join('\n')).toContain('[redacted] does not open [redacted]');
    for (const part of ['qqqq', '4711', 'red door', 'in-the-url', 'of-it']) expect(told.join('\n')).not.toContain(part);
  });

  it('of 2xx settles a notification, whose body is not waited for', async () => {
    const server = await startHttpServer((request, response) => {
      const { id, method } = request.message;
      if (method === 'notifications/initialized') {
        stream(response);
        response.write(': never ends\n\n');
      } else if (method === 'initialize') {
        const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'x', version: '1' } };
        sendJson(response, { jsonrpc: '2.0', id, result });
      } else sendError(response, request, 400, -32601);
    });
    open.push(server);
    const client = await connect(server.url, { startTimeoutMs: 5000 });
    open.push(client);
    expect(client.era).toBe('legacy');
  });

  it('with an endless body is not read for ever', async () => {
    const { client } = await serve((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.on('error', () => undefined);
      const fill = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384)));
        if (!response.destroyed) response.once('drain', fill);
      };
      fill();
    });
    expect(await failure(client.callTool('x'))).toMatchObject({ code: 'http-status', status: 500 });
  });

  it.each([202, 204])('%i is no answer to a request', async (status) => {
    const { client } = await serve((_request, response) => {
      response.writeHead(status);
      response.end();
    });
    expect((await failure(client.callTool('x'))).code).toBe('invalid-response');
  });

  it.each([301, 302, 307, 308])('%i is not followed: no credential reaches another place', async (status) => {
    await using other = await startHttpServer((_request, response) => void response.end());
    const { client, server } = await serve(
      (_request, response) => {
        response.writeHead(status, { location: `${other.url}?token=abc` });
        response.end();
      },
      { headers: { authorization: 'Bearer secret-token' } },
    );
    const error = await failure(client.callTool('x'));
    expect(error).toMatchObject({ code: 'http-status', status });
    expect(error.message).toContain(other.url);
    expect(error.message).not.toContain('abc');
    expect(other.received).toEqual([]);
    expect(server.received.at(-1)?.headers.authorization).toBe('Bearer secret-token');
  });
});

describe('giving up a request', () => {
  it('[CAN-03] [HTTP-20] closes its stream and sends no notification', async () => {
    const gone = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const { client, server } = await serve((_request, response) => {
      stream(response);
      response.write(': working\n\n');
      response.once('close', () => gone.resolve());
      arrived.resolve();
    });
    const controller = new AbortController();
    const call = failure(client.callTool('x', {}, { signal: controller.signal }));
    await arrived.promise;
    controller.abort(new Error('the user closed the tab'));
    expect(await call).toMatchObject({ code: 'aborted', cause: { message: 'the user closed the tab' } });
    await gone.promise;
    expect(server.methods()).toEqual(['server/discover', 'tools/call']);
  });

  it('works before any answer has begun', async () => {
    const gone = Promise.withResolvers<void>();
    const { client } = await serve((_request, response) => {
      response.once('close', () => gone.resolve());
    });
    expect((await failure(client.callTool('x', {}, { timeoutMs: 100 }))).code).toBe('timeout');
    await gone.promise;
  });

  it('is what closing the client does to all', async () => {
    const arrived = Promise.withResolvers<void>();
    const { client } = await serve(() => arrived.resolve());
    const calls = [failure(client.callTool('a')), failure(client.callTool('b'))];
    await arrived.promise;
    await client.close();
    expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(['closed', 'closed']);
    expect((await failure(client.listTools())).code).toBe('closed');
  });
});

describe('a server out of reach', () => {
  it('is named without the credentials of its URL', async () => {
    const server = await startHttpServer(() => undefined);
    await server[Symbol.asyncDispose]();
    const url = server.url.replace('http://', 'http://admin:hunter2@');
    const error = await failure(connect(`${url}?key=s3cr3t#x`));
    expect(error).toMatchObject({ code: 'connect-failed', server: server.url });
    expect(error.message).toContain('ECONNREFUSED');
    expect(JSON.stringify([error.message, error.server, error.stack])).not.toMatch(/hunter2|s3cr3t|admin/);
  });

  it.each(['ftp://depot.test/mcp', 'nonsense', ''])(
    'is refused when its URL is %j, which is not repeated',
    async (url) => {
      const error = await failure(connect(url, { name: 'depot' }));
      expect(error.code).toBe('invalid-argument');
    },
  );

  it.each([
    [{ 'x y': '1' }, 'x y'],
    [{ 'x-key': 'secret\r\nx-admin: 1' }, 'x-key'],
  ])('is not asked with headers that HTTP cannot carry', async (headers, name) => {
    const error = await failure(connect('http://127.0.0.1:9/mcp', { name: 'depot', headers }));
    expect(error.code).toBe('invalid-argument');
    expect(error.message).toContain(name);
    expect(error.message).not.toContain('secret');
  });
});

it('answers 100 calls at once, each its own', async () => {
  const { client } = await serve((request, response) => {
    const text = (request.message.params as { arguments: { text: string } }).arguments.text;
    if (text.endsWith('0')) {
      stream(response);
      response.end(`data: ${answerTo(request, text)}\n\n`);
    } else sendResult(response, request, said(text));
  });
  const texts = Array.from({ length: 100 }, (_unused, index) => `call ${index}`);
  const results = await Promise.all(texts.map((text) => client.callTool('echo', { text })));
  expect(results.map(textOf)).toEqual(texts);
});

describe('a refusal whose body says why', () => {
  const error = (message: unknown): string =>
    JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message, data: { long: 'x'.repeat(100) } } });

  it.each<[string, number, string, string]>([
    [
      'a JSON-RPC error',
      403,
      error('The Host header names a stranger'),
      'It said: "The Host header names a stranger".',
    ],
    ['one with 401', 401, error('No token'), 'It said: "No token".'],
    ['what is no JSON-RPC error', 403, '{"error":"denied"}', 'It said: "{"error":"denied"}".'],
    ['one whose message is no text', 403, '{"error":{"message":7}}', 'It said: "{"error":{"message":7}}".'],
    ['a page', 403, '<h1>Forbidden</h1>', 'It said: "<h1>Forbidden</h1>".'],
  ])('is told with its message alone: %s', async (_what, status, body, said) => {
    const { client } = await serve((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body);
    });
    expect((await failure(client.callTool('x'))).message).toContain(said);
  });
});
