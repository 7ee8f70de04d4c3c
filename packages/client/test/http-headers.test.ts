import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client, ClientWarning, ConnectOptions } from '../src/index.ts';
import { connect } from '../src/node/index.ts';
import { failure } from './expect-failure.ts';
import {
  discovered,
  type Received,
  said,
  type ScriptedHttpServer,
  sendError,
  sendResult,
  startHttpServer,
} from './scripted-http-server.ts';

const open: AsyncDisposable[] = [];
const warnings: ClientWarning[] = [];

afterEach(async () => {
  warnings.length = 0;
  for (const it of open.splice(0).reverse()) await it[Symbol.asyncDispose]();
});

async function serve(
  tools: readonly object[] | (() => readonly object[]),
  onCall: (request: Received, response: ServerResponse) => void = (request, response) =>
    sendResult(response, request, said('ok')),
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly server: ScriptedHttpServer }> {
  const server = await startHttpServer((request, response) => {
    const { method } = request.message;
    if (discovered(request, response)) return;
    if (method === 'tools/list') {
      const listed = typeof tools === 'function' ? tools() : tools;
      sendResult(response, request, { tools: listed, ttlMs: 0, cacheScope: 'private' });
    } else if (method === 'tools/call') onCall(request, response);
    else if (method === 'resources/read')
      sendResult(response, request, { contents: [], ttlMs: 5, cacheScope: 'public' });
    else if (method === 'prompts/get') sendResult(response, request, { messages: [] });
    else sendError(response, request, 404, -32601);
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

function lastHeaders({ received }: ScriptedHttpServer): Received['headers'] {
  return received.at(-1)?.headers ?? {};
}

const annotated = (properties: object, name = 'region_tool') => ({ name, inputSchema: { type: 'object', properties } });
const decoded = (value: unknown): string =>
  Buffer.from(/^=\?base64\?(.*)\?=$/.exec(String(value))?.[1] ?? '', 'base64').toString('utf8');

describe('the headers of a modern POST', () => {
  it('[HTTP-07] [HDR-01] [HDR-02] [HDR-06] mirror the message and accept both kinds of answer', async () => {
    const { client, server } = await serve([]);
    await client.listTools();
    for (const { headers, message } of server.received) {
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': message.method,
      });
      const meta = message.params?.['_meta'] as Record<string, unknown>;
      expect(meta['io.modelcontextprotocol/protocolVersion']).toBe(headers['mcp-protocol-version']);
    }
  });

  it('[HDR-07] name the tool, the prompt and the resource, and nothing else', async () => {
    const { client, server } = await serve([]);
    await client.callTool('get_order');
    expect(lastHeaders(server)['mcp-name']).toBe('get_order');
    await client.getPrompt('review', { code: 'x' });
    expect(lastHeaders(server)['mcp-name']).toBe('review');
    await client.readResource('file:///srv/Dämme/øre 1.txt');
    expect(lastHeaders(server)['mcp-name']).toBe('=?base64?ZmlsZTovLy9zcnYvRMOkbW1lL8O4cmUgMS50eHQ=?=');
    await client.listTools();
    expect(lastHeaders(server)).not.toHaveProperty('mcp-name');
  });

  it.each([
    ['lamp\r\nX-Admin: 1', '=?base64?bGFtcA0KWC1BZG1pbjogMQ==?='],
    [' lamp ', '=?base64?IGxhbXAg?='],
    ['käse', '=?base64?a8Okc2U=?='],
    ['tab\tinside', `=?base64?${btoa('tab\tinside')}?=`],
    ['=?base64?cGx1bQ==?=', '=?base64?PT9iYXNlNjQ/Y0d4MWJRPT0/PQ==?='],
    ['plain.name-1', 'plain.name-1'],
  ])(
    '[HDR-16] [HDR-17] [HDR-18] [http-14] [http-15] carry the name %j as %s, and no header more',
    async (name, header) => {
      const { client, server } = await serve([]);
      await client.callTool('plain');
      const names = Object.keys(lastHeaders(server));
      await client.callTool(name);
      expect(lastHeaders(server)['mcp-name']).toBe(header);
      expect(Object.keys(lastHeaders(server))).toEqual(names);
      expect(server.received.at(-1)?.message.params?.['name']).toBe(name);
    },
  );

  it('cannot carry a name with half a character, which is said before anything is sent', async () => {
    const { client, server } = await serve([]);
    const error = await failure(client.callTool('a\ud800b'));
    expect(error.code).toBe('invalid-argument');
    expect(server.methods()).toEqual(['server/discover']);
  });

  it('include those that are configured, which cannot displace those of the protocol', async () => {
    const headers = { Authorization: 'Bearer t', 'MCP-Method': 'forged', 'x-depot': 'é'.normalize('NFC') };
    const { server } = await serve([], undefined, { headers });
    expect(lastHeaders(server)).toMatchObject({ authorization: 'Bearer t', 'mcp-method': 'server/discover' });
  });

  it('carry user and password of the URL as Basic credentials', async () => {
    const server = await startHttpServer((request, response) => void discovered(request, response));
    open.push(server);
    const client = await connect(server.url.replace('http://', 'http://mira:p%C3%A4ss@'));
    open.push(client);
    expect(decoded(`=?base64?${(lastHeaders(server).authorization ?? '').replace('Basic ', '')}?=`)).toBe('mira:päss');
    expect(client.name).toBe(server.url);
  });
});

describe('arguments in headers', () => {
  const tool = annotated({
    region: { type: 'string', 'x-mcp-header': 'Region' },
    count: { type: 'integer', 'x-mcp-header': 'N' },
    ok: { type: 'boolean', 'x-mcp-header': 'Ok' },
    tag: { type: 'string', 'x-mcp-header': 'Tag' },
    deep: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'Deep' } } },
    query: { type: 'string' },
  });

  it('[HDR-22] [HDR-35] [HDR-36] [HDR-37] are minted from the listed tool', async () => {
    const { client, server } = await serve([tool]);
    await client.listTools();
    await client.callTool('region_tool', { region: null, count: 0, ok: false, tag: '', deep: { a: 'x' }, query: 'q' });
    const headers = lastHeaders(server);
    expect(headers).toMatchObject({
      'mcp-param-n': '0',
      'mcp-param-ok': 'false',
      'mcp-param-tag': '',
      'mcp-param-deep': 'x',
    });
    expect(headers).not.toHaveProperty('mcp-param-region');
    expect(headers).not.toHaveProperty('mcp-param-query');
  });

  it('[HDR-16] [HDR-18] [http-14] are encoded where HTTP could not carry them', async () => {
    const { client, server } = await serve([tool]);
    await client.listTools();
    for (const tag of ['line1\r\nX-Admin: 1', 'Hello, 世界', ' padded ', '\tindented', '=?base64?cGx1bQ==?=']) {
      await client.callTool('region_tool', { tag });
      expect(decoded(lastHeaders(server)['mcp-param-tag'])).toBe(tag);
      expect(lastHeaders(server)).not.toHaveProperty('x-admin');
    }
  });

  it('[HDR-29] are refused before anything is sent when no header can carry them', async () => {
    const { client, server } = await serve([tool]);
    await client.listTools();
    const error = await failure(client.callTool('region_tool', { count: 2 ** 60 }));
    expect(error.code).toBe('invalid-argument');
    expect(server.methods()).not.toContain('tools/call');
  });

  it('[HDR-42] are learned after -32020: the list is fetched, and the call repeated once under a new id', async () => {
    const { client, server } = await serve([tool], (request, response) => {
      if (request.headers['mcp-param-region'] === undefined) sendError(response, request, 400, -32020);
      else sendResult(response, request, said('ok'));
    });
    await client.callTool('region_tool', { region: 'eu' });
    expect(server.methods()).toEqual(['server/discover', 'tools/call', 'tools/list', 'tools/call']);
    expect(server.received[1]?.message.id).not.toBe(server.received[3]?.message.id);
    await client.callTool('region_tool', { region: 'eu' });
    expect(server.methods().slice(4)).toEqual(['tools/call']);
  });

  it('[HDR-42] are learned once for all calls that were refused, also where the one that lists is given up', async () => {
    let lists = 0;
    const given = new AbortController();
    const { client, server } = await serve(
      () => {
        lists += 1;
        if (lists === 1) given.abort();
        return [tool];
      },
      (request, response) => {
        if (request.headers['mcp-param-region'] === undefined) sendError(response, request, 400, -32020);
        else sendResult(response, request, said('ok'));
      },
    );
    const calls = Array.from({ length: 20 }, (_, index) =>
      client.callTool('region_tool', { region: 'eu' }, index === 0 ? { signal: given.signal } : {}),
    );
    const ended = await Promise.allSettled(calls);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(19);
    expect(server.methods().filter((method) => method === 'tools/list').length).toBeLessThanOrEqual(2);
  });

  it('[HDR-42] [MRTR-30] that are refused in a later round are minted again for that round, with its answers and state', async () => {
    const rounds: unknown[] = [];
    const confirm = {
      method: 'elicitation/create',
      params: { message: 'Sure?', requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } } } },
    };
    const onCall = (request: Received, response: ServerResponse): void => {
      const { inputResponses, requestState } = request.message.params ?? {};
      rounds.push([inputResponses, requestState]);
      if (rounds.length === 1) {
        sendResult(response, request, {
          resultType: 'input_required',
          inputRequests: { q: confirm },
          requestState: 's1',
        });
      } else if (rounds.length === 2) sendError(response, request, 400, -32020);
      else sendResult(response, request, said('ok'));
    };
    let asked = 0;
    const { client } = await serve([tool], onCall, {
      input: {
        elicitForm() {
          asked += 1;
          return Promise.resolve({ action: 'accept', content: { sure: true } });
        },
      },
    });
    await client.callTool('region_tool', { region: 'eu' });
    const answered = [{ q: { action: 'accept', content: { sure: true } } }, 's1'];
    expect(rounds).toEqual([[undefined, undefined], answered, answered]);
    expect(asked).toBe(1);
  });

  it.each([
    ['comes of the same headers again', 400, {}],
    ['is that of a tool, by its status', 200, { region: 'eu' }],
  ])('[HDR-42] are no reason to call twice where -32020 %s', async (_what, status, args) => {
    const { client, server } = await serve([tool], (request, response) => sendError(response, request, status, -32020));
    await expect(client.callTool('region_tool', args)).rejects.toMatchObject({ code: -32020 });
    expect(server.methods().filter((method) => method === 'tools/call')).toHaveLength(1);
  });

  it('[HDR-42] end with the error when -32020 comes again', async () => {
    const { client, server } = await serve([tool], (request, response) => sendError(response, request, 400, -32020));
    await expect(client.callTool('region_tool', { region: 'eu' })).rejects.toMatchObject({ code: -32020 });
    expect(server.methods()).toEqual(['server/discover', 'tools/call', 'tools/list', 'tools/call']);
  });

  const broken = [
    annotated({ r: { type: 'string', 'x-mcp-header': 'Region' } }, 'good'),
    annotated({ r: { type: 'string', 'x-mcp-header': 'A\r\nB' } }, 'crlf'),
    annotated({ r: { type: 'string', 'x-mcp-header': '' } }, 'empty'),
    annotated({ a: { type: 'string', 'x-mcp-header': 'Zone' }, b: { type: 'string', 'x-mcp-header': 'zone' } }, 'dup'),
    annotated({ a: { type: 'number', 'x-mcp-header': 'A' } }, 'num'),
    annotated(
      { l: { type: 'array', items: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } } } } },
      'inarray',
    ),
    annotated({ o: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'Deep' } } } }, 'nested'),
  ];

  it('[HDR-32] [HDR-33] [http-17] leave out a tool whose annotations are invalid, alone and with a reason', async () => {
    const { client, server } = await serve(broken);
    const { tools, leftOut } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['good', 'nested']);
    expect(leftOut.map(({ name }) => name)).toEqual(['crlf', 'empty', 'dup', 'num', 'inarray']);
    expect(leftOut.every(({ reason }) => reason.includes('x-mcp-header'))).toBe(true);
    expect(warnings.map(({ code }) => code)).toEqual(Array.from({ length: 5 }, () => 'entry-left-out'));
    const error = await failure(client.callTool('crlf', { r: 'x' }));
    expect(error.code).toBe('invalid-argument');
    expect(server.methods()).not.toContain('tools/call');
  });
});
