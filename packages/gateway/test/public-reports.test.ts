import { createServer as createHttpServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { JsonObject, Responder } from '@switchyard/protocol';
import { createServer } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { metadata, openTestGateway, type TestGateway } from './open-test-gateway.ts';
import { untilTestEnds } from './until-test-ends.ts';

const verdictKey = 'dev.switchyard/verdict';

async function namesOf(gateway: TestGateway): Promise<string[]> {
  const { message } = await gateway.send('tools/list');
  const { tools = [] } = (message.result ?? {}) as { readonly tools?: readonly { readonly name: string }[] };
  return tools.map(({ name }) => name);
}

/** The names that warnings were given for, each as often as it was warned of. */
function warnedOf({ warnings }: TestGateway): string[] {
  return warnings.flatMap(({ fields }) => ('name' in fields ? [String(fields.name)] : [])).toSorted();
}

/** A loopback server that nobody may ask for anything. */
async function openBait() {
  const asked: (string | undefined)[] = [];
  const http = createHttpServer((request, response) => {
    asked.push(request.url);
    response.end('{}');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => http.close(() => resolve())),
  };
}

// Inputs that broke other gateways. What a gateway passes on unchanged stands beside its rules.
describe('a server with definitions that cannot be used', () => {
  it('[schema-02] [schema-09] [JSCH-07] loses these alone, each with one warning, and no reference is fetched', async () => {
    const bait = await untilTestEnds(openBait());
    const properties = (schema: object): object => ({ type: 'object', properties: { s: schema } });
    const tools = [
      toolDefinition('ok_a'),
      toolDefinition('bad_out', { outputSchema: properties({ $ref: '#/$defs/Missing' }) }),
      toolDefinition('bad_in', { inputSchema: properties({ $ref: `${bait.url}/x.json` }) }),
      toolDefinition('bad_id', { inputSchema: { $id: `${bait.url}/base`, ...properties({ $ref: 'x.json' }) } }),
      toolDefinition('bad_meta', { inputSchema: { $schema: `${bait.url}/dialect/9`, type: 'object' } }),
      { name: 'absent' },
      { name: 'null', inputSchema: null },
      { name: 'inner', inputSchema: { type: 'object', properties: null } },
      toolDefinition(''),
      toolDefinition('ok_b', { inputSchema: { type: 'object', additionalProperties: false } }),
    ];
    const gateway = await untilTestEnds(
      openTestGateway({
        s: createScriptedServer({ tools }),
        other: createScriptedServer({ tools: [toolDefinition('x')] }),
      }),
    );
    for (let round = 0; round < 2; round += 1) {
      expect(await namesOf(gateway)).toEqual(['other__x', 's__bad_out', 's__ok_a', 's__ok_b']);
    }
    // It is listed without what no client could resolve.
    const { result } = (await gateway.send('tools/list', {})).message;
    expect(JSON.stringify(result)).not.toContain('Missing');
    expect(warnedOf(gateway)).toEqual(
      ['absent', 'bad_id', 'bad_in', 'bad_meta', 'bad_out', 'entry 8', 'inner', 'null'].toSorted(),
    );
    for (const name of ['s__ok_a', 's__ok_b', 's__bad_out']) {
      expect((await gateway.send('tools/call', { name, arguments: {} })).message.result).not.toHaveProperty('isError');
    }
    expect((await gateway.send('tools/call', { name: 's__bad_in', arguments: {} })).message.error).toMatchObject({
      code: -32602,
    });
    expect(bait.asked).toEqual([]);
  });

  it.each([
    ['2,000 objects deep', 2_000],
    ['100,000 objects deep', 100_000],
  ])('[schema-04] [JSCH-11] loses one that is %s, and 300 wide ones stay', async (_, levels) => {
    const wide = Array.from({ length: 300 }, (_each, index) =>
      toolDefinition(`wide${index}`, {
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 200 }, (_one, at) => [`p${at}`, { type: 'string' }])),
        },
      }),
    );
    const many = {
      type: 'object',
      allOf: Array.from({ length: 5_000 }, (_each, index) => ({ required: [`p${index}`] })),
    };
    const tools = [toolDefinition('many', { inputSchema: many }), ...wide];
    const gateway = await untilTestEnds(openTestGateway({ s: withDeepTool(levels, tools) }));
    const names = await namesOf(gateway);
    expect(names).toHaveLength(300);
    expect(names).not.toContain('s__deep');
    expect(warnedOf(gateway)).toEqual(['deep', 'many']);
  });

  it('[http-17] [HDR-32] loses those with header annotations that HTTP cannot carry', async () => {
    const annotated = (name: string, properties: object): JsonObject =>
      toolDefinition(name, { inputSchema: { type: 'object', properties } });
    const header = (value: string, type = 'string'): object => ({ type, 'x-mcp-header': value });
    const list = { type: 'array', items: { type: 'object', properties: { a: header('A') } } };
    const tools = [
      annotated('good', { r: header('Region') }),
      annotated('crlf', { r: header('A\r\nB') }),
      annotated('empty', { r: header('') }),
      annotated('dup', { a: header('Zone'), b: header('zone') }),
      annotated('num', { a: header('A', 'number') }),
      annotated('inarray', { l: list }),
      annotated('nested', { o: { type: 'object', properties: { a: header('Deep') } } }),
    ];
    const gateway = await untilTestEnds(openTestGateway({ s: createScriptedServer({ tools }) }));
    expect(await namesOf(gateway)).toEqual(['s__good', 's__nested']);
    expect(warnedOf(gateway)).toEqual(['s__crlf', 's__dup', 's__empty', 's__inarray', 's__num']);
  });
});

describe('a server whose list does not end', () => {
  it.each([
    ['repeats its cursor', () => 'p1', 2],
    ['makes up a cursor for each page', (page: number) => `c${page}`, 1_000],
  ])('[paging-01] is read to an end where it %s, and each tool is listed once', async (_, cursorOf, pages) => {
    let page = 0;
    const server = createScriptedServer({
      tools: [],
      answer(method) {
        if (method !== 'tools/list') return undefined;
        page += 1;
        return {
          tools: ['a', 'b', 'c'].map((name) => toolDefinition(name)),
          nextCursor: cursorOf(page),
          ttlMs: 60_000,
        };
      },
    });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    expect(await namesOf(gateway)).toEqual(['s__a', 's__b', 's__c']);
    expect(server.paramsOf('tools/list')).toHaveLength(pages);
    expect(JSON.stringify(gateway.warnings)).toContain('\\"s\\"');
  });
});

describe('servers whose names or tools collide', () => {
  it('[names-04] [names-05] are told apart: each call reaches its own server', async () => {
    const offers: { readonly [server: string]: readonly string[] } = {
      post: ['send', 'list'],
      pager: ['send'],
      仓库: ['get'],
      港口: ['get'],
      a: ['b__c'],
      a__b: ['c'],
      'my docs': ['get'],
    };
    const reached: string[] = [];
    const servers = Object.fromEntries(
      Object.entries(offers).map(([server, tools]) => [
        server,
        createScriptedServer({
          tools: tools.map((name) => toolDefinition(name, { title: `${server}/${name}` })),
          answer(method, { name }) {
            if (method === 'tools/call') reached.push(`${server}/${String(name)}`);
            return undefined;
          },
        }),
      ]),
    );
    const gateway = await untilTestEnds(openTestGateway(servers));
    const { message } = await gateway.send('tools/list');
    const tools = message.result?.['tools'] as readonly { readonly name: string; readonly title: string }[];
    expect(new Set(tools.map(({ name }) => name)).size).toBe(8);
    for (const { name, title } of tools) {
      expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
      await gateway.send('tools/call', { name, arguments: {} });
      expect(reached.at(-1)).toBe(title);
    }
  });
});

describe('a call', () => {
  const total = { type: 'object', properties: { km: { type: 'number' } }, required: ['km'] };

  it.each<[string, JsonObject]>([
    ['text alone', { content: [{ type: 'text', text: '{}' }] }],
    ['another form', { content: [], structuredContent: { km: 'x' } }],
  ])('[results-04] [TOOL-22] is told that its result breaks the output schema: %s', async (_, result) => {
    const server = createScriptedServer({
      tools: [toolDefinition('route', { outputSchema: total })],
      answer: (method) => (method === 'tools/call' ? result : undefined),
    });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    const { message } = await gateway.send('tools/call', { name: 's__route', arguments: {} });
    expect(message.result).toMatchObject({ isError: true, _meta: { [verdictKey]: { reason: 'result-rejected' } } });
    expect(JSON.stringify(message.result)).toContain('output schema');
  });

  it('[schema-08] is not held up by a pattern of nested quantifiers', async () => {
    const inputSchema = { type: 'object', properties: { k: { type: 'string', pattern: '^(\\w+\\s?)*$' } } };
    const server = createScriptedServer({ tools: [toolDefinition('match', { inputSchema }), toolDefinition('other')] });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    for (const k of [`${'a'.repeat(34)}!`, `${'a'.repeat(50_000)}!`]) {
      const [match, other] = await Promise.all([
        gateway.send('tools/call', { name: 's__match', arguments: { k } }),
        gateway.send('tools/call', { name: 's__other', arguments: {} }),
      ]);
      expect(match.message.result).toMatchObject({ isError: true });
      expect(other.message.result).not.toHaveProperty('isError');
    }
    expect(server.paramsOf('tools/call').map(({ name }) => name)).toEqual(['other', 'other']);
  });
});

describe('a request over HTTP', () => {
  const uri = 'file:///srv/Dämme/øre 1.txt';
  const wrapped = '=?base64?ZmlsZTovLy9zcnYvRMOkbW1lL8O4cmUgMS50eHQ=?=';

  it.each<[string, { readonly [name: string]: string }, number | undefined]>([
    ['in Base64', { 'mcp-name': wrapped }, undefined],
    ['in Base64 under a name in capitals', { 'MCP-NAME': wrapped }, undefined],
    ['in Latin-1', { 'mcp-name': uri }, -32020],
    ['with the marker in the wrong case', { 'mcp-name': wrapped.replace('base64', 'BASE64') }, -32020],
    ['that is no Base64', { 'mcp-name': '=?base64?%%%?=' }, -32020],
  ])('[http-13] has its Mcp-Name read %s', async (_, headers, code) => {
    const files = createServer({ name: 'files', version: '1' }).resource(uri, { name: 'ore' }, () => 'read');
    const gateway = await untilTestEnds(openTestGateway({ files }));
    const response = await fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'resources/read',
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri, _meta: metadata() } }),
    });
    const message = (await response.json()) as { readonly result?: object; readonly error?: { readonly code: number } };
    expect(response.status).toBe(code === undefined ? 200 : 400);
    expect(message.error?.code).toBe(code);
    if (code === undefined) expect(message.result).toMatchObject({ contents: [{ uri, text: 'read' }] });
  });

  it('[http-11] may have a body of 900,000 bytes unless the configuration says less, which is answered in JSON', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('put')] });
    const textOf = (bytes: number): string => {
      const params = { name: 's__put', arguments: { text: '' }, _meta: metadata() };
      const empty = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return empty.replace('"text":""', `"text":"${'q'.repeat(bytes - empty.length)}"`);
    };
    const post = async (url: string, text: string, chunked: boolean): Promise<[number | undefined, string, string]> => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 's__put',
        ...(chunked ? {} : { 'content-length': String(text.length) }),
      };
      const request = httpRequest(url, { method: 'POST', headers, agent: false });
      // The gateway may close the connection while the rest is still on its way.
      request.on('error', () => undefined);
      const answered = new Promise<Readable & { statusCode?: number; headers: { 'content-type'?: string } }>(
        (resolve) => request.once('response', resolve),
      );
      Readable.from(text.match(/.{1,16384}/gs) ?? []).pipe(request);
      const response = await answered;
      const body = Buffer.concat(await response.toArray()).toString();
      return [response.statusCode, response.headers['content-type'] ?? '', body];
    };
    const usual = await untilTestEnds(openTestGateway({ s: server }));
    for (const bytes of [99_000, 110_000, 900_000]) {
      const [status, , body] = await post(usual.url, textOf(bytes), false);
      expect([status, body]).toEqual([200, expect.stringContaining('called put')]);
    }
    const limits = { maxBodyBytes: 1_048_576 };
    const strict = await untilTestEnds(openTestGateway({ s: server }, { limits }));
    for (const chunked of [false, true]) {
      const [status, type, body] = await post(strict.url, textOf(1_100_000), chunked);
      expect([status, type]).toEqual([413, expect.stringContaining('application/json')]);
      expect(JSON.parse(body)).toEqual({ jsonrpc: '2.0', error: expect.objectContaining({ code: -32600 }) });
      expect((await strict.send('tools/list')).status).toBe(200);
    }
  });
});

/**
 * A server that lists one tool more, whose schema is written as text, since JSON.stringify writes no value that deep.
 */
function withDeepTool(levels: number, tools: readonly JsonObject[]): Responder {
  const schema = `${'{"type":"object","properties":{"p":'.repeat(levels)}{"type":"string"}${'}}'.repeat(levels)}`;
  const server = createScriptedServer({ tools });
  return {
    async respond(text, exchange) {
      const answer = await server.respond(text, exchange);
      return answer?.replace('"tools":[', `"tools":[{"name":"deep","inputSchema":${schema}},`);
    },
  };
}
