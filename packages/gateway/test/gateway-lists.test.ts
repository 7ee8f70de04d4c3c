import { connect } from '@switchyard/client';
import { createServer } from '@switchyard/server';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { openTestGateway } from './open-test-gateway.ts';
import { untilTestEnds } from './until-test-ends.ts';

function toolsOf(result: { readonly [member: string]: unknown } | undefined): { readonly name: string }[] {
  return result?.['tools'] as { readonly name: string }[];
}

describe('the lists of the gateway', () => {
  it('declares exactly what it honours, and its own name', async () => {
    const gateway = await untilTestEnds(openTestGateway({}));
    const { message } = await gateway.send('server/discover');
    expect(message.result).toMatchObject({
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'switchyard' } },
    });
    expect(Object.keys(message.result?.['capabilities'] as object)).toHaveLength(4);
    for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
      expect((await gateway.send(method)).status).toBe(200);
    }
    expect((await gateway.send('logging/setLevel', { level: 'info' })).message.error).toMatchObject({ code: -32601 });
  });

  it('lists what the agent reaches under exposed names, as the server defined it', async () => {
    const definition = toolDefinition('get', {
      description: 'Gets',
      outputSchema: { type: 'object' },
      _meta: { 'com.example/x': 1 },
    });
    const orders = createScriptedServer({ tools: [definition, toolDefinition('cancel')] });
    const gateway = await untilTestEnds(
      openTestGateway({ orders }, { agents: { reader: { allow: ['orders__get'] } } }),
    );
    const { message } = await gateway.send('tools/list');
    expect(message.result).toMatchObject({ resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' });
    expect(toolsOf(message.result)).toEqual([{ ...definition, name: 'orders__get' }]);
  });

  it('lists resources, templates and prompts without anything of its own in them', async () => {
    const orders = createScriptedServer({
      resources: [{ uri: 'policy://refunds', name: 'refunds' }],
      resourceTemplates: [{ uriTemplate: 'orders://{id}', name: 'order' }],
      prompts: [{ name: 'review', arguments: [{ name: 'file' }] }],
    });
    const gateway = await untilTestEnds(openTestGateway({ orders }));
    const [resources, templates, prompts] = await Promise.all([
      gateway.send('resources/list'),
      gateway.send('resources/templates/list'),
      gateway.send('prompts/list'),
    ]);
    expect(resources.message.result?.['resources']).toEqual([{ uri: 'policy://refunds', name: 'refunds' }]);
    expect(templates.message.result?.['resourceTemplates']).toEqual([{ uriTemplate: 'orders://{id}', name: 'order' }]);
    expect(prompts.message.result?.['prompts']).toEqual([{ name: 'orders__review', arguments: [{ name: 'file' }] }]);
  });

  it('cuts a list into pages of at most 500 whose cursors lead through all of it', async () => {
    const names = Array.from({ length: 1200 }, (_, index) => `t${String(index).padStart(4, '0')}`);
    const gateway = await untilTestEnds(
      openTestGateway({ many: createScriptedServer({ tools: names.map((name) => toolDefinition(name)) }) }),
    );
    const seen: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const { message } = await gateway.send('tools/list', cursor === undefined ? {} : { cursor });
      const page = toolsOf(message.result);
      sizes.push(page.length);
      seen.push(...page.map(({ name }) => name));
      cursor = message.result?.['nextCursor'] as string | undefined;
    } while (cursor !== undefined);
    expect(sizes).toEqual([500, 500, 200]);
    expect(seen).toEqual(names.map((name) => `many__${name}`));
  });

  it('goes on after the last entry that the holder of a cursor saw, though that is gone', async () => {
    const server = createScriptedServer({ tools: ['a', 'b', 'c', 'd'].map((name) => toolDefinition(name)) });
    const gateway = await untilTestEnds(openTestGateway({ s: server }, {}, { pageSize: 2 }));
    const first = await gateway.send('tools/list');
    server.script.tools = ['a', 'bb', 'd'].map((name) => toolDefinition(name));
    const second = await gateway.send('tools/list', { cursor: first.message.result?.['nextCursor'] });
    expect(toolsOf(second.message.result).map(({ name }) => name)).toEqual(['s__bb', 's__d']);
  });

  it('pages through entries whose names and URIs are as long as they come, wherever a page ends', async () => {
    const long = (index: number): string => `${index}${'"€'.repeat(1000)}`;
    const server = createScriptedServer({
      tools: [0, 1, 2].map((index) => toolDefinition(long(index))),
      prompts: [0, 1, 2].map((index) => ({ name: long(index) })),
      resources: [...[0, 1, 2].map(long), ...['a', 'b'].map((name) => name.repeat(2900))].map((uri) => ({
        uri,
        name: 'n',
      })),
      resourceTemplates: [...[0, 1].map(long), ...['a', 'b'].map((name) => name.repeat(2900))].map((uriTemplate) => ({
        uriTemplate,
        name: 'n',
      })),
    });
    const gateway = await untilTestEnds(openTestGateway({ s: server, t: server }, {}, { pageSize: 1 }));
    const counts: Record<string, number> = {};
    for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) {
      let cursor: string | undefined;
      counts[list] = 0;
      do {
        const { status, message } = await gateway.send(`${list}/list`, cursor === undefined ? {} : { cursor });
        expect(status).toBe(200);
        counts[list] += 1;
        cursor = message.result?.['nextCursor'] as string | undefined;
      } while (cursor !== undefined);
    }
    expect(counts).toEqual({ tools: 6, prompts: 6, resources: 4, 'resources/templates': 4 });
  });

  it('refuses a cursor that it did not give, or gave for another list, with -32602', async () => {
    const tools = ['a', 'b', 'c'].map((name) => toolDefinition(name));
    const gateway = await untilTestEnds(
      openTestGateway({ s: createScriptedServer({ tools, prompts: [] }) }, {}, { pageSize: 1 }),
    );
    const { message } = await gateway.send('tools/list');
    const ofTools = message.result?.['nextCursor'];
    for (const [method, cursor] of [
      ['tools/list', 'nonsense'],
      ['tools/list', ''],
      ['prompts/list', ofTools],
    ] as const) {
      expect((await gateway.send(method, { cursor })).message.error).toMatchObject({ code: -32602 });
    }
  });

  it('waits for a starting server at most its start timeout, then lists what is there as stale', async () => {
    const orders = createServer({ name: 'orders', version: '1' }).tool('get', { description: 'Gets' }, () => 'got');
    const silent = { respond: () => new Promise<undefined>(() => undefined) };
    const gateway = await untilTestEnds(openTestGateway({ orders, silent }, { limits: { startTimeoutMs: 150 } }));
    const { message } = await gateway.send('tools/list');
    expect(toolsOf(message.result).map(({ name }) => name)).toEqual(['orders__get']);
    expect(message.result).toMatchObject({ ttlMs: 0 });
  });

  it('[HDR-32] leaves a tool with invalid header annotations out over HTTP, with one warning, and keeps the others', async () => {
    const invalid = {
      type: 'object',
      properties: { list: { type: 'array', items: { type: 'string', 'x-mcp-header': 'List' } } },
    };
    const server = createScriptedServer({
      tools: [toolDefinition('bad', { inputSchema: invalid }), toolDefinition('good')],
    });
    const gateway = await untilTestEnds(openTestGateway({ s: server }));
    for (let round = 0; round < 2; round += 1) {
      const { message } = await gateway.send('tools/list');
      expect(toolsOf(message.result).map(({ name }) => name)).toEqual(['s__good']);
    }
    const warnings = gateway.warnings.filter(({ fields }) => 'name' in fields && fields.name === 's__bad');
    expect(warnings).toHaveLength(1);
  });

  it('is a whole server to our own client', async () => {
    const orders = createServer({ name: 'orders', version: '1' })
      .tool(
        'get',
        { description: 'Gets', input: { type: 'object', properties: { id: { type: 'string' } } } },
        ({ id }) => `order ${String(id)}`,
      )
      .resourceTemplate(
        'orders://{id}',
        { name: 'order', complete: { id: () => ['A-104'] } },
        ({ id }) => `order ${String(id)}`,
      )
      .prompt('review', { description: 'Reviews', args: {} }, () => 'Review it');
    const gateway = await untilTestEnds(openTestGateway({ orders }));
    const client = await untilTestEnds(connect(gateway.url));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['orders__get']);
    expect(await client.callTool('orders__get', { id: 'A-104' })).toMatchObject({ content: [{ text: 'order A-104' }] });
    expect(await client.readResource('orders://A-104')).toMatchObject({ contents: [{ text: 'order A-104' }] });
    expect(await client.getPrompt('orders__review')).toMatchObject({ messages: [{ content: { text: 'Review it' } }] });
    expect(
      await client.complete({
        ref: { type: 'ref/resource', uri: 'orders://{id}' },
        argument: { name: 'id', value: 'A' },
      }),
    ).toMatchObject({ completion: { values: ['A-104'] } });
  });
});
