import { type HttpOptions } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { type HttpAnswer, type HttpCall, messageOf, postOf, routes } from './http-route.ts';
import { callOf, requestOf } from './wire.ts';
import { createEcho, hello } from './echo-server.ts';

/** A call whose body has exactly this many bytes. */
function callOfBytes(bytes: number): HttpCall {
  const empty = Buffer.byteLength(JSON.stringify(callOf('echo', { text: '' })));
  return postOf(callOf('echo', { text: 'q'.repeat(bytes - empty) }));
}

describe.each(routes)('a request over %s', (_, open) => {
  it.each(['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS'])(
    '[HTTP-25] answers %s with 405 and what is allowed',
    async (method) => {
      const answer = await (await open(createEcho().server, { legacy: false })).call({ method });
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'POST' } });
      expect(messageOf(answer)).not.toHaveProperty('id');
    },
  );

  it.each<[string, { readonly [name: string]: string }, number]>([
    ['no Origin', {}, 200],
    ['a loopback Host with a port', { host: '127.0.0.1:4177' }, 200],
    ['a loopback Host without a port', { host: 'localhost' }, 200],
    ['an IPv6 loopback Host', { host: '[::1]:4177' }, 200],
    ['a Host in capitals', { host: 'LOCALHOST:4177' }, 200],
    ['a loopback Origin', { host: 'localhost:4177', origin: 'http://localhost:4177' }, 200],
    ['a loopback Origin over TLS', { origin: 'https://127.0.0.1' }, 200],
    ['a foreign Origin alone', { host: 'localhost:4177', origin: 'https://evil.test' }, 403],
    ['an opaque Origin', { host: 'localhost:4177', origin: 'null' }, 403],
    ['an empty Origin', { host: 'localhost:4177', origin: '' }, 403],
    ['an Origin that begins like loopback', { host: 'localhost:4177', origin: 'http://localhost.evil.test' }, 403],
    ['an Origin with loopback as user', { host: 'localhost:4177', origin: 'http://localhost@evil.test' }, 403],
    ['an Origin with loopback as path', { host: 'localhost:4177', origin: 'http://evil.test/localhost' }, 403],
    ['an Origin of another scheme', { host: 'localhost:4177', origin: 'file://localhost' }, 403],
    ['two Origins', { host: 'localhost:4177', origin: 'http://localhost, http://evil.test' }, 403],
    ['a foreign Host alone', { host: 'rebind.evil.test:4177' }, 403],
    ['a Host that begins like loopback', { host: 'localhost.evil.test' }, 403],
    ['a Host that ends like loopback', { host: 'evil.localhost' }, 403],
    ['a Host with loopback as user', { host: 'localhost@evil.test' }, 403],
    ['a Host with two ports', { host: 'localhost:80:80' }, 403],
    ['a Host that is another address of this machine', { host: '0.0.0.0:4177' }, 403],
    ['a Host with a dot at the end', { host: 'localhost.' }, 403],
  ])('[HTTP-02] [HTTP-03] [http-12] answers %s', async (_, headers, status) => {
    const { server, runs } = createEcho();
    const answer = await (await open(server)).call(postOf(hello, headers));
    expect(answer.status).toBe(status);
    expect(runs()).toBe(status === 200 ? 1 : 0);
    if (status === 403)
      expect(messageOf(answer)).toEqual({ jsonrpc: '2.0', error: expect.objectContaining({ code: -32600 }) });
  });

  it('serves the hosts and origins of its options, whatever their letter case, and no other', async () => {
    const options: HttpOptions = { allowedHosts: ['MCP.example.com'], allowedOrigins: ['https://App.example.com'] };
    const route = await open(createEcho().server, options);
    const statusOf = async (headers: { [name: string]: string }): Promise<number> =>
      (await route.call(postOf(hello, headers))).status;
    expect(await statusOf({ host: 'mcp.example.com' })).toBe(200);
    expect(await statusOf({ host: 'mcp.example.com:8443', origin: 'https://app.example.com' })).toBe(200);
    expect(await statusOf({ host: 'mcp.example.com', origin: 'http://app.example.com' })).toBe(403);
    expect(await statusOf({ host: 'mcp.example.com', origin: 'https://app.example.com.evil.test' })).toBe(403);
    expect(await statusOf({ host: 'app.example.com' })).toBe(403);
  });

  it('lets a page of an allowed origin call, and tells its browser so before', async () => {
    const route = await open(createEcho().server);
    const origin = 'http://localhost:5173';
    const preflight = await route.call({
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-method',
      },
    });
    expect(preflight).toMatchObject({
      status: 204,
      text: '',
      headers: {
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'content-type,mcp-method',
        vary: 'origin',
      },
    });
    expect(preflight.headers).not.toHaveProperty('content-length');
    const answer = await route.call(postOf(hello, { origin }));
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': origin, vary: 'origin' } });
    const foreign = await route.call({ method: 'OPTIONS', headers: { origin: 'https://evil.test' } });
    expect(foreign.status).toBe(403);
    expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it.each<[string | undefined, number]>([
    ['application/json', 200],
    ['Application/JSON', 200],
    ['application/json;charset=utf-8', 200],
    ['application/json; charset=UTF-8', 200],
    ['application/json ; charset="utf-8"', 200],
    ['application/json; profile=x; charset=utf8', 200],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=iso-8859-1', 415],
    ['application/json-rpc', 415],
    ['application/jsonp', 415],
    ['text/json', 415],
    ['text/plain', 415],
    ['text/plain; application/json', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['', 415],
    ['*/*', 415],
    [undefined, 415],
  ])('takes or refuses the Content-Type %j', async (type, status) => {
    const { server, runs } = createEcho();
    const call = postOf(hello, { 'content-type': type });
    const answer = await (await open(server)).call({ ...call, body: Buffer.from(String(call.body)) });
    expect(answer.status).toBe(status);
    expect(runs()).toBe(status === 200 ? 1 : 0);
    if (status !== 200) expect(messageOf(answer).error?.code).toBe(-32600);
  });

  it.each<[string, number]>([
    ['identity', 200],
    ['Identity', 200],
    ['gzip', 415],
    ['br, identity', 415],
  ])('takes or refuses the Content-Encoding %j', async (encoding, status) => {
    const answer = await (await open(createEcho().server)).call(postOf(hello, { 'content-encoding': encoding }));
    expect(answer.status).toBe(status);
  });

  it.each<[string, Uint8Array]>([
    ['nothing', Buffer.from('')],
    ['half a message', Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tools/ca')],
    ['two messages', Buffer.from(`${JSON.stringify(hello)}${JSON.stringify(hello)}`)],
    ['two lines', Buffer.from(`${JSON.stringify(hello)}\n${JSON.stringify(hello)}`)],
    ['JavaScript', Buffer.from("{jsonrpc:'2.0'}")],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a character cut in half', Buffer.from(JSON.stringify(callOf('echo', { text: '鯨' }))).subarray(0, -20)],
    ['an overlong encoding', Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
    [
      'an encoded surrogate',
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
    ['UTF-16', Buffer.from(JSON.stringify(hello), 'utf16le')],
  ])('[MSG-19] answers a body of %s with -32700 without an id', async (_, body) => {
    const { server, runs } = createEcho();
    const route = await open(server);
    const answer = await route.call({ ...postOf(hello), body });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toEqual({ jsonrpc: '2.0', error: { code: -32700, message: expect.any(String) } });
    expect(runs()).toBe(0);
    expect((await route.call(postOf(hello))).status).toBe(200);
  });

  it('takes a byte order mark before the body, as on stdio', async () => {
    const answer = await (
      await open(createEcho().server)
    ).call({ ...postOf(hello), body: `\uFEFF${JSON.stringify(hello)}` });
    expect(answer.status).toBe(200);
  });

  it('answers -32600 to a message that is nested deeper than 512 levels, or than the author lets it', async () => {
    const nested = (levels: number): string =>
      JSON.stringify(callOf('echo', { text: 'deep]}[{"', more: 0 })).replace(
        '"more":0',
        `"more":${'['.repeat(levels)}${']'.repeat(levels)}`,
      );
    const { server, runs } = createEcho();
    const route = await open(server);
    const [fits, tooDeep] = await Promise.all(
      [509, 510].map((levels) => route.call({ ...postOf(callOf('echo')), body: nested(levels) })),
    );
    expect(messageOf(fits as HttpAnswer).result).toMatchObject({ content: [{ text: 'deep]}[{"' }] });
    expect(tooDeep).toMatchObject({ status: 400 });
    expect(messageOf(tooDeep as HttpAnswer).error).toMatchObject({
      code: -32600,
      message: expect.stringContaining('512') as string,
    });
    expect(runs()).toBe(1);
    const anyDepth = await open(server, { maxDepth: Infinity });
    const answer = await anyDepth.call({ ...postOf(callOf('echo')), body: nested(100_000) });
    expect(messageOf(answer).result).toMatchObject({ content: [{ text: 'deep]}[{"' }] });
  });

  it('keeps members called __proto__ from reaching anything', async () => {
    const body = JSON.stringify(hello).replace('{"text"', '{"__proto__":{"text":"polluted"},"constructor":{},"text"');
    const answer = await (await open(createEcho().server)).call({ ...postOf(hello), body });
    expect(messageOf(answer).result).toMatchObject({ content: [{ text: 'hello' }] });
    expect(({} as { text?: unknown }).text).toBeUndefined();
  });

  it('[http-11] takes a body at the limit and refuses one byte more with 413, and then serves on', async () => {
    const { server, runs } = createEcho();
    const route = await open(server, { maxBodyBytes: 10_000 });
    expect((await route.call(callOfBytes(10_000))).status).toBe(200);
    const answer = await route.call(callOfBytes(10_001));
    expect(answer).toMatchObject({ status: 413, headers: { 'content-type': 'application/json' } });
    expect(messageOf(answer)).toEqual({
      jsonrpc: '2.0',
      error: { code: -32600, message: expect.stringContaining('10000') },
    });
    expect(runs()).toBe(1);
    expect((await route.call(postOf(hello))).status).toBe(200);
  });

  it('[http-11] takes bodies up to 4 MiB unless told otherwise', async () => {
    const route = await open(createEcho().server);
    for (const bytes of [99_000, 110_000, 900_000, 4 * 1024 * 1024]) {
      expect((await route.call(callOfBytes(bytes))).status).toBe(200);
    }
    expect((await route.call(callOfBytes(4 * 1024 * 1024 + 1))).status).toBe(413);
  });

  it('[MSG-06] [jsonrpc-01] [jsonrpc-02] echoes the id with its type', async () => {
    const route = await open(createEcho().server);
    for (const id of ['1', '007', 'a b', '', 0, 42, -3, 'ä"\n\u2028', Number.MAX_SAFE_INTEGER]) {
      expect(messageOf(await route.call(postOf(requestOf('tools/list', {}, { id })))).id).toBe(id);
      expect(messageOf(await route.call(postOf(requestOf('absent', {}, { id })))).id).toBe(id);
    }
  });

  it('[HTTP-30] answers concurrent requests each with its own response', async () => {
    const route = await open(createEcho().server);
    const texts = Array.from({ length: 50 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map((text, id) => route.call(postOf(callOf('echo', { text }, { id })))));
    expect(answers.map((answer) => messageOf(answer))).toMatchObject(
      texts.map((text, id) => ({ id, result: { content: [{ text }] } })),
    );
  });

  it('caches nothing of a response', async () => {
    const answer = await (await open(createEcho().server)).call(postOf(hello));
    expect(answer.headers['cache-control']).toContain('no-store');
  });
});
