import { metaKeys } from '@switchyard/protocol';
import { createServer, type Server, silentLogger, ToolError } from '@switchyard/server';
import { describe, expect, it } from 'vitest';

import { eventsOf, type HttpAnswer, messageOf, openNodeRoute, postOf, routes } from './http-route.ts';
import { openMemory } from './memory-route.ts';
import { openStdio } from './stdio-route.ts';
import { callOf, metaOf, type Received, requestOf } from './wire.ts';

const chatty = metaOf({ progressToken: 'p', [metaKeys.logLevel]: 'debug' });

/** A server that does everything that a server may do. */
function createChatty(): Server {
  return createServer({ name: 'chatty', version: '1.0.0' }, { logger: silentLogger })
    .tool('work', {}, (_, context) => {
      context.progress(1, 2);
      context.log('info', 'half way');
      return { done: true };
    })
    .tool('refuse', {}, () => {
      throw new ToolError('no');
    })
    .tool('fail', {}, () => {
      throw new Error('secret');
    })
    .tool('ask', { requires: ['sampling', 'elicitation', 'roots'] }, () => 'asked')
    .tool('wait', {}, async (_, { signal }) => {
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return 'released';
    })
    .resource('mem://one', { name: 'one' }, () => 'one')
    .resourceTemplate('mem://t/{id}', { name: 't', complete: { id: () => ['a'] } }, ({ id }) => String(id))
    .prompt('greet', { args: { who: 'Name' } }, ({ who }) => `Hello ${who}`);
}

const able = metaOf({ [metaKeys.clientCapabilities]: { sampling: {}, elicitation: { form: {} }, roots: {} } });
const everything = [
  requestOf('server/discover', {}, { meta: able }),
  callOf('work', {}, { meta: chatty }),
  callOf('refuse', {}, { meta: able }),
  callOf('fail'),
  callOf('ask'),
  callOf('ask', {}, { meta: able }),
  callOf('absent'),
  requestOf('absent'),
  requestOf('tools/list', {}, { meta: {} }),
  requestOf('tools/list', { cursor: 'x' }),
  requestOf('resources/list'),
  requestOf('resources/templates/list'),
  requestOf('resources/read', { uri: 'mem://one' }),
  requestOf('resources/read', { uri: 'mem://t/1' }),
  requestOf('resources/read', { uri: 'mem://absent' }),
  requestOf('prompts/list'),
  requestOf('prompts/get', { name: 'greet', arguments: { who: 'mira' } }),
  requestOf('completion/complete', {
    ref: { type: 'ref/resource', uri: 'mem://t/{id}' },
    argument: { name: 'id', value: '' },
  }),
].map((message, id) => Object.assign(message, { id }));

/** Holds a message of a server against the rules that hold for every one of them. */
function expectRight(message: Received): void {
  expect(message.jsonrpc).toBe('2.0');
  if (message.method !== undefined) {
    expect(message).not.toHaveProperty('id');
    expect(['notifications/progress', 'notifications/message']).toContain(message.method);
  } else if (message.error === undefined) {
    expect(message.result).toMatchObject({ resultType: 'complete' });
  } else {
    expect(message.error).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
    expect(Number.isInteger(message.error.code)).toBe(true);
    expect(message).not.toHaveProperty('result');
  }
}

const rules =
  '[MSG-02] [MSG-07] [MSG-10] [MSG-16] [MSG-31] [MSG-32] [CAN-06] are results, errors and notifications alone, whatever was asked';

describe('all messages of a server', () => {
  it(`${rules}, on stdio [STDIO-08]`, async () => {
    const stdio = await openStdio(createChatty());
    for (const message of everything) stdio.send(message);
    stdio.send(callOf('wait', {}, { id: 'w', meta: chatty }));
    stdio.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'w' } });
    stdio.write('[\n{}\n');
    await stdio.end();
    const messages = stdio.messages();
    for (const message of messages) expectRight(message);
    const answered = messages.filter(({ method, id }) => method === undefined && id !== undefined).map(({ id }) => id);
    expect(answered.toSorted((a, b) => Number(a) - Number(b))).toEqual(everything.map(({ id }) => id));
    expect(messages.filter(({ method }) => method !== undefined)).toHaveLength(2);
  });

  it.each(routes)(`${rules}, over %s [HTTP-15]`, async (_, open) => {
    const route = await open(createChatty());
    for (const message of everything) {
      const answer = await route.call(postOf(message));
      const isStream = answer.headers['content-type'] === 'text/event-stream';
      const messages = isStream ? eventsOf(answer.text) : [messageOf(answer)];
      for (const each of messages) expectRight(each);
      expect(messages.at(-1)?.id).toBe(message.id);
      expect(messages).toHaveLength(message.params['_meta'] === chatty ? 3 : 1);
    }
  });
});

describe('notifications of a request', () => {
  it('[LOG-04] [PROG-11] [HTTP-14] go to the stream of that request alone', async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const server = createServer({ name: 'two', version: '1.0.0' }, { logger: silentLogger });
    server.tool('tell', { input: { type: 'object' } }, async (args, context) => {
      running += 1;
      if (running === 2) both.resolve();
      await both.promise;
      context.progress(1);
      context.log('error', args);
      return 'told';
    });
    const route = await openNodeRoute(server);
    const ask = (tag: string): Promise<HttpAnswer> =>
      route.call(
        postOf(
          callOf('tell', { tag }, { id: tag, meta: metaOf({ progressToken: tag, [metaKeys.logLevel]: 'debug' }) }),
        ),
      );
    for (const [tag, answer] of Object.entries({ one: ask('one'), two: ask('two') })) {
      const [progress, log, response, ...more] = eventsOf((await answer).text);
      expect(progress?.params).toEqual({ progressToken: tag, progress: 1 });
      expect(log?.params).toEqual({ level: 'error', data: { tag } });
      expect(response?.id).toBe(tag);
      expect(more).toEqual([]);
    }
  });
});

describe('the lists of a server', () => {
  it('[TOOL-02] [TOOL-03] [RES-02] [RES-03] [PRM-03] are the same on every connection, whatever was asked before', async () => {
    const methods = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'];
    const server = createChatty();
    const listsOf = async (meta: object): Promise<unknown[]> => {
      const memory = openMemory(server);
      return Promise.all(methods.map(async (method) => (await memory.request(method, {}, meta)).result));
    };
    const before = await listsOf(metaOf());
    const stdio = await openStdio(server);
    for (const message of everything) stdio.send(message);
    await stdio.end();
    const other = metaOf({
      [metaKeys.clientInfo]: { name: 'administrator', version: '9' },
      [metaKeys.clientCapabilities]: { sampling: {} },
    });
    expect(await listsOf(other)).toEqual(before);
    const route = await openNodeRoute(server);
    const overHttp = await Promise.all(methods.map((method) => route.call(postOf(requestOf(method)))));
    expect(overHttp.map((answer) => messageOf(answer).result)).toEqual(before);
    expect(before).toMatchObject([
      { tools: { length: 5 } },
      { resources: { length: 1 } },
      {},
      { prompts: { length: 1 } },
    ]);
  });
});

describe.each(routes)('a notification over %s', (_, open) => {
  it.each([
    ['params that are no object', { jsonrpc: '2.0', method: 'notifications/cancelled', params: [1] }],
    ['a method that is no text', { jsonrpc: '2.0', method: 5 }],
    ['another version of JSON-RPC', { jsonrpc: '1.0', method: 'notifications/cancelled' }],
    ['no version of JSON-RPC', { method: 'notifications/cancelled' }],
    ['a result beside its method', { jsonrpc: '2.0', method: 'notifications/cancelled', result: {} }],
  ])('[HTTP-11] is refused with 400 and an error without an id when it has %s', async (_name, message) => {
    const route = await open(createChatty());
    const answer = await route.call({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(message),
    });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toEqual({ jsonrpc: '2.0', error: { code: -32600, message: expect.any(String) } });
  });
});

describe('an extension', () => {
  it('[VER-04] [VER-06] that only the client advertises is not used', async () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {}, 'com.example/zip': { level: 9 } };
    const meta = metaOf({ [metaKeys.clientCapabilities]: { extensions } });
    const memory = openMemory(createChatty());
    expect((await memory.request('server/discover', {}, meta)).result?.['capabilities']).not.toHaveProperty(
      'extensions',
    );
    expect(await memory.call('work', {}, meta)).toMatchObject({ resultType: 'complete' });
    expect((await memory.request('tasks/get', { taskId: 'x' }, meta)).error?.code).toBe(-32601);
  });
});
