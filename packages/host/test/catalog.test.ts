import { type Logger, ProtocolError } from '@switchyard/protocol';
import { createScriptedServer, toolDefinition } from '@switchyard/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { Host } from '../src/host.ts';
import { createManualClock, rest } from './manual-clock.ts';
import { everything, openTestHost } from './open-test-host.ts';

const hosts: Host[] = [];
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

async function open(...args: Parameters<typeof openTestHost>): Promise<Host> {
  const host = await openTestHost(...args);
  hosts.push(host);
  return host;
}

async function toolNames(host: Host): Promise<string[]> {
  return (await host.as('reader').tools()).tools.map(({ name }) => name);
}

const down = () =>
  createScriptedServer({
    answer() {
      throw new ProtocolError('internalError', 'out of order');
    },
  });

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

  it('keeps tools of the same name apart, for calls and for policies [names-04]', async () => {
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
    expect(await toolNames(host)).toEqual(['other__x', 's__a', 's__e']);
    const { leftOut = [] } = host.servers().find(({ name }) => name === 's') ?? {};
    expect(leftOut).toHaveLength(8);
    expect(leftOut.find(({ name }) => name === 'bad_out')?.reason).toMatch(/outputSchema.*Missing/);
    expect(leftOut.find(({ name }) => name === 'bad_in')?.reason).toMatch(/inputSchema.*kiln/);
    expect(leftOut.find(({ name }) => name === 'dialect')?.reason).toMatch(/dialect/);
    for (const name of ['bad_out', 'bad_in', 'dialect']) {
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
    const twice = [1, 2].map(() => ({ uri, name: 'n' }));
    const host = await open({ s: createScriptedServer({ resources: twice }) });
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

describe('a server that is away', () => {
  it('hides nobody else’s tools, and is reported with its name', async () => {
    const host = await open({ dead: down(), ok: createScriptedServer({ tools: [toolDefinition('t')] }) });
    const listed = await host.as('reader').tools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['ok__t']);
    expect(listed.unavailable).toMatchObject([{ server: 'dead', message: expect.stringContaining('"dead"') }]);
    expect(host.servers()).toMatchObject([
      { name: 'dead', state: 'unavailable', error: { message: expect.stringContaining('"dead"') } },
      { name: 'ok', state: 'ready', tools: 1, era: 'modern', revision: '2026-07-28' },
    ]);
  });

  it('delays a list by its start timeout at most when it hangs, and by nothing while it is known to be away', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const ok = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ hanging, ok }, { limits: { startTimeoutMs: 3000 } }, clock);
    expect(host.servers().map(({ state }) => state)).toEqual(['starting', 'starting']);
    const listing = host.as('reader').tools();
    await clock.advance(3000);
    const listed = await listing;
    expect(listed.tools.map(({ name }) => name)).toEqual(['ok__t']);
    expect(listed.unavailable.map(({ server }) => server)).toEqual(['hanging']);
    expect((await host.as('reader').tools()).tools).toHaveLength(1);
  });

  it('does not keep a call to another server waiting', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const host = await open({ hanging, ok: createScriptedServer({ tools: [toolDefinition('t')] }) }, {}, clock);
    expect(await host.as('reader').call('ok__t')).toMatchObject({ content: [{ text: 'called t' }] });
  });

  it('is tried again on use after a back-off that grows, and never in between', async () => {
    const clock = createManualClock();
    const dead = down();
    const host = await open({ dead }, {}, clock);
    const attempts = () => dead.paramsOf('server/discover').length;
    await host.as('reader').tools();
    const first = attempts();
    for (const wait of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      const before = attempts();
      await clock.advance(wait - 1);
      for (let use = 0; use < 5; use += 1) await host.as('reader').tools();
      expect(attempts()).toBe(before);
      await clock.advance(1);
      await host.as('reader').tools();
      expect(attempts()).toBe(before + first);
    }
    await clock.advance(3_600_000);
    expect(attempts()).toBe(9 * first);
  });

  it('comes back with its tools once it answers', async () => {
    const clock = createManualClock();
    const server = createScriptedServer({
      tools: [toolDefinition('t')],
      answer() {
        throw new ProtocolError('internalError', 'booting');
      },
    });
    const host = await open({ server }, {}, clock);
    expect(await toolNames(host)).toEqual([]);
    delete server.script.answer;
    await clock.advance(1000);
    expect(await toolNames(host)).toEqual(['server__t']);
    expect(host.servers()).toMatchObject([{ state: 'ready' }]);
  });

  it('keeps its last known catalog in the lists', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server });
    expect(await toolNames(host)).toEqual(['server__t']);
    server.respond = () => Promise.reject(new Error('gone'));
    const listed = await host.as('reader').tools();
    expect(listed.tools.map(({ name }) => name)).toEqual(['server__t']);
    expect(listed.unavailable).toMatchObject([{ server: 'server' }]);
    expect(host.servers()).toMatchObject([{ state: 'unavailable', tools: 1 }]);
  });
});

describe('one tool', () => {
  it('is answered while another server hangs, and before anything was listed', async () => {
    const clock = createManualClock();
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const definition = toolDefinition('t', {
      description: 'does it',
      inputSchema: { type: 'object', properties: { a: {} } },
    });
    const host = await open({ hanging, ok: createScriptedServer({ tools: [definition] }) }, {}, clock);
    expect(await host.as('reader').tool('ok__t')).toEqual({
      ...definition,
      name: 'ok__t',
      server: 'ok',
      originalName: 't',
    });
  });

  it('that is known asks no server anything, fresh or not', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server });
    const listed = (await host.as('reader').tools()).tools[0];
    const asked = server.requests.length;
    expect(await host.as('reader').tool('server__t')).toBe(listed);
    expect(server.requests).toHaveLength(asked);
  });

  it('that was added since is found, and guessing names does not have the list read each time', async () => {
    const clock = createManualClock();
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server }, {}, clock);
    await host.as('reader').tools();
    server.script.tools = [toolDefinition('t'), toolDefinition('u')];
    const lists = server.paramsOf('tools/list').length;
    for (let guess = 0; guess < 5; guess += 1) expect(await host.as('reader').tool('server__u')).toBeUndefined();
    expect(server.paramsOf('tools/list')).toHaveLength(lists);
    await clock.advance(1000);
    expect(await host.as('reader').tool('server__u')).toMatchObject({ originalName: 'u' });
  });

  it('out of the agent’s reach, of no server, or of one that is away is undefined', async () => {
    const agents = { reader: { allow: ['ok__*', 'dead__*'], deny: ['ok__secret'] } };
    const ok = createScriptedServer({ tools: [toolDefinition('t'), toolDefinition('secret')] });
    const host = await open(
      { ok, dead: down(), other: createScriptedServer({ tools: [toolDefinition('t')] }) },
      { agents },
    );
    for (const name of ['ok__secret', 'ok__unknown', 'other__t', 'dead__t', 'nowhere', '']) {
      expect(await host.as('reader').tool(name)).toBeUndefined();
    }
    expect(await host.as('reader').tool('ok__t')).toMatchObject({ name: 'ok__t' });
  });

  it('is given up with the reason of the signal', async () => {
    const hanging = createScriptedServer({ answer: () => new Promise(() => undefined) });
    const host = await open({ hanging }, {}, createManualClock());
    const controller = new AbortController();
    const asking = host.as('reader').tool('hanging__t', { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});

describe('the freshness of a catalog', () => {
  it('is what the server says: it is read again when it has passed, not before', async () => {
    const clock = createManualClock();
    const server = createScriptedServer({ tools: [toolDefinition('t')], ttlMs: 5000 });
    const host = await open({ server }, {}, clock);
    await toolNames(host);
    server.script.tools = [toolDefinition('t'), toolDefinition('u')];
    expect(await toolNames(host)).toEqual(['server__t']);
    await clock.advance(5000);
    expect(await toolNames(host)).toEqual(['server__t', 'server__u']);
    expect(server.paramsOf('tools/list')).toHaveLength(2);
  });

  it('does not keep a tool from being called that was added since, and guessing names does not have it read each time', async () => {
    const clock = createManualClock();
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server }, {}, clock);
    await toolNames(host);
    server.script.tools = [toolDefinition('t'), toolDefinition('u')];
    const lists = server.paramsOf('tools/list').length;
    for (let guess = 0; guess < 5; guess += 1) {
      await expect(host.as('reader').call('server__u')).rejects.toMatchObject({ code: -32602 });
    }
    expect(server.paramsOf('tools/list')).toHaveLength(lists);
    await clock.advance(1000);
    expect(await host.as('reader').call('server__u')).toMatchObject({ content: [{ text: 'called u' }] });
  });

  it('is not asked about twice at the same time', async () => {
    const server = createScriptedServer({ tools: [toolDefinition('t')] });
    const host = await open({ server });
    await Promise.all(Array.from({ length: 10 }, () => toolNames(host)));
    expect(server.paramsOf('tools/list').length).toBeLessThanOrEqual(2);
  });
});

describe('the host', () => {
  it('refuses an agent that is not configured and names those that are', async () => {
    const host = await open({}, { agents: { reader: {}, writer: {} } });
    expect(() => host.as('admin')).toThrow(/"admin".*reader, writer/);
    for (const name of ['toString', '__proto__', '']) expect(() => host.as(name)).toThrow(/no agent/);
    expect(host.agents).toEqual(['reader', 'writer']);
  });

  it.each(['taken', 'off', '', 'a/b', 'a:b', 'a*', ' a', 'a\n', 'x'.repeat(65)])(
    'refuses to mount a server as %j',
    async (name) => {
      const host = await open(
        { taken: createScriptedServer({}) },
        { mcpServers: { off: { command: 'node', disabled: true } } },
      );
      expect(() => host.mount(name, createScriptedServer({}))).toThrow(/the server name .* must|already/s);
      expect(host.servers().map(({ name: server, state }) => [server, state])).toContainEqual(['off', 'disabled']);
    },
  );

  it('takes a server that is mounted later into catalog and policies', async () => {
    const host = await open({}, { agents: { reader: { allow: ['*'], deny: ['my docs__*'] } } });
    const agent = host.as('reader');
    expect((await agent.tools()).tools).toEqual([]);
    host.mount('late', createScriptedServer({ tools: [toolDefinition('t')] }));
    host.mount('my docs', createScriptedServer({ tools: [toolDefinition('get')] }));
    expect((await agent.tools()).tools.map(({ name }) => name)).toEqual(['late__t']);
  });

  it('ends what runs when it is closed, records its outcome, and takes no more', async () => {
    const server = createScriptedServer({
      tools: [toolDefinition('t')],
      answer: (method) => (method === 'tools/call' ? new Promise(() => undefined) : undefined),
    });
    const host = await openTestHost({ server });
    const agent = host.as('reader');
    await agent.tools();
    const call = agent.invoke({ method: 'tools/call', params: { name: 'server__t' } });
    await rest();
    await Promise.all([host.close(), host.close()]);
    expect(await call).toMatchObject({ kind: 'failed', verdict: { reason: 'unavailable' } });
    expect(await agent.invoke({ method: 'tools/call', params: { name: 'server__t' } })).toMatchObject({
      kind: 'refused',
    });
    expect(() => host.as('reader')).toThrow(/closed/);
    await expect(host.audit.list()).rejects.toMatchObject({ code: 'audit' });
  });

  it('shows each agent’s policy as Cedar', async () => {
    const host = await open({}, { agents: { reader: { allow: ['a__*'] } } });
    expect(host.as('reader').policy).toContain('resource.name like "a__*"');
  });
});
