import { metaKeys } from '@switchyard/protocol';
import { createServer, type Server, silentLogger, type ValueSchema } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { type HttpCall, messageOf, openNodeRoute, postOf, routes } from './http-route.ts';
import { callOf, metaOf, requestOf } from './wire.ts';

const probe = metaOf({ [metaKeys.clientInfo]: { name: 'probe', version: '0.1.0' } });

function createProbe(input?: ValueSchema): { server: Server; runs: unknown[] } {
  const runs: unknown[] = [];
  const server = createServer({ name: 'reports', version: '1.0.0' }, { logger: silentLogger });
  server.tool('probe', input === undefined ? {} : { input }, (args) => {
    runs.push(args);
    return 'ran';
  });
  return { server, runs };
}

/** A call whose arguments are given as JSON text, digit for digit. */
function rawCall(args: string): HttpCall {
  const message = callOf('probe', {}, { meta: probe });
  return { ...postOf(message), body: JSON.stringify(message).replace('"arguments":{}', `"arguments":${args}`) };
}

// Inputs that broke other servers; each is served as it was reported. The ones of stdio, progress, cancellation and
// resources stand beside their rules.
describe.each(routes)('what broke other servers, over %s', (_, open) => {
  it.each(['null', '1.5', 'true', '{"a":1}', '[]', '1e400', '9007199254740993'])(
    '[jsonrpc-03] [MSG-04] takes a request whose id is %s for no notification',
    async (id) => {
      const message = requestOf('tools/list', {}, { id: 'ID', meta: probe });
      const call = { ...postOf(message), body: JSON.stringify(message).replace('"ID"', id) };
      const answer = await (await open(createProbe().server)).call(call);
      expect(answer.status).toBe(400);
      expect(messageOf(answer)).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } });
    },
  );

  it.each([
    '[]',
    '[1,2]',
    JSON.stringify([callOf('probe', {}, { id: 1, meta: probe }), callOf('probe', {}, { id: 2, meta: probe })]),
  ])('[jsonrpc-07] refuses the batch %s as a whole and runs nothing of it', async (body) => {
    const { server, runs } = createProbe();
    const answer = await (await open(server)).call({ ...postOf(callOf('probe')), body });
    expect(answer.status).toBe(400);
    expect(messageOf(answer).error?.code).toBe(-32600);
    expect(runs).toEqual([]);
  });

  it.each<[number, string, readonly number[]]>([
    [1, '{"jsonrpc":"2.0","id":1,"method":["x"],"params":{}}', [-32600]],
    [2, '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[1,2]}', [-32600, -32602]],
    [5, '{"jsonrpc":"1.0","id":5,"method":"tools/list"}', [-32600]],
  ])('[jsonrpc-12] answers the wrong envelope %i', async (id, body, codes) => {
    const answer = await (
      await open(createProbe().server)
    ).call({ headers: { 'content-type': 'application/json' }, body });
    expect(answer.status).toBe(400);
    expect(messageOf(answer).id).toBe(id);
    expect(codes).toContain(messageOf(answer).error?.code);
  });

  it.each<[string, { readonly [name: string]: string | undefined }, number]>([
    ['in Base64', { 'mcp-name': '=?base64?ZmlsZTovLy9zcnYvRMOkbW1lL8O4cmUgMS50eHQ=?=' }, 200],
    [
      'in Base64 under a name in capitals',
      { 'mcp-name': undefined, 'MCP-NAME': '=?base64?ZmlsZTovLy9zcnYvRMOkbW1lL8O4cmUgMS50eHQ=?=' },
      200,
    ],
    ['with a marker in the wrong case', { 'mcp-name': '=?BASE64?ZmlsZTovLy9zcnYvRMOkbW1lL8O4cmUgMS50eHQ=?=' }, 400],
    ['that is no Base64', { 'mcp-name': '=?base64?%%?=' }, 400],
  ])('[http-13] [HDR-19] [HDR-20] reads an Mcp-Name %s', async (_, headers, status) => {
    const uri = 'file:///srv/Dämme/øre 1.txt';
    const { server } = createProbe();
    server.resource(uri, { name: 'file' }, () => 'read');
    const message = requestOf('resources/read', { uri }, { meta: probe });
    const answer = await (await open(server)).call(postOf(message, headers));
    expect(answer.status).toBe(status);
    if (status === 200) expect(messageOf(answer).result?.['contents']).toEqual([{ uri, text: 'read' }]);
    else expect(messageOf(answer).error?.code).toBe(-32020);
  });

  it('[http-14] decodes a value that looks like the wrapper exactly once', async () => {
    const { server, runs } = createProbe({
      type: 'object',
      properties: { tag: { type: 'string', 'x-mcp-header': 'Tag' } },
    });
    const route = await open(server);
    const call = callOf('probe', { tag: '=?base64?cGx1bQ==?=' }, { meta: probe });
    const right = await route.call(postOf(call, { 'mcp-param-tag': '=?base64?PT9iYXNlNjQ/Y0d4MWJRPT0/PQ==?=' }));
    expect(right.status).toBe(200);
    expect(runs).toEqual([{ tag: '=?base64?cGx1bQ==?=' }]);
    const literal = await route.call(postOf(call, { 'mcp-param-tag': '=?base64?cGx1bQ==?=' }));
    expect(literal.status).toBe(400);
    expect(messageOf(literal).error?.code).toBe(-32020);
  });

  it.each([
    { sampling: { tools: {} } },
    { elicitation: { form: {}, url: {}, hologram: {} } },
    { extensions: { 'com.example/zip': { level: 9 } } },
    { experimental: { x: 1 } },
  ])('[version-06] [META-21] serves a client with the capabilities %j', async (capabilities) => {
    const message = callOf('probe', {}, { meta: metaOf({ [metaKeys.clientCapabilities]: capabilities }) });
    expect((await (await open(createProbe().server)).call(postOf(message))).status).toBe(200);
  });

  const dialects: readonly [string, ValueSchema, string, readonly string[]][] = [
    [
      '2020-12',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: { a: { type: 'integer' } },
      },
      '{"a":1}',
      ['{"a":"1"}'],
    ],
    [
      'draft-07',
      { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', properties: { a: { type: 'integer' } } },
      '{"a":1}',
      ['{"a":"1"}'],
    ],
    [
      'no dialect, which is 2020-12',
      {
        type: 'object',
        properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false } },
      },
      '{"pair":["x",1]}',
      ['{"pair":["x",1,2]}', '{"pair":[1,"x"]}'],
    ],
    [
      'draft-07 with a tuple',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { p: { type: 'array', items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false } },
        required: ['p'],
      },
      '{"p":["a",1]}',
      ['{"p":[1,"a"]}', '{"p":["a",1,2]}'],
    ],
  ];

  it.each(dialects)(
    '[schema-05] [schema-07] [JSCH-01] [JSCH-02] checks arguments under %s',
    async (_, input, good, bad) => {
      const { server, runs } = createProbe(input);
      const route = await open(server);
      expect(messageOf(await route.call(rawCall(good))).result).not.toHaveProperty('isError');
      expect(runs).toHaveLength(1);
      for (const args of bad)
        expect(messageOf(await route.call(rawCall(args))).result).toMatchObject({ isError: true });
      expect(runs).toHaveLength(1);
    },
  );

  it.each<[string, unknown]>([
    ['{"limit":3.0}', { limit: 3 }],
    ['{"limit":0.5}', undefined],
    ['{"limit":"3"}', undefined],
    ['{"limit":3,"ratio":2}', { limit: 3, ratio: 2 }],
    ['{"limit":1e2}', { limit: 100 }],
    ['{}', undefined],
  ])('[schema-10] neither truncates nor converts a number: %s', async (args, ran) => {
    const { server, runs } = createProbe({
      type: 'object',
      properties: { limit: { type: 'integer', minimum: 1 }, ratio: { type: 'number' } },
      required: ['limit'],
    });
    const { result } = messageOf(await (await open(server)).call(rawCall(args)));
    expect(runs).toEqual(ran === undefined ? [] : [ran]);
    if (ran !== undefined) return;
    expect(result).toMatchObject({ resultType: 'complete', isError: true });
    expect(JSON.stringify(result)).toContain('limit');
  });
});

describe('what broke other servers, over a real connection', () => {
  it('[http-13] [HDR-15] refuses raw Latin-1 bytes in Mcp-Name', async () => {
    const { server } = createProbe();
    server.resourceTemplate('file:///{+path}', { name: 'files' }, () => 'x');
    const message = requestOf('resources/read', { uri: 'file:///é' }, { meta: probe });
    const answer = await (await openNodeRoute(server)).call(postOf(message, { 'mcp-name': 'file:///\u00e9' }));
    expect(answer.status).toBe(400);
    expect(messageOf(answer).error?.code).toBe(-32020);
  });
});
