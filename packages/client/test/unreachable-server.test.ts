import { describe, expect, it } from 'vitest';
import { connect as connectFromRoot } from '../src/index.ts';
import { connect } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import { sendJson, startHttpServer } from './scripted-http-server.ts';

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

  it('is told to speak no TLS when it speaks plain HTTP', async () => {
    await using server = await startHttpServer(() => undefined);
    const error = await failure(connect(server.url.replace('http://', 'https://')));
    expect(error.code).toBe('connect-failed');
    expect(error.message).toContain('does not speak TLS. Look whether its URL begins with http://');
  });

  it('is told to be at another path when nothing is served at this one', async () => {
    await using server = await startHttpServer((request, response) =>
      sendJson(
        response,
        { jsonrpc: '2.0', id: request.message.id, error: { code: -32600, message: 'The endpoint is /mcp' } },
        404,
      ),
    );
    const error = await failure(connect(server.url));
    expect(error).toMatchObject({ code: 'http-status', status: 404 });
    expect(error.message).toMatch(/The endpoint is \/mcp \(-32600\)\. Look whether the path of the URL/);
  });

  it.each(['ftp://depot.test/mcp', 'nonsense', ''])(
    'is refused when its URL is %j, which is not repeated',
    async (url) => {
      const error = await failure(connect(url, { name: 'depot' }));
      expect(error.code).toBe('invalid-argument');
    },
  );

  it.each([
    ['node server.js', /looks like a command line.*@switchyard\/client\/node/],
    ['localhost:3000/mcp', /no scheme.*http:\/\//],
    ['mcp.example.com/mcp', /no scheme/],
    ['unix:///run/x.sock', /@switchyard\/client\/node/],
    [{ url: 'localhost:3000/mcp' }, /no scheme/],
    [{ command: 'node', args: ['server.js'] }, /command is started by `connect` of @switchyard\/client\/node/],
  ])('is told what was meant where its target is %j', async (target, hint) => {
    const error = await failure(connectFromRoot(target as string, { name: 'depot' }));
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(hint) as string });
  });

  it('is named as a socket where the URL of one has too few slashes', async () => {
    const error = await failure(connect('unix://run/x.sock#/mcp', { name: 'depot' }));
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('unix:///') as string });
  });

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
