import { createServer, type Server, silentLogger } from '@switchyard/server';
import { createMemoryEventBus, type EventBus, StoreError } from '@switchyard/stores';
import { openRedisEventBus } from '@switchyard/stores/redis';
import { describe, expect, it, onTestFinished } from 'vitest';

import { redisUrl } from '../../../stores/test/server-urls.ts';
import { openNodeRoute, postOf } from '../http-route.ts';
import { requestOf } from '../wire.ts';
import { allChanges, createListened, listenHttp, openHttp } from './listen-http.ts';

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
    const one = createListened({ bus: first });
    const other = createListened({ bus: second });
    const subscription = await listenHttp(await openHttp(one), allChanges);
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

describe('a bus that is slow or fails', () => {
  it('refuses listeners, who could miss a change, and tells those that it has of changes on this instance', async () => {
    const bus = createMemoryEventBus();
    const failing: EventBus = Object.assign(bus, {
      publish: () => Promise.reject(new StoreError('unavailable', 'gone')),
    });
    const server = createListened({ bus: failing });
    const route = await openNodeRoute(server);
    const subscription = await listenHttp(route.url, allChanges);
    await subscription.seen(1);
    server.resourceUpdated('test://r');
    expect((await subscription.seen(2))[1]?.method).toBe('notifications/resources/updated');
    subscription.cancel();
    await subscription.ended();
    await bus.close();
    const answer = await route.call(postOf(requestOf('subscriptions/listen', { notifications: allChanges })));
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
    const subscription = await listenHttp(await openHttp(createListened({ bus })), allChanges);
    await subscription.seen(1);
    gap?.();
    const told = (await subscription.seen(4)).slice(1).map(({ method }) => String(method));
    expect(told.toSorted((a, b) => a.localeCompare(b))).toEqual([
      'notifications/resources/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
  });

  it('ends a subscription that thousands of changes came for before it stood, since nothing else tells of all of them', async () => {
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
    const server = createListened({ bus: slow });
    const listening = listenHttp(await openHttp(server), { resourceSubscriptions: ['test://r'] });
    await reached.promise;
    for (let change = 0; change < 1_001; change += 1) server.resourceUpdated(`test://r/${change}`);
    server.resourceUpdated('test://last');
    const subscription = await listening;
    await subscription.ended();
    expect(subscription.messages[0]?.method).toBe('notifications/subscriptions/acknowledged');
    expect(subscription.messages.at(-1)?.result).toBeDefined();
  });

  it('tells the listeners of this instance, and no author, when it throws at once', async () => {
    const bus = createMemoryEventBus();
    const failing: EventBus = {
      ...bus,
      close: () => bus.close(),
      subscribe: (topic, subscriber) => bus.subscribe(topic, subscriber),
      publish() {
        throw new StoreError('closed', 'the bus is closed');
      },
    };
    const server = createListened({ bus: failing });
    const subscription = await listenHttp(await openHttp(server), allChanges);
    await subscription.seen(1);
    server.resourceUpdated('test://r');
    expect((await subscription.seen(2))[1]?.method).toBe('notifications/resources/updated');
  });
});
