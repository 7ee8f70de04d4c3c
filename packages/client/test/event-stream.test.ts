import { describe, expect, it } from 'vitest';
import { failure } from './expect-failure.ts';
import { answerTo, serve, stream, textOf, warnings } from './serve-http.ts';

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

  it.each(['json', 'event stream', 'JSON with parameters'])('[HTTP-13] may be %s', async (form) => {
    const { client } = await serve((request, response) => {
      if (form === 'event stream') stream(response);
      else {
        const type = form === 'json' ? 'application/json' : 'Application/JSON; charset=utf-8';
        response.writeHead(200, { 'content-type': type });
      }
      response.end(form === 'event stream' ? `data: ${answerTo(request)}\n\n` : answerTo(request));
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
    expect(error).toMatchObject({ code: 'outcome-unknown', server: 'depot' });
    expect(error.message).toContain('before its response');
  });

  it('is an error when its connection breaks', async () => {
    const { client } = await serve((_request, response) => {
      stream(response);
      response.write(': here\n\n', () => response.destroy());
    });
    expect((await failure(client.callTool('x'))).code).toBe('outcome-unknown');
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
