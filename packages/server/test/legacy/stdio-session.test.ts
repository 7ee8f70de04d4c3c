import { createClientCounts, legacyClients } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { openStdio } from '../stdio-route.ts';
import { callOf, requestOf } from '../wire.ts';
import { initializeOf, legacyRequest, notificationOf } from './legacy-route.ts';
import { createLegacyServer } from './legacy-server.ts';
import { answerTo, askOf, initialized, open } from './stdio-client.ts';

describe('initialize over stdio', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    '[LEGS-01] [LEGS-02] [VER-09] [version-02] settles the revision %s that is asked for',
    async (revision) => {
      const route = await initialized(revision);
      expect((await answerTo(route, 0)).result).toMatchObject({
        protocolVersion: revision,
        serverInfo: { name: 'old', version: '1.0.0' },
        instructions: 'Be kind',
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
      });
      await route.end();
    },
  );

  it.each(['2031-01-01', '2024-01-01', 'banana', '2026-07-28'])(
    '[LEGS-02] [version-02] offers the newest legacy revision to who asks for %s',
    async (revision) => {
      const route = await initialized(revision);
      expect((await answerTo(route, 0)).result).toMatchObject({ protocolVersion: '2025-11-25' });
      await route.end();
    },
  );

  it('refuses one without a version, and takes the next one', async () => {
    const route = await open();
    route.send(legacyRequest('initialize', { capabilities: {} }, 1));
    route.send(initializeOf('2025-11-25', {}, 2));
    expect((await answerTo(route, 1)).error).toMatchObject({
      code: -32602,
      message: 'params.protocolVersion must be present',
    });
    expect((await answerTo(route, 2)).result).toMatchObject({ protocolVersion: '2025-11-25' });
    await route.end();
  });

  it('refuses a second one', async () => {
    const route = await initialized();
    route.send(initializeOf('2024-11-05', {}, 2));
    expect((await answerTo(route, 2)).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/initialized already/) as string,
    });
    await route.end();
  });

  it('[LEGS-04] [LEGB-03] answers ping before and after it', async () => {
    const route = await open();
    route.send(legacyRequest('ping', {}, 1));
    route.send(initializeOf('2025-11-25', {}, 2));
    route.send({ jsonrpc: '2.0', id: 3, method: 'ping' });
    expect((await answerTo(route, 1)).result).toEqual({});
    expect((await answerTo(route, 3)).result).toEqual({});
    await route.end();
  });

  it('says what is missing to a request that comes before it', async () => {
    const route = await open();
    route.send(legacyRequest('tools/list', {}, 1));
    expect((await answerTo(route, 1)).error).toMatchObject({ code: -32602, message: expect.stringContaining('_meta') });
    await route.end();
  });

  it.each([
    [{ sampling: { tools: {} } }],
    [{ elicitation: { form: {}, url: {}, hologram: {} } }],
    [{ extensions: { 'com.example/zip': { level: 9 } } }],
    [{ experimental: { x: 1 }, tasks: { list: {} } }],
    [{ roots: null, sampling: true, elicitation: [] }],
  ])('[version-06] takes the capabilities %j', async (capabilities) => {
    const route = await initialized('2025-11-25', capabilities);
    route.send(legacyRequest('tools/call', { name: 'greet', arguments: { name: 'Ada' } }, 1));
    expect((await answerTo(route, 1)).result).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
    await route.end();
  });
});

describe('one process for both eras', () => {
  it('[VER-07] [VER-08] [VER-17] serves modern requests beside a session', async () => {
    const route = await initialized();
    route.send(callOf('greet', { name: 'Ada' }, { id: 'modern' }));
    route.send(legacyRequest('tools/call', { name: 'greet', arguments: { name: 'Ada' } }, 'legacy'));
    route.send(requestOf('ping', {}, { id: 'ping' }));
    expect((await answerTo(route, 'modern')).result).toMatchObject({ resultType: 'complete' });
    expect((await answerTo(route, 'legacy')).result).not.toHaveProperty('resultType');
    expect((await answerTo(route, 'ping')).error).toMatchObject({ code: -32601 });
    await route.end();
  });

  it('[VER-17] gives modern errors to what claims to be modern, even in a session', async () => {
    const route = await initialized();
    route.send(requestOf('tools/list', {}, { id: 1, meta: { 'io.modelcontextprotocol/clientCapabilities': {} } }));
    expect((await answerTo(route, 1)).error).toMatchObject({ code: -32602 });
    await route.end();
  });

  it('cancels requests of each era by their ids', async () => {
    const route = await initialized();
    route.send(callOf('wait', {}, { id: 'modern' }));
    route.send(legacyRequest('tools/call', { name: 'wait' }, 'legacy'));
    for (const requestId of ['modern', 'legacy'])
      route.send(notificationOf('notifications/cancelled', { requestId, reason: requestId }));
    await route.end();
    expect(route.traces.reasons.sort()).toEqual(['cancelled: legacy', 'cancelled: modern']);
    expect(route.messages().filter(({ id }) => id === 'modern' || id === 'legacy')).toEqual([]);
  });

  it('[VER-14] without the adapter, names what it speaks to initialize', async () => {
    const route = await openStdio(createLegacyServer().server, { legacy: false });
    route.send(initializeOf('2025-11-25'));
    expect((await answerTo(route, 0)).error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    });
    await route.end();
  });
});

describe('requests in a session over stdio', () => {
  it('[LEGS-05] has the methods of the session’s revision and no other', async () => {
    const route = await initialized();
    for (const [id, method] of ['server/discover', 'subscriptions/listen', 'tasks/list', 'toString'].entries()) {
      route.send(legacyRequest(method, {}, `m${id}`));
      expect((await answerTo(route, `m${id}`)).error).toMatchObject({ code: -32601 });
    }
    await route.end();
  });

  it('takes params that are null for absent, and ignores what the revision has no meaning for', async () => {
    const route = await initialized();
    route.send(legacyRequest('tools/list', { cursor: null, _meta: null }, 1));
    const params = {
      name: 'greet',
      arguments: { name: 'Ada' },
      task: { ttl: 1 },
      requestState: 'x',
      inputResponses: {},
    };
    route.send(legacyRequest('tools/call', params, 2));
    expect((await answerTo(route, 1)).result).toHaveProperty('tools');
    expect((await answerTo(route, 2)).result).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
    await route.end();
  });

  it('[LEGS-23] says -32002 of a resource that is not there', async () => {
    const route = await initialized();
    route.send(legacyRequest('resources/read', { uri: 'mem://absent' }, 1));
    expect((await answerTo(route, 1)).error).toMatchObject({ code: -32002, data: { uri: 'mem://absent' } });
    await route.end();
  });

  it('[LEGS-31] answers bad arguments with a result', async () => {
    const route = await initialized();
    route.send(legacyRequest('tools/call', { name: 'greet', arguments: { name: 7 } }, 1));
    expect((await answerTo(route, 1)).result).toMatchObject({ isError: true });
    await route.end();
  });

  it('bounds the arguments of a call as ever', async () => {
    const { server } = createLegacyServer({ maxArgumentChars: 20 });
    const route = await openStdio(server);
    route.send(initializeOf('2025-11-25'));
    route.send(legacyRequest('tools/call', { name: 'greet', arguments: { name: 'x'.repeat(20) } }, 1));
    expect((await answerTo(route, 1)).error).toMatchObject({ code: -32602 });
    await route.end();
  });

  it('[LEGS-30] drops structured content that is no object, and the schema that promises it', async () => {
    const route = await initialized();
    route.send(legacyRequest('tools/call', { name: 'list' }, 1));
    route.send(legacyRequest('tools/list', {}, 2));
    const { result } = await answerTo(route, 1);
    expect(result).toEqual({ content: [{ type: 'text', text: '[1,2]' }] });
    const { tools } = (await answerTo(route, 2)).result as { tools: { name: string }[] };
    expect(tools.find(({ name }) => name === 'list')).not.toHaveProperty('outputSchema');
    await route.end();
  });

  it('refuses an id that still runs, and takes it again afterwards', async () => {
    const route = await initialized('2025-11-25', { elicitation: {} });
    route.send(legacyRequest('tools/call', { name: 'ask' }, 5));
    const ask = await askOf(route, 'elicitation/create');
    route.send(legacyRequest('tools/list', {}, 5));
    expect((await route.seen(({ error }) => error !== undefined)).error).toMatchObject({ code: -32600 });
    route.send({ jsonrpc: '2.0', id: ask.id, result: { action: 'decline' } });
    expect((await route.seen(({ id, result }) => id === 5 && result !== undefined)).result).toMatchObject({
      content: [{ text: 'decline' }],
    });
    await route.end();
  });

  it('tells the handler what the client said of itself, once for all requests', async () => {
    const route = await initialized('2025-11-25', { sampling: {}, elicitation: {} });
    route.send(legacyRequest('tools/call', { name: 'who' }, 1));
    expect((await answerTo(route, 1)).result?.['structuredContent']).toEqual({
      client: { name: 'probe', version: '1.0.0' },
      capabilities: { sampling: {}, elicitation: {} },
      subject: null,
    });
    await route.end();
  });

  it.each([
    ['no token', {}, []],
    ['"007"', { progressToken: '007' }, ['007', '007', '007', '007']],
    ['0', { progressToken: 0 }, [0, 0, 0, 0]],
    ['""', { progressToken: '' }, ['', '', '', '']],
  ] as const)(
    '[LEGB-01] [progress-01] [progress-03] reports growing progress under the token: %s',
    async (_name, _meta, tokens) => {
      const route = await initialized();
      route.send(legacyRequest('tools/call', { name: 'count', _meta }, 1));
      await answerTo(route, 1);
      const told = route.messages().filter(({ method }) => method === 'notifications/progress');
      expect(told.map(({ params }) => params?.['progressToken'])).toEqual(tokens);
      expect(told.map(({ params }) => params?.['progress'])).toEqual([0, 5, 5.5, 10].slice(0, tokens.length));
      await route.end();
    },
  );

  it('[LEGS-21] logs from the level on that the session sets, and refuses one that is none', async () => {
    const route = await initialized();
    const logged = (): unknown[] =>
      route.messages().flatMap(({ method, params }) => (method === 'notifications/message' ? [params?.['data']] : []));
    route.send(legacyRequest('tools/call', { name: 'log' }, 1));
    await answerTo(route, 1);
    expect(logged()).toEqual(['large']);
    route.send(legacyRequest('logging/setLevel', { level: 'debug' }, 2));
    expect((await answerTo(route, 2)).result).toEqual({});
    route.send(legacyRequest('tools/call', { name: 'log' }, 3));
    await answerTo(route, 3);
    expect(logged()).toEqual(['large', 'small', 'large']);
    route.send(legacyRequest('logging/setLevel', { level: 'loud' }, 4));
    expect((await answerTo(route, 4)).error).toMatchObject({ code: -32602 });
    await route.end();
  });

  it('[LEGS-22] tells of updates to the resources that the session subscribes to, and of changed lists', async () => {
    const { server } = createLegacyServer();
    const route = await openStdio(server);
    route.send(initializeOf('2025-11-25'));
    route.send(notificationOf('notifications/initialized'));
    route.send(legacyRequest('resources/subscribe', { uri: 'mem://one' }, 1));
    expect((await answerTo(route, 1)).result).toEqual({});
    server.resourceUpdated('mem://one');
    server.resourceUpdated('mem://two');
    expect((await askOf(route, 'notifications/resources/updated')).params).toEqual({ uri: 'mem://one' });
    route.send(legacyRequest('resources/unsubscribe', { uri: 'mem://one' }, 2));
    expect((await answerTo(route, 2)).result).toEqual({});
    server.resourceUpdated('mem://one');
    server.tool('late', {}, () => 'late');
    await askOf(route, 'notifications/tools/list_changed');
    await route.end();
    expect(route.messages().filter(({ method }) => method === 'notifications/resources/updated')).toHaveLength(1);
  });

  it('bounds the resources of one session', async () => {
    const route = await openStdio(createLegacyServer().server, { legacy: legacyClients({ maxSubscriptions: 1 }) });
    route.send(initializeOf('2025-11-25'));
    route.send(legacyRequest('resources/subscribe', { uri: 'mem://one' }, 1));
    route.send(legacyRequest('resources/subscribe', { uri: 'mem://one' }, 2));
    route.send(legacyRequest('resources/subscribe', { uri: 'mem://two' }, 3));
    expect((await answerTo(route, 2)).result).toEqual({});
    expect((await answerTo(route, 3)).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/1 resources/) as string,
    });
    await route.end();
  });

  it('counts requests by revision and client', async () => {
    const counts = createClientCounts();
    const route = await openStdio(createLegacyServer().server, { counts });
    route.send(initializeOf('2025-06-18'));
    route.send(legacyRequest('ping', {}, 1));
    route.send(requestOf('tools/list', {}, { id: 2 }));
    await answerTo(route, 2);
    await route.end();
    expect(counts.list()).toEqual([
      { revision: '2025-06-18', client: 'probe', requests: 2 },
      { revision: '2026-07-28', client: '(unnamed)', requests: 1 },
    ]);
  });

  it('bounds what runs at a time, and answers ping all the same', async () => {
    const { server } = createLegacyServer();
    const route = await openStdio(server, { maxRunningRequests: 1 });
    route.send(initializeOf('2025-11-25'));
    await answerTo(route, 0);
    route.send(legacyRequest('tools/call', { name: 'wait' }, 1));
    route.send(legacyRequest('tools/list', {}, 2));
    route.send(legacyRequest('ping', {}, 3));
    expect((await answerTo(route, 2)).error).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/Busy/) as string,
    });
    expect((await answerTo(route, 3)).result).toEqual({});
    route.send(notificationOf('notifications/cancelled', { requestId: 1 }));
    await route.end();
  });
});
