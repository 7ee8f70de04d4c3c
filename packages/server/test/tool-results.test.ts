import { createServer, errorResult, type Server, silentLogger, ToolError, type ValueSchema } from '@switchyard/server';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { openMemory } from './memory-route.ts';
import { createRecorder } from './recorder.ts';

function createProbe(run: () => unknown, output?: ValueSchema): Server {
  const server = createServer(
    { name: 'probe', version: '1.0.0' },
    { logger: silentLogger, createReference: () => 'ref-1' },
  );
  return server.tool('probe', output === undefined ? {} : { output }, run);
}

const text = (content: string): object => ({ type: 'text', text: content });
const berths = z.object({ berths: z.int() });

describe('what a handler returns', () => {
  it.each<[string, unknown, object]>([
    ['text', 'hello', { content: [text('hello')] }],
    ['the empty string', '', { content: [text('')] }],
    ['nothing', undefined, { content: [] }],
    ['an object', { berths: 3 }, { content: [text('{"berths":3}')], structuredContent: { berths: 3 } }],
    ['an empty object', {}, { content: [text('{}')], structuredContent: {} }],
    ['an array', [1, 2], { content: [text('[1,2]')], structuredContent: [1, 2] }],
    ['a number', 0, { content: [text('0')], structuredContent: 0 }],
    ['false', false, { content: [text('false')], structuredContent: false }],
    ['null', null, { content: [text('null')], structuredContent: null }],
    [
      'a date',
      new Date(0),
      { content: [text('"1970-01-01T00:00:00.000Z"')], structuredContent: '1970-01-01T00:00:00.000Z' },
    ],
    ['a number that JSON lacks', NaN, { content: [text('null')], structuredContent: null }],
    [
      'a large integer',
      { id: 9007199254740991 },
      { content: [text('{"id":9007199254740991}')], structuredContent: { id: 9007199254740991 } },
    ],
    ['text with every trap', '\u2028"\n\ud800', { content: [text('\u2028"\n\ud800')] }],
    ['content alone', { content: [text('a')] }, { content: [text('a')] }],
    ['empty content', { content: [] }, { content: [] }],
    [
      'content of other types',
      {
        content: [
          { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
          { type: 'resource_link', uri: 'x://1', name: 'one' },
        ],
      },
      {
        content: [
          { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
          { type: 'resource_link', uri: 'x://1', name: 'one' },
        ],
      },
    ],
    [
      'structured content alone',
      { structuredContent: { a: 1 } },
      { content: [text('{"a":1}')], structuredContent: { a: 1 } },
    ],
    [
      'structured content that is null',
      { structuredContent: null },
      { content: [text('null')], structuredContent: null },
    ],
    [
      'both forms',
      { content: [text('one')], structuredContent: { a: 1 } },
      { content: [text('one')], structuredContent: { a: 1 } },
    ],
    ['an error of its own', { content: [text('no')], isError: true }, { content: [text('no')], isError: true }],
    [
      'the helper for errors',
      errorResult('no', { code: 'forbidden' }),
      { content: [text('no')], structuredContent: { code: 'forbidden' }, isError: true },
    ],
    [
      'an object with a member called content that is no list',
      { content: 'page' },
      { content: [text('{"content":"page"}')], structuredContent: { content: 'page' } },
    ],
  ])('[TOOL-17] [TOOL-24] [results-01] becomes a complete result: %s', async (_, returned, expected) => {
    const { _meta, ...result } = await openMemory(createProbe(() => returned)).call('probe');
    expect(result).toStrictEqual({ resultType: 'complete', ...expected });
    expect(_meta).toEqual({ 'io.modelcontextprotocol/serverInfo': { name: 'probe', version: '1.0.0' } });
    const { _meta: __, ...later } = await openMemory(createProbe(() => Promise.resolve(returned))).call('probe');
    expect(later).toStrictEqual(result);
  });

  it.each<[string, unknown]>([
    ['a map', new Map([['berths', 3]])],
    ['a set', new Set([3])],
    ['an error', new Error('SECRET')],
    ['a regular expression', /x/],
  ])('is a failure of the tool where JSON keeps nothing of it: %s', async (_, returned) => {
    const { isError, content } = await openMemory(createProbe(() => returned)).call('probe');
    expect(isError).toBe(true);
    expect(content[0]?.text).toBe('The tool probe failed (reference ref-1)');
  });

  it('may be longer than a request, but not so long that writing it ends the process', async () => {
    const server = createProbe(() => '…'.padEnd(1_000_000, '"'));
    const long = '…'.padEnd(135_000_000, '"');
    for (const [name, returned] of [
      ['text', long],
      ['content', { content: [text(long)] }],
    ] as const)
      server.tool(name, {}, () => returned);
    server.resource('mem://long', { name: 'long' }, () => long);
    server.resource('mem://contents', { name: 'contents' }, () => ({ uri: 'mem://contents', text: long }));
    server.prompt('long', {}, () => long);
    const memory = openMemory(server);
    expect((await memory.call('probe')).content[0]?.text).toHaveLength(1_000_000);
    for (const name of ['text', 'content']) expect(await memory.call(name)).toMatchObject({ isError: true });
    for (const uri of ['mem://long', 'mem://contents'])
      expect((await memory.request('resources/read', { uri })).error?.code).toBe(-32603);
    expect((await memory.request('prompts/get', { name: 'long' })).error?.code).toBe(-32603);
  });

  it('may carry integers beyond 2^53 as bigint, digit for digit', async () => {
    const server = createProbe(() => ({ id: 9007199254740993n }));
    const response = await server.respond(
      JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'probe',
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
      { signal: new AbortController().signal, send: () => undefined },
    );
    expect(response).toContain('"structuredContent":{"id":9007199254740993}');
    expect(response).toContain('{\\"id\\":9007199254740993}');
  });

  it('keeps its own _meta beside the name of the server', async () => {
    const result = await openMemory(createProbe(() => ({ content: [], _meta: { 'com.example/trace': 't' } }))).call(
      'probe',
    );
    expect(result._meta).toEqual({
      'com.example/trace': 't',
      'io.modelcontextprotocol/serverInfo': { name: 'probe', version: '1.0.0' },
    });
  });

  it.each<[string, unknown, unknown]>([
    ['a value', { berths: 3 }, { berths: 3 }],
    ['a value with more than the schema has', { berths: 3, secret: 'x' }, { berths: 3 }],
    ['structured content', { structuredContent: { berths: 3 } }, { berths: 3 }],
    ['both forms', { content: [text('three')], structuredContent: { berths: 3 } }, { berths: 3 }],
  ])('[TOOL-21] passes its output schema: %s', async (_, returned, structuredContent) => {
    const result = await openMemory(createProbe(() => returned, berths)).call('probe');
    expect(result).toMatchObject({ resultType: 'complete', structuredContent });
    expect(result.structuredContent).toStrictEqual(structuredContent);
    expect(result).not.toHaveProperty('isError');
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it.each<[string, unknown]>([
    ['another type', { berths: 'x' }],
    ['a missing member', {}],
    ['text', 'three'],
    ['nothing', undefined],
    ['null', null],
    ['content without the structured form', { content: [text('three')] }],
    ['structured content of another type', { content: [text('three')], structuredContent: { berths: 'x' } }],
  ])('[TOOL-21] never leaves the server when it breaks the output schema: %s', async (_, returned) => {
    for (const output of [
      berths,
      { type: 'object', properties: { berths: { type: 'integer' } }, required: ['berths'] },
    ]) {
      const result = await openMemory(createProbe(() => returned, output)).call('probe');
      expect(result).toMatchObject({
        resultType: 'complete',
        isError: true,
        content: [text('The tool probe failed (reference ref-1)')],
      });
      expect(result).not.toHaveProperty('structuredContent');
    }
  });

  it('[TOOL-21] has the defaults of its output schema filled in, and is left as it was, frozen or not', async () => {
    const output = {
      type: 'object',
      properties: { n: { type: 'integer', default: 1 }, deep: { type: 'object', properties: { m: { default: [2] } } } },
    };
    const shared = { deep: {} };
    for (const returned of [shared, Object.freeze({ deep: Object.freeze({}) })]) {
      const memory = openMemory(createProbe(() => returned, output));
      for (let round = 0; round < 2; round += 1) {
        expect((await memory.call('probe')).structuredContent).toEqual({ n: 1, deep: { m: [2] } });
      }
      expect(returned).toEqual({ deep: {} });
    }
  });

  it('[results-04] is not checked against the output schema where it is an error', async () => {
    const returned = { isError: true, content: [text('route closed')], structuredContent: { error: 'closed' } };
    expect(await openMemory(createProbe(() => returned, berths)).call('probe')).toMatchObject(returned);
    const thrown = createProbe(() => {
      throw new ToolError('route closed', { error: 'closed' });
    }, berths);
    expect(await openMemory(thrown).call('probe')).toMatchObject(returned);
  });

  it('[TOOL-23] may be of any JSON type where the output schema says so', async () => {
    for (const [output, value] of [
      [z.array(z.string()), ['a']],
      [z.string(), 'a'],
      [z.int(), 0],
      [z.boolean(), false],
      [z.null(), null],
    ] as const) {
      const result = await openMemory(createProbe(() => value, output)).call('probe');
      expect(result).toMatchObject({ structuredContent: value, content: [text(JSON.stringify(value))] });
    }
  });
});

describe('what a handler throws', () => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const failures: readonly [string, () => unknown][] = [
    [
      'an error',
      () => {
        throw new Error('SECRET at /etc/passwd');
      },
    ],
    ['an error later', () => Promise.reject(new Error('SECRET'))],
    [
      'text',
      () => {
        throw 'SECRET';
      },
    ],
    [
      'nothing',
      () => {
        throw undefined;
      },
    ],
    [
      'an object',
      () => {
        throw { message: 'SECRET', code: -32602 };
      },
    ],
    [
      'an error whose message throws',
      () => {
        throw Object.defineProperty(new Error('x'), 'message', {
          get() {
            throw new Error('SECRET');
          },
        });
      },
    ],
    ['a value that is a function', () => () => 'SECRET'],
    ['a value that is a symbol', () => Symbol('SECRET')],
    ['a value with a cycle', () => cyclic],
    [
      'a value whose toJSON throws',
      () => ({
        toJSON() {
          throw new Error('SECRET');
        },
      }),
    ],
  ];

  it.each(failures)('is hidden behind a reference, with its cause in the log: %s', async (_, run) => {
    const logger = createRecorder();
    const server = createServer(
      { name: 'probe', version: '1.0.0' },
      { logger, logRequests: 'all', createReference: () => 'ref-1' },
    );
    server.tool('probe', {}, run as () => string);
    const result = await openMemory(server).call('probe');
    expect(result).toMatchObject({
      resultType: 'complete',
      isError: true,
      content: [text('The tool probe failed (reference ref-1)')],
    });
    expect(JSON.stringify(result)).not.toContain('SECRET');
    expect(logger.lines.map(({ level }) => level)).toEqual(['error', 'info']);
    expect(logger.lines[0]?.fields).toMatchObject({ reference: 'ref-1', method: 'tools/call', name: 'probe' });
    expect(logger.lines[0]?.fields).toHaveProperty('err');
  });

  it('is shown where it is a ToolError, which is no failure of the server', async () => {
    const logger = createRecorder();
    const server = createServer({ name: 'probe', version: '1.0.0' }, { logger, logRequests: 'all' });
    server.tool('probe', {}, () => {
      throw new ToolError('The order belongs to somebody else', { code: 'forbidden' });
    });
    expect(await openMemory(server).call('probe')).toMatchObject({
      resultType: 'complete',
      isError: true,
      content: [text('The order belongs to somebody else')],
      structuredContent: { code: 'forbidden' },
    });
    expect(logger.lines.map(({ level }) => level)).toEqual(['info']);
  });

  it('is hidden behind the reference of an internal error where a full result cannot be written', async () => {
    const server = createProbe(() => ({ content: [], structuredContent: cyclic }));
    const { error } = await openMemory(server).request('tools/call', { name: 'probe' });
    expect(error).toEqual({ code: -32603, message: 'Internal error (reference ref-1)', data: { reference: 'ref-1' } });
  });

  it('[RES-10] [PRM-09] [COMP-06] is -32603 with a reference for other methods', async () => {
    const logger = createRecorder();
    const server = createServer({ name: 'probe', version: '1.0.0' }, { logger, createReference: () => 'ref-1' });
    const fail = (): never => {
      throw new Error('SECRET');
    };
    server
      .resource('mem://a', { name: 'a' }, fail)
      .resourceTemplate('mem://t/{id}', { name: 't', complete: { id: fail } }, fail)
      .prompt('p', {}, fail);
    const memory = openMemory(server);
    const responses = [
      await memory.request('resources/read', { uri: 'mem://a' }),
      await memory.request('resources/read', { uri: 'mem://t/1' }),
      await memory.request('prompts/get', { name: 'p' }),
      await memory.request('completion/complete', {
        ref: { type: 'ref/resource', uri: 'mem://t/{id}' },
        argument: { name: 'id', value: '' },
      }),
    ];
    for (const { error } of responses) {
      expect(error).toEqual({
        code: -32603,
        message: 'Internal error (reference ref-1)',
        data: { reference: 'ref-1' },
      });
    }
    const causes = logger.lines.filter(({ level }) => level === 'error');
    expect(causes.map(({ fields }) => (fields['err'] as Error).message)).toEqual([
      'SECRET',
      'SECRET',
      'SECRET',
      'SECRET',
    ]);
  });
});
