import { createServer, type Server, type ServerOptions, silentLogger } from '@switchyard/server';
import { serveHttp } from '@switchyard/server/node';
import { createMemoryEventBus, type EventBus, StoreError } from '@switchyard/stores';
import { openRedisEventBus } from '@switchyard/stores/redis';
import { describe, expect, it, onTestFinished } from 'vitest';

import { redisUrl } from '../../../stores/test/server-urls.ts';
import { headersOf, openNodeRoute, postOf } from '../http-route.ts';
import { openStdio } from '../stdio-route.ts';
import { type Received, requestOf } from '../wire.ts';

const subscriptionId = 'io.modelcontextprotocol/subscriptionId';

/** The id of the subscription that a notification belongs to. */
function idOf(params: Received['params']): unknown {
  return (params?.['_meta'] as { readonly [key: string]: unknown } | undefined)?.[subscriptionId];
}

function create(options: ServerOptions = {}): Server {
  return createServer({ name: 'listened', version: '1.0.0' }, { logger: silentLogger, ...options })
    .tool('t', {}, () => '')
    .resource('test://r', { name: 'r' }, () => 'r');
}

/** A subscription, as its client sees it. */
interface Subscription {
  readonly messages: Received[];
  /** Waits for so many messages. */
  seen(count: number): Promise<Received[]>;
  /** Waits for the response, or the end of the stream. */
  ended(): Promise<void>;
  cancel(): void;
}

/** Listens over HTTP. */
async function listenHttp(url: URL, notifications: object, id: string | number = 'w7'): Promise<Subscription> {
  const message = requestOf('subscriptions/listen', { notifications }, { id });
  const aborter = new AbortController();
  onTestFinished(() => aborter.abort());
  const response = await fetch(url, {
    method: 'POST',
    headers: headersOf(message),
    body: JSON.stringify(message),
    signal: aborter.signal,
  });
  const messages: Received[] = [];
  const reading = (async () => {
    let rest = '';
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        const data = event.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) messages.push(JSON.parse(data.slice(6)) as Received);
      }
    }
    if (rest.startsWith('{')) messages.push(JSON.parse(rest) as Received);
  })().catch(() => undefined);
  return {
    messages,
    async seen(count) {
      await expect.poll(() => messages.length, { interval: 2 }).toBeGreaterThanOrEqual(count);
      return messages;
    },
    ended: () => reading,
    cancel: () => aborter.abort(),
  };
}

async function openHttp(server: Server): Promise<URL> {
  return (await openNodeRoute(server)).url;
}

const all = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['test://r'],
};

describe('changes', () => {
  it('are told once in one go, however many there are, and end nobody who reads', async () => {
    const server = create();
    const subscription = await listenHttp(await openHttp(server), all);
    await subscription.seen(1);
    for (let change = 0; change < 20_000; change += 1) server.resourceUpdated('test://r');
    await subscription.seen(2);
    server.resourceUpdated('test://r');
    const messages = await subscription.seen(3);
    expect(messages.slice(1).map(({ method }) => method)).toEqual([1, 2].map(() => 'notifications/resources/updated'));
  });

  it('that come in thousands before a subscription stands end it, since nothing else tells of all of them', async () => {
    const reached = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const bus = createMemoryEventBus();
    const slow: EventBus = {
      ...bus,
      publish: (topic, text) => bus.publish(topic, text),
      close: () => bus.close(),
      async subscribe(topic, subscriber) {
        const subscribed = await bus.subscribe(topic, {
          ...subscriber,
          onMessage(text) {
            if (text.includes('last')) answered.resolve();
            return subscriber.onMessage(text);
          },
        });
        reached.resolve();
        await answered.promise;
        return subscribed;
      },
    };
    const server = create({ bus: slow });
    const listening = listenHttp(await openHttp(server), { resourceSubscriptions: ['test://r'] });
    await reached.promise;
    for (let change = 0; change < 1_001; change += 1) server.resourceUpdated(`test://r/${change}`);
    server.resourceUpdated('test://last');
    const subscription = await listening;
    await subscription.ended();
    expect(subscription.messages[0]?.method).toBe('notifications/subscriptions/acknowledged');
    expect(subscription.messages.at(-1)?.result).toBeDefined();
  });

  it('reach the listeners here, and no author, when a bus throws at once', async () => {
    const bus = createMemoryEventBus();
    const failing: EventBus = {
      ...bus,
      close: () => bus.close(),
      subscribe: (topic, subscriber) => bus.subscribe(topic, subscriber),
      publish() {
        throw new StoreError('closed', 'the bus is closed');
      },
    };
    const server = create({ bus: failing });
    const subscription = await listenHttp(await openHttp(server), all);
    await subscription.seen(1);
    server.resourceUpdated('test://r');
    expect((await subscription.seen(2))[1]?.method).toBe('notifications/resources/updated');
  });
});

describe('a request to listen', () => {
  it('is refused when it is longer than may be held for thousands of them', async () => {
    const { url } = await openNodeRoute(create());
    const message = requestOf('subscriptions/listen', { notifications: all, more: 'x'.repeat(128 * 1024) });
    const response = await fetch(url, { method: 'POST', headers: headersOf(message), body: JSON.stringify(message) });
    expect(await response.json()).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('131072') as string },
    });
  });
});

describe('subscriptions/listen', () => {
  it('[SUB-03] [SUB-04] [SUB-06] [SUB-08] acknowledges first, with the agreed subset, under the id of the request', async () => {
    const url = await openHttp(create());
    const subscription = await listenHttp(url, { promptsListChanged: true, toolsListChanged: true }, 'w7');
    expect(await subscription.seen(1)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true }, _meta: { [subscriptionId]: 'w7' } },
      },
    ]);
  });

  it('[SUB-15] [SUB-16] [SUB-17] [SUB-18] tells of each change that was asked for, under a numeric id too', async () => {
    const server = create().prompt('p', {}, () => 'p');
    const subscription = await listenHttp(await openHttp(server), all, 7);
    await subscription.seen(1);
    server.tool('new', {}, () => '');
    server.prompt('new', {}, () => '');
    server.removeResource('test://r');
    server.resourceUpdated('test://r');
    const [, ...told] = await subscription.seen(5);
    expect(told.map(({ method, params }) => [method, params])).toEqual([
      ['notifications/resources/updated', { uri: 'test://r', _meta: { [subscriptionId]: 7 } }],
      ['notifications/tools/list_changed', { _meta: { [subscriptionId]: 7 } }],
      ['notifications/prompts/list_changed', { _meta: { [subscriptionId]: 7 } }],
      ['notifications/resources/list_changed', { _meta: { [subscriptionId]: 7 } }],
    ]);
  });

  it('[SUB-02] [SUB-18] tells of nothing else', async () => {
    const server = create();
    const subscription = await listenHttp(await openHttp(server), {
      resourceSubscriptions: ['test://r', 'test://dir'],
    });
    await subscription.seen(1);
    server.tool('new', {}, () => '');
    await Promise.resolve();
    for (const uri of ['test://other', 'test://r2', 'test://dir/below', 'test://r']) server.resourceUpdated(uri);
    const told = (await subscription.seen(3)).slice(1).map(({ params }) => params?.['uri']);
    expect(told).toEqual(['test://dir/below', 'test://r']);
  });

  it('tells once of what changes in one go, and not at all when nothing did', async () => {
    const server = create();
    const subscription = await listenHttp(await openHttp(server), all);
    await subscription.seen(1);
    server.removeTool('t');
    server.tool('t', {}, () => 'other').tool('u', {}, () => '');
    expect(server.removeTool('absent')).toBe(false);
    await Promise.resolve();
    server.resourceUpdated('test://r');
    const told = (await subscription.seen(3)).map(({ method }) => method);
    expect(told.slice(1)).toEqual(['notifications/tools/list_changed', 'notifications/resources/updated']);
  });

  it.each([
    [undefined, 'notifications'],
    [[], 'notifications'],
    [{ toolsListChanged: 'yes' }, 'toolsListChanged'],
    [{ resourceSubscriptions: 'test://r' }, 'resourceSubscriptions'],
    [{ resourceSubscriptions: Array.from({ length: 1001 }, (_, index) => `test://r${index}`) }, '1000'],
  ])('answers -32602 to a filter that is none, without a stream: %#', async (notifications, named) => {
    const route = await openNodeRoute(create());
    const answer = await route.call(postOf(requestOf('subscriptions/listen', { notifications })));
    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.text)).toMatchObject({
      error: { code: -32602, message: expect.stringContaining(named) as string },
    });
  });

  it('refuses a client that takes no event stream', async () => {
    const route = await openNodeRoute(create());
    const message = requestOf('subscriptions/listen', { notifications: all });
    const answer = await route.call(postOf(message, { accept: 'application/json' }));
    expect([answer.status, JSON.parse(answer.text).error.code]).toEqual([406, -32600]);
  });

  it('[SUB-11] answers with the id of the subscription when the server closes', async () => {
    const running = await serveHttp(create(), { port: 0 });
    onTestFinished(() => running.close());
    const subscription = await listenHttp(new URL(running.url), all, 'w1');
    await subscription.seen(1);
    const started = performance.now();
    await running.close({ graceMs: 5_000 });
    await subscription.ended();
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(subscription.messages.at(-1)).toMatchObject({
      id: 'w1',
      result: { resultType: 'complete', _meta: { [subscriptionId]: 'w1' } },
    });
  });

  it('stops telling whoever closed the stream', async () => {
    const logged: string[] = [];
    const logger = {
      info: (fields: object) => void logged.push((fields as { method: string }).method),
      warn: () => undefined,
      error: () => undefined,
    };
    const server = create({ logger });
    const subscription = await listenHttp(await openHttp(server), all);
    await subscription.seen(1);
    subscription.cancel();
    await expect.poll(() => logged).toContain('subscriptions/listen');
    server.tool('new', {}, () => '');
    await Promise.resolve();
    expect(subscription.messages).toHaveLength(1);
  });

  it('[SUB-05] [SUB-08] keeps several apart over stdio by their ids, and ends one that is cancelled', async () => {
    const server = create();
    const route = await openStdio(server);
    route.send(requestOf('subscriptions/listen', { notifications: { toolsListChanged: true } }, { id: 4 }));
    route.send(requestOf('subscriptions/listen', { notifications: all }, { id: '4' }));
    const isAck =
      (id: string | number) =>
      ({ method, params }: Received) =>
        method === 'notifications/subscriptions/acknowledged' && idOf(params) === id;
    await route.seen(isAck(4));
    await route.seen(isAck('4'));
    server.tool('new', {}, () => '');
    await route.seen(({ method }) => method === 'notifications/tools/list_changed');
    route.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 4 } });
    route.send(requestOf('tools/list', {}, { id: 5 }));
    await route.seen(({ id }) => id === 5);
    server.tool('newer', {}, () => '');
    server.resourceUpdated('test://r');
    await route.seen(({ method }) => method === 'notifications/resources/updated');
    const told = route.messages().filter(({ method }) => method === 'notifications/tools/list_changed');
    expect(told.map(({ params }) => idOf(params))).toEqual([4, '4', '4']);
    expect(route.messages().filter(({ id }) => id === 4)).toEqual([]);
    await route.end();
  });

  it('[SUB-19] [PROG-11] carries no progress and no log message of other requests', async () => {
    const server = create().tool('loud', {}, (_args, ctx) => {
      ctx.progress(1, 2);
      ctx.log('emergency', 'loud');
      return '';
    });
    const route = await openNodeRoute(server);
    const subscription = await listenHttp(route.url, all);
    await subscription.seen(1);
    const meta = { progressToken: 'p', 'io.modelcontextprotocol/logLevel': 'debug' };
    const message = requestOf('tools/call', { name: 'loud', arguments: {} });
    await route.call(
      postOf({ ...message, params: { ...message.params, _meta: { ...(message.params['_meta'] as object), ...meta } } }),
    );
    server.resourceUpdated('test://r');
    const told = (await subscription.seen(2)).map(({ method }) => method);
    expect(told).toEqual(['notifications/subscriptions/acknowledged', 'notifications/resources/updated']);
  });

  it('[DISC-05] is advertised by the families that have it', async () => {
    const response = await openNodeRoute(create());
    const { text } = await response.call(postOf(requestOf('server/discover')));
    expect(JSON.parse(text)).toMatchObject({
      result: { capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true } } },
    });
  });
});

const buses: readonly (readonly [string, () => Promise<readonly [EventBus, EventBus]>])[] = [
  [
    'memory',
    async () => {
      const bus = createMemoryEventBus();
      onTestFinished(() => bus.close());
      return [bus, bus];
    },
  ],
  [
    'Redis',
    async () => {
      const opened = await Promise.all([openRedisEventBus({ url: redisUrl }), openRedisEventBus({ url: redisUrl })]);
      onTestFinished(async () => void (await Promise.all(opened.map((bus) => bus.close()))));
      return opened;
    },
  ],
];

describe.each(buses)('two instances over a bus in %s', (_bus, open) => {
  it('tell the listeners of each other', async () => {
    const [first, second] = await open();
    const one = create({ bus: first });
    const other = create({ bus: second });
    const subscription = await listenHttp(await openHttp(one), all);
    await subscription.seen(1);
    other.resourceUpdated('test://r');
    other.tool('new', {}, () => '');
    const told = (await subscription.seen(3)).map(({ method }) => method);
    expect(told.slice(1)).toEqual(['notifications/resources/updated', 'notifications/tools/list_changed']);
  });

  it('hear each other whatever the server is called', async () => {
    const [first, second] = await open();
    const [one, other] = [first, second].map((bus) =>
      createServer({ name: 'n\0\ud800'.padEnd(5_000, 'n'), version: '1.0.0' }, { logger: silentLogger, bus }).resource(
        'test://r',
        { name: 'r' },
        () => 'r',
      ),
    );
    const subscription = await listenHttp(await openHttp(one as Server), { resourceSubscriptions: ['test://r'] });
    await subscription.seen(1);
    other?.resourceUpdated('test://r');
    expect((await subscription.seen(2))[1]?.method).toBe('notifications/resources/updated');
  });
});

describe('a bus that does not answer', () => {
  it('refuses listeners, who could miss a change, and tells those that it has of changes on this instance', async () => {
    const bus = createMemoryEventBus();
    const failing: EventBus = Object.assign(bus, {
      publish: () => Promise.reject(new StoreError('unavailable', 'gone')),
    });
    const server = create({ bus: failing });
    const route = await openNodeRoute(server);
    const subscription = await listenHttp(route.url, all);
    await subscription.seen(1);
    server.resourceUpdated('test://r');
    expect((await subscription.seen(2))[1]?.method).toBe('notifications/resources/updated');
    subscription.cancel();
    await subscription.ended();
    await bus.close();
    const answer = await route.call(postOf(requestOf('subscriptions/listen', { notifications: all })));
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: -32603 } });
  });

  it('tells listeners that everything may have changed after a gap', async () => {
    let gap: (() => void) | undefined;
    const bus = createMemoryEventBus();
    const subscribe = bus.subscribe.bind(bus);
    Object.assign(bus, {
      subscribe: (...[topic, subscriber]: Parameters<typeof subscribe>) => {
        gap = () => void subscriber.onGap();
        return subscribe(topic, subscriber);
      },
    });
    onTestFinished(() => bus.close());
    const subscription = await listenHttp(await openHttp(create({ bus })), all);
    await subscription.seen(1);
    gap?.();
    const told = (await subscription.seen(4)).slice(1).map(({ method }) => String(method));
    expect(told.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'notifications/resources/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
  });
});
