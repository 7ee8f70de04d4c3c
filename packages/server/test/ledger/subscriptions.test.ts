import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { ServerCapabilities } from '@switchyard/protocol';
import { createServer, type Server, silentLogger } from '@switchyard/server';
import { serveStdio } from '@switchyard/server/node';
import { createMemoryEventBus } from '@switchyard/stores';
import { describe, expect, it, onTestFinished } from 'vitest';

import { openMemory } from '../memory-route.ts';
import { openStdio, type StdioRoute } from '../stdio-route.ts';
import { callOf, type Received, requestOf } from '../wire.ts';

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';
const acknowledged = 'notifications/subscriptions/acknowledged';

function create(): Server {
  return createServer({ name: 'listened', version: '1.0.0' }, { logger: silentLogger })
    .tool('t', {}, () => '')
    .resource('test://r', { name: 'r' }, () => 'r')
    .prompt('p', {}, () => 'p');
}

/** Serves over streams of this test, which it ends itself, and answers what was written when the server is done. */
async function closedAfter(prepare: (route: StdioRoute) => Promise<void>): Promise<readonly Received[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const server = create();
  // What was defined is announced in the next turn, to nobody.
  await nextTurn();
  const served = await serveStdio(server, { input, output });
  let text = '';
  output.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk));
  const messages = (): Received[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Received);
  await prepare({
    text: () => text,
    messages,
    write: (bytes) => void input.write(bytes),
    send: (message) => void input.write(`${JSON.stringify(message)}\n`),
    async seen(fits) {
      await expect.poll(() => messages().some(fits), { interval: 2 }).toBe(true);
      return messages().find(fits) as Received;
    },
    end: () => served.closed,
  });
  await served.close();
  return messages();
}

describe('a server over stdio that stops', () => {
  it('[SUB-11] [SUB-12] [SUB-08] [CAN-05] answers each subscription, says that it is torn down, and cancels nothing else', async () => {
    const messages = await closedAfter(async (route) => {
      for (const id of [7, '7']) {
        route.send(requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id }));
        await route.seen(({ method, params }) => {
          const meta = params?.['_meta'] as { readonly [key: string]: unknown } | undefined;
          return method === acknowledged && meta?.[subscriptionId] === id;
        });
      }
      route.send(callOf('t', {}, { id: 'call' }));
      await route.seen(({ id }) => id === 'call');
    });
    const results = messages.filter(({ id, result }) => id !== 'call' && result !== undefined);
    expect(results).toMatchObject([
      { id: 7, result: { resultType: 'complete', _meta: { [subscriptionId]: 7 } } },
      { id: '7', result: { resultType: 'complete', _meta: { [subscriptionId]: '7' } } },
    ]);
    const cancelled = messages.filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled.map(({ params }) => params)).toMatchObject([
      { requestId: 7, _meta: { [subscriptionId]: 7 } },
      { requestId: '7', _meta: { [subscriptionId]: '7' } },
    ]);
  });

  it('[CAN-05] says nothing of a subscription that its client cancelled, or that never was', async () => {
    const messages = await closedAfter(async (route) => {
      route.send(requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 1 }));
      await route.seen(({ method }) => method === acknowledged);
      route.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
      route.send(requestOf('subscriptions/listen', {}, { id: 2 }));
      await route.seen(({ id }) => id === 2);
    });
    expect(messages.map(({ id, method, error }) => method ?? [id, error?.code])).toEqual([acknowledged, [2, -32602]]);
  });
});

describe('a change before the acknowledgement', () => {
  it('[SUB-04] is told after it, once', async () => {
    const bus = createMemoryEventBus();
    onTestFinished(() => bus.close());
    const reached = Promise.withResolvers<void>();
    const subscribe = bus.subscribe.bind(bus);
    Object.assign(bus, {
      subscribe: async (...args: Parameters<typeof subscribe>) => {
        const subscription = await subscribe(...args);
        await reached.promise;
        return subscription;
      },
    });
    const server = createServer({ name: 'early', version: '1.0.0' }, { logger: silentLogger, bus }).tool(
      't',
      {},
      () => '',
    );
    const stdio = await openStdio(server);
    stdio.send(requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 1 }));
    stdio.send(callOf('t', {}, { id: 2 }));
    await stdio.seen(({ id }) => id === 2);
    server.tool('new', {}, () => '');
    stdio.send(callOf('t', {}, { id: 3 }));
    await stdio.seen(({ id }) => id === 3);
    reached.resolve();
    await stdio.seen(({ method }) => method === 'notifications/tools/list_changed');
    await stdio.end();
    const told = stdio.messages().filter(({ method }) => method !== undefined && method !== 'notifications/cancelled');
    expect(told.map(({ method }) => method)).toEqual([acknowledged, 'notifications/tools/list_changed']);
  });
});

describe('whatever change a server advertises', () => {
  const asked = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['test://r'],
  };
  const one = (name: string): Server => createServer({ name, version: '1.0.0' }, { logger: silentLogger });
  const servers: readonly (readonly [string, Server])[] = [
    ['tools', one('tools').tool('t', {}, () => '')],
    ['prompts', one('prompts').prompt('p', {}, () => 'p')],
    ['resources', one('resources').resource('test://r', { name: 'r' }, () => 'r')],
    ['templates', one('templates').resourceTemplate('test://{r}', { name: 'r' }, () => 'r')],
    ['everything', create()],
  ];

  it.each(servers)('[SUB-21] [SUB-06] [META-12] may be listened to, and nothing else: %s', async (_family, server) => {
    const { result = {} } = await openMemory(server).request('server/discover');
    const { tools, prompts, resources } = result['capabilities'] as ServerCapabilities;
    const advertised = {
      ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
      ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
      ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
      ...(resources?.subscribe === true ? { resourceSubscriptions: ['test://r'] } : {}),
    };
    expect(advertised).not.toEqual({});
    const stdio = await openStdio(server);
    stdio.send(requestOf('subscriptions/listen', { notifications: asked }, { id: 1 }));
    const { params } = await stdio.seen(({ method }) => method === acknowledged);
    expect(params).toEqual({ notifications: advertised, _meta: { [subscriptionId]: 1 } });
    await stdio.end();
  });
});
