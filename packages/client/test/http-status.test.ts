import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { connect } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import { discovered, sendError, sendJson, startHttpServer } from './scripted-http-server.ts';
import { closeAfterwards, serve, stream, warnings } from './serve-http.ts';

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
      // Who answers 500 or 502 may have done what was asked, or handed it on.
      const code = status === 500 || status === 502 ? 'outcome-unknown' : 'http-status';
      expect(error).toMatchObject({ code, status, server: 'depot' });
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

  it('is told without a part of a credential that a redactor takes for the whole', async () => {
    const { client } = await serve(
      (_request, response) => {
        response.writeHead(400, { 'www-authenticate': 'Bearer realm="x", token=ab,cd;qqqq-4711' });
        response.end('password=ab,cd;qqqq-4711 is wrong');
      },
      { headers: { 'x-key': 'ab,cd;qqqq-4711' } },
    );
    const { message, challenge } = await failure(client.callTool('x'));
    expect(message).toContain('password=[redacted] is wrong');
    expect(`${message}${challenge}`).not.toContain('4711');
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
    closeAfterwards(server);
    const url = new URL(server.url);
    url.search = '?key=in-the-url&other=half%2Fof-it';
    const client = await connect(url, { headers, onWarning: (warning) => warnings.push(warning) });
    closeAfterwards(client);
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
    closeAfterwards(server);
    const client = await connect(server.url, { startTimeoutMs: 5000 });
    closeAfterwards(client);
    expect(client.era).toBe('legacy');
  });

  it.each([401, 403, 429])('%i whose body never ends counts, with what it says beside that', async (status) => {
    const { client } = await serve(
      (_request, response) => {
        response.writeHead(status, { 'www-authenticate': 'Bearer', 'retry-after': '90' });
        response.write('x');
      },
      { timeoutMs: 10_000 },
    );
    const error = await failure(client.callTool('x'));
    expect(error).toMatchObject({ status, challenge: 'Bearer', retryAfterMs: 90_000, mayHaveRun: false });
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
    expect(await failure(client.callTool('x'))).toMatchObject({ code: 'outcome-unknown', status: 500 });
  });

  it.each([202, 204])('%i is no answer to a request, so that of a tool call is lost', async (status) => {
    const { client } = await serve((_request, response) => {
      response.writeHead(status);
      response.end();
    });
    expect((await failure(client.callTool('x'))).code).toBe('outcome-unknown');
    expect((await failure(client.listTools())).code).toBe('invalid-response');
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
