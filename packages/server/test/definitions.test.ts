import { createServer, type Server, silentLogger, type ValueSchema } from '@switchyard/server';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';

import { openMemory } from './memory-route.ts';

const create = (): Server => createServer({ name: 'definitions', version: '1.0.0' }, { logger: silentLogger });
const withHeader = (schema: object): ValueSchema => ({ type: 'object', properties: { a: schema } });

describe('a definition', () => {
  it.each(['', 'a b', 'a,b', 'a/b', 'ä', 'a\n', 'a'.repeat(129), 'a:b'])(
    '[TOOL-09] [TOOL-10] [TOOL-13] is refused with the name %j',
    (name) => {
      expect(() => create().tool(name, {}, () => 'x')).toThrow(TypeError);
      expect(() => create().prompt(name, {}, () => 'x')).toThrow(TypeError);
    },
  );

  it.each(['a', 'A-1_b.c', '__proto__', 'constructor', 'a'.repeat(128)])(
    'is served under the name %j',
    async (name) => {
      const server = create()
        .tool(name, {}, () => 'ran')
        .prompt(name, {}, () => 'ran');
      expect(await openMemory(server).call(name)).toMatchObject({ content: [{ text: 'ran' }] });
      expect((await openMemory(server).request('prompts/get', { name })).result).toMatchObject({ messages: [{}] });
    },
  );

  it.each([
    ['[META-13]', 'com..example/a', /no key of metadata/],
    ['[META-13]', '/a', /no key of metadata/],
    ['[META-15]', 'io.modelcontextprotocol/serverInfo', /belongs to the protocol/],
    ['[META-15]', 'com.MCP.tools/a', /belongs to the protocol/],
    ['[META-15]', 'progressToken', /belongs to the protocol/],
    ['[META-16]', 'com.example/-a', /no key of metadata/],
  ])('%s is refused with the meta key %j', (_, key, problem) => {
    const definition = { name: 'a', meta: { 'com.example/fine': 1, [key]: 1 } };
    expect(() => create().tool('a', definition, () => 'x')).toThrow(problem);
    expect(() => create().prompt('a', definition, () => 'x')).toThrow(problem);
    expect(() => create().resource('mem://a', definition, () => 'x')).toThrow(problem);
    expect(() => create().resourceTemplate('mem://{a}', definition, () => 'x')).toThrow(problem);
  });

  it('is served with a meta key that an official extension defines', async () => {
    const meta = { 'io.modelcontextprotocol/ui': { resourceUri: 'ui://a' } };
    const memory = openMemory(create().tool('a', { meta }, () => 'x'));
    expect((await memory.request('tools/list')).result).toMatchObject({ tools: [{ name: 'a', _meta: meta }] });
  });

  it('[TOOL-12] is refused under a name, URI or template that is taken, but not for its letter case', () => {
    const server = create()
      .tool('a', {}, () => 'x')
      .prompt('a', {}, () => 'x')
      .resource('mem://a', { name: 'a' }, () => 'x')
      .resourceTemplate('mem://{a}', { name: 'a' }, () => 'x');
    expect(() => server.tool('a', {}, () => 'x')).toThrow(/tool "a"/);
    expect(() => server.prompt('a', {}, () => 'x')).toThrow(/prompt "a"/);
    expect(() => server.resource('mem://a', { name: 'b' }, () => 'x')).toThrow(/resource "mem:\/\/a"/);
    expect(() => server.resourceTemplate('mem://{a}', { name: 'b' }, () => 'x')).toThrow(/resource template/);
    server.tool('A', {}, () => 'x');
  });

  it.each<[string, unknown]>([
    ['an array', z.array(z.string())],
    ['a string', z.string()],
    ['a JSON Schema of another type', { type: 'array' }],
    ['a JSON Schema without a type', { properties: {} }],
    ['a list of types', { type: ['object', 'null'] }],
    ['text', 'object'],
    ['a number', 7],
    ['true', true],
    ['a valibot schema that is not wrapped', v.object({ a: v.string() })],
  ])('[TOOL-06] is refused with an input that is %s', (_, input) => {
    expect(() => create().tool('t', { input: input as ValueSchema }, () => 'x')).toThrow(TypeError);
  });

  it.each<[string, object]>([
    ['a keyword of a wrong type', { type: 'object', properties: 7 }],
    ['a type that does not exist', withHeader({ type: 'text' })],
    ['a reference into a place that is not there', withHeader({ $ref: '#/$defs/absent' })],
    ['a reference to the network', withHeader({ $ref: 'https://schemas.kiln.test/x.json' })],
    ['a dialect that nobody speaks', { $schema: 'https://schemas.kiln.test/dialect/9', type: 'object' }],
  ])('[JSCH-03] [JSCH-04] [JSCH-10] [schema-05] is refused, at the latest at its call, with %s', async (_, input) => {
    let runs = 0;
    const server = create();
    let refused: unknown;
    try {
      server.tool('bad', { input: input as ValueSchema }, () => String((runs += 1)));
    } catch (error) {
      refused = error;
    }
    server.tool('good', {}, () => 'ran');
    if (refused === undefined) expect(await openMemory(server).call('bad', { a: 1 })).toMatchObject({ isError: true });
    else expect(refused).toBeInstanceOf(Error);
    expect(runs).toBe(0);
    expect(await openMemory(server).call('good')).toMatchObject({ content: [{ text: 'ran' }] });
  });

  it.each<[string, object]>([
    ['[HDR-24] an empty name', withHeader({ type: 'string', 'x-mcp-header': '' })],
    ['[HDR-25] a space', withHeader({ type: 'string', 'x-mcp-header': 'A B' })],
    ['[HDR-25] a colon', withHeader({ type: 'string', 'x-mcp-header': 'A:B' })],
    ['[HDR-25] a letter outside ASCII', withHeader({ type: 'string', 'x-mcp-header': 'Ä' })],
    ['[HDR-26] a line break', withHeader({ type: 'string', 'x-mcp-header': 'A\r\nB' })],
    [
      '[HDR-27] a name that differs in letter case alone',
      {
        type: 'object',
        properties: { a: { type: 'string', 'x-mcp-header': 'Zone' }, b: { type: 'string', 'x-mcp-header': 'zone' } },
      },
    ],
    ['[HDR-28] a number', withHeader({ type: 'number', 'x-mcp-header': 'A' })],
    ['[HDR-28] an object', withHeader({ type: 'object', 'x-mcp-header': 'A' })],
    [
      '[HDR-30] [HDR-31] a place below items',
      withHeader({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } }),
    ],
    ['[HDR-31] a place below anyOf', withHeader({ anyOf: [{ type: 'string', 'x-mcp-header': 'A' }] })],
  ])('trap 11: is refused with an x-mcp-header of %s', (_, input) => {
    expect(() => create().tool('t', { input: input as ValueSchema }, () => 'x')).toThrow(/x-mcp-header/);
  });

  it.each(['', 'orders', '/orders', '//host/orders', 'mem:'.slice(0, 3)])(
    '[RES-14] is refused with the URI %j',
    (uri) => {
      expect(() => create().resource(uri, { name: 'r' }, () => 'x')).toThrow(TypeError);
    },
  );

  it.each(['mem://{', 'mem://{a', 'mem://{a b}', 'mem://{}'])(
    '[RES-07] is refused with the template %j',
    (template) => {
      expect(() => create().resourceTemplate(template, { name: 'r' }, () => 'x')).toThrow(/template/i);
    },
  );

  it.each<[string, ValueSchema, RegExp]>([
    ['a type that JSON lacks', z.object({ day: z.date() }), /Date/],
    ['a schema of another dialect', { $schema: 'https://schemas.kiln.test/dialect/9', type: 'object' }, /dialect/],
    ['no schema', 7 as never, /must be a Standard Schema/],
  ])('is refused with %s by an error that names the tool and the side', (_, schema, reason) => {
    for (const side of ['input', 'output']) {
      const define = (): unknown => create().tool('a_tool', { [side]: schema }, () => 'x');
      expect(define).toThrow(TypeError);
      expect(define).toThrow(new RegExp(`^tool a_tool: the ${side} schema cannot be served: `));
      expect(define).toThrow(reason);
    }
  });

  it('is refused where it completes a variable that its template does not have', () => {
    expect(() => create().resourceTemplate('mem://{a}', { name: 'r', complete: { b: () => [] } }, () => 'x')).toThrow(
      /"b"/,
    );
  });

  it('[TOOL-01] is listed as it was described', async () => {
    const server = create().tool(
      't',
      {
        title: 'T',
        description: 'The t',
        input: { type: 'object' },
        output: { type: 'object', properties: { a: { type: 'integer' } } },
        annotations: { readOnlyHint: true, openWorldHint: false },
        icons: [{ src: 'data:image/png;base64,AA==', sizes: ['48x48'], theme: 'dark' }],
        meta: { 'com.example/a': 1 },
        requires: ['sampling'],
      },
      () => ({ a: 1 }),
    );
    const { result } = await openMemory(server).request('tools/list');
    expect(result?.['tools']).toStrictEqual([
      {
        name: 't',
        title: 'T',
        description: 'The t',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', properties: { a: { type: 'integer' } } },
        annotations: { readOnlyHint: true, openWorldHint: false },
        icons: [{ src: 'data:image/png;base64,AA==', sizes: ['48x48'], theme: 'dark' }],
        _meta: { 'com.example/a': 1 },
      },
    ]);
  });

  it('cannot be changed after it was made', async () => {
    const input = { type: 'object', properties: { a: { type: 'string' } } };
    const server = create().tool('t', { input }, () => 'ran');
    const before = (await openMemory(server).request('tools/list')).result?.['tools'];
    input.properties.a.type = 'integer';
    server.tool('u', {}, () => 'x');
    expect((await openMemory(server).request('tools/list')).result?.['tools']).toEqual(
      expect.arrayContaining(before as unknown[]),
    );
  });
});
