import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { failure } from './expect-failure.ts';
import { said, sendResult } from './scripted-http-server.ts';
import { answerTo, serve, stream, textOf } from './serve-http.ts';

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
