import { type Logger, ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { describe, expect, it } from 'vitest';
import { down, toolNames } from './catalog-servers.ts';
import { open } from './open-for-test.ts';
import { everything } from './open-test-host.ts';

describe('the merged catalog', () => {
  it('is sorted, the same whatever the order of servers and of their lists', async () => {
    const one = await open({
      b: createScriptedServer({ tools: [toolDefinition('y'), toolDefinition('x')] }),
      a: createScriptedServer({ tools: [toolDefinition('z')] }),
    });
    const two = await open({
      a: createScriptedServer({ tools: [toolDefinition('z')] }),
      b: createScriptedServer({ tools: [toolDefinition('x'), toolDefinition('y')] }),
    });
    expect(await toolNames(one)).toEqual(['a__z', 'b__x', 'b__y']);
    expect(await toolNames(two)).toEqual(await toolNames(one));
  });

  it('[TOOL-14] keeps tools of the same name apart, for calls and for policies [names-04]', async () => {
    const post = createScriptedServer({ tools: [toolDefinition('send'), toolDefinition('list')] });
    const pager = createScriptedServer({ tools: [toolDefinition('send')] });
    const agents = { reader: everything, careful: { allow: ['*'], deny: ['pager__send'] } };
    const host = await open({ post, pager }, { agents });
    expect(await toolNames(host)).toEqual(['pager__send', 'post__list', 'post__send']);
    await host.as('careful').call('post__send');
    expect(post.paramsOf('tools/call')).toMatchObject([{ name: 'send' }]);
    await expect(host.as('careful').call('pager__send')).rejects.toMatchObject({ code: -32602 });
    expect(pager.paramsOf('tools/call')).toEqual([]);
  });

  it('tells this process that a tool of a server that never answered is denied, and a caller nothing', async () => {
    const host = await open({ ops: down() }, { agents: { reader: { allow: ['shop__*'] } } });
    const reader = host.as('reader');
    const params = { name: 'ops__erase', arguments: {} };
    expect(await reader.invoke({ method: 'tools/call', params })).toMatchObject({
      kind: 'refused',
      verdict: { reason: 'denied' },
    });
    expect(await reader.invoke({ method: 'tools/call', params: { ...params, name: 'typo__erase' } })).toMatchObject({
      verdict: { reason: 'unknown' },
    });
    await expect(reader.call('ops__erase')).rejects.toMatchObject({ code: -32602 });
  });

  it('gives each tool back to its server under its exact name [names-01] [names-03] [names-05]', async () => {
    const long = 'summarise_quarterly_inventory_movements_by_warehouse_and_supplier_v';
    const offers: Record<string, string[]> = {
      'northern-warehouse-operations-and-billing-service': [`${long}1`, `${long}2`],
      depot: ['ship.create', 'ship_create', 'ship create', 'Ship.Create', 'größe'],
      仓库: ['get'],
      港口: ['get'],
      a: ['b__c'],
      a__b: ['c'],
      'my docs': ['get'],
    };
    const servers = Object.fromEntries(
      Object.entries(offers).map(([name, tools]) => [
        name,
        createScriptedServer({ tools: tools.map((each) => toolDefinition(each)) }),
      ]),
    );
    const host = await open(servers);
    const { tools } = await host.as('reader').tools();
    expect(tools).toHaveLength(Object.values(offers).flat().length);
    for (const { name, server, originalName } of tools) {
      expect(name).toMatch(/^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/);
      await host.as('reader').call(name);
      expect(servers[server]?.paramsOf('tools/call').at(-1)).toMatchObject({ name: originalName });
    }
  });

  it('shows a definition under its exposed name, with everything else as the server gave it', async () => {
    const definition = toolDefinition('t', {
      title: 'T',
      description: '<b>do what I say</b>',
      annotations: { readOnlyHint: true },
      _meta: { a: 1 },
    });
    const host = await open({ s: createScriptedServer({ tools: [definition] }) });
    expect((await host.as('reader').tools()).tools).toEqual([
      { ...definition, name: 's__t', server: 's', originalName: 't' },
    ]);
  });

  it('leaves a tool that cannot be used out alone, with a reason and one warning [schema-02] [schema-09]', async () => {
    const warnings: object[] = [];
    const logger: Logger = { info: () => undefined, warn: (fields) => warnings.push(fields), error: () => undefined };
    const tools = [
      toolDefinition('a'),
      { name: 'b' },
      { name: 'c', inputSchema: null },
      { name: 'd', inputSchema: { type: 'object', properties: null } },
      toolDefinition(''),
      toolDefinition('lone\ud800'),
      toolDefinition('bad_out', { outputSchema: { type: 'object', properties: { s: { $ref: '#/$defs/Missing' } } } }),
      toolDefinition('far_out', { outputSchema: { type: 'object', $ref: 'https://schemas.kiln.test/x.json' } }),
      toolDefinition('bad_in', {
        inputSchema: { type: 'object', properties: { s: { $ref: 'https://schemas.kiln.test/x.json' } } },
      }),
      toolDefinition('dialect', { inputSchema: { $schema: 'https://schemas.kiln.test/dialect/9', type: 'object' } }),
      toolDefinition('e', { inputSchema: { type: 'object', additionalProperties: false } }),
    ];
    const host = await open(
      { s: createScriptedServer({ tools }), other: createScriptedServer({ tools: [toolDefinition('x')] }) },
      {},
      { logger },
    );
    expect(await toolNames(host)).toEqual(['other__x', 's__a', 's__bad_out', 's__e']);
    const { leftOut = [] } = host.servers().find(({ name }) => name === 's') ?? {};
    expect(leftOut).toHaveLength(8);
    expect(leftOut.find(({ name }) => name === 'far_out')?.reason).toMatch(/outputSchema.*kiln/);
    expect(leftOut.find(({ name }) => name === 'bad_in')?.reason).toMatch(/inputSchema.*kiln/);
    expect(leftOut.find(({ name }) => name === 'dialect')?.reason).toMatch(/dialect/);
    for (const name of ['bad_out', 'far_out', 'bad_in', 'dialect']) {
      expect(warnings.filter((fields) => 'kind' in fields && 'name' in fields && fields.name === name)).toHaveLength(1);
    }
  });

  it('leaves a schema out that is too deep, and takes wide ones [schema-04]', async () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 2000; level += 1) deep = { type: 'object', properties: { p: deep } };
    const wide = Array.from({ length: 100 }, (_, index) =>
      toolDefinition(`wide${index}`, {
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(Array.from({ length: 200 }, (_each, at) => [`p${at}`, { type: 'string' }])),
        },
      }),
    );
    const host = await open({ s: createScriptedServer({ tools: [{ name: 'deep', inputSchema: deep }, ...wide] }) });
    expect(await toolNames(host)).toHaveLength(100);
    expect(host.servers()[0]?.leftOut).toMatchObject([
      { kind: 'tool', name: 'deep', reason: expect.stringMatching(/deep/) },
    ]);
  });

  it('warns of what is left out once, however often the list is read, and again of something new', async () => {
    const warnings: object[] = [];
    const logger: Logger = { info: () => undefined, warn: (fields) => warnings.push(fields), error: () => undefined };
    const server = createScriptedServer({ tools: [toolDefinition('a'), { name: 'b' }] });
    const host = await open({ s: server }, {}, { logger });
    await toolNames(host);
    await toolNames(host);
    expect(warnings).toMatchObject([{ server: 's', kind: 'tool', name: 'b' }]);
    server.script.tools = [toolDefinition('a'), { name: 'b' }, { name: 'c' }];
    await toolNames(host);
    expect(warnings).toMatchObject([{ name: 'b' }, { name: 'c' }]);
  });

  it('warns a thousand times at most of a server whose names change with each list', async () => {
    const warnings: string[] = [];
    const warn: Logger['warn'] = (_, message) => void warnings.push(message);
    const server = createScriptedServer({ tools: [] });
    const host = await open({ s: server }, {}, { logger: { info: () => undefined, warn, error: () => undefined } });
    for (let round = 0; round < 5; round += 1) {
      server.script.tools = Array.from({ length: 400 }, (_, index) => ({ name: `${round}-${index}` }));
      await toolNames(host);
    }
    expect(warnings).toHaveLength(1001);
    expect(warnings.at(-1)).toBe('more than 1000 entries of a server were left out; further ones are not reported');
  });

  it('names what it leaves out without what a terminal would obey', async () => {
    const uri = `doc://\u001b[2J\u202e${'x'.repeat(500)}`;
    const host = await open({ s: createScriptedServer({ resources: [{ uri, name: 'n' }] }) });
    await host.as('reader').resources();
    const names = host.servers().flatMap(({ leftOut = [] }) => leftOut.map(({ name }) => name));
    expect(names).toEqual([expect.stringMatching(/^doc:[^\p{Cc}\p{Cf}]{1,130}$/u)]);
  });

  it('takes a list that a server does not have for empty', async () => {
    const server = createScriptedServer({
      resources: [{ uri: 'doc://1', name: 'one' }],
      answer(method) {
        if (method === 'resources/templates/list') throw new ProtocolError('methodNotFound', 'no templates here');
        return undefined;
      },
    });
    const host = await open({ s: server });
    expect((await host.as('reader').resources()).resources).toHaveLength(1);
    expect(host.servers()).toMatchObject([{ state: 'ready', leftOut: [] }]);
  });

  it('keeps a list that a server refuses to give out of the way of its others', async () => {
    const server = createScriptedServer({
      tools: [toolDefinition('t')],
      prompts: [{ name: 'p' }],
      answer(method) {
        if (method === 'prompts/list') throw new ProtocolError('internalError', 'no');
        return undefined;
      },
    });
    const host = await open({ s: server });
    expect(await toolNames(host)).toEqual(['s__t']);
    expect(host.servers()).toMatchObject([
      {
        name: 's',
        state: 'ready',
        leftOut: [{ kind: 'prompt', name: 'the whole list', reason: expect.stringMatching(/refuses.*no/) }],
      },
    ]);
  });
});
