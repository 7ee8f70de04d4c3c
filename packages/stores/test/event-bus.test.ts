import { inspect } from 'node:util';
import type { EventBus } from '@switchyard/stores';
import { createMemoryEventBus } from '@switchyard/stores';
import { openRedisEventBus } from '@switchyard/stores/redis';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createListener, describeEventBus } from './contracts/event-bus.ts';
import { startFlakyProxy } from './flaky-proxy.ts';
import { redisUrl, useRedisPrefixes, withRedis } from './servers.ts';

const newPrefix = useRedisPrefixes();

describeEventBus('in memory', {
  open: async (options) => createMemoryEventBus(options),
  newPlace: () => '',
  isShared: false,
});

describeEventBus('in Redis', {
  open: (options, keyPrefix) => openRedisEventBus({ ...options, url: redisUrl, keyPrefix }),
  newPlace: newPrefix,
  isShared: true,
});

describe('the event bus in Redis', () => {
  async function open(options: Partial<Parameters<typeof openRedisEventBus>[0]>): Promise<EventBus> {
    const bus = await openRedisEventBus({ url: redisUrl, keyPrefix: newPrefix(), ...options });
    onTestFinished(() => bus.close());
    return bus;
  }

  it('reports a gap to every subscriber once it hears again after the server was away', async () => {
    const proxy = await startFlakyProxy(redisUrl);
    const keyPrefix = newPrefix();
    const [publisher, subscriber] = [await open({ keyPrefix }), await open({ keyPrefix, url: proxy.url })];
    const [left, right] = [createListener(), createListener()];
    await subscriber.subscribe('left', left);
    await subscriber.subscribe('right', right);
    proxy.stop();
    await publisher.publish('left', 'lost');
    await expect(subscriber.publish('left', 'refused')).rejects.toMatchObject({ code: 'unavailable' });
    await proxy.restart();
    await Promise.all([left.gap(), right.gap()]);
    await publisher.publish('left', 'after');
    await publisher.publish('right', 'after');
    expect([await left.first(1), await right.first(1)]).toEqual([['after'], ['after']]);
    expect([left.gaps(), right.gaps()]).toEqual([1, 1]);
    await subscriber.publish('left', 'from the other side');
    expect(await left.first(2)).toEqual(['after', 'from the other side']);
  });

  it('finds by its heartbeat that the connection hangs, makes it anew and reports the gap', async () => {
    const proxy = await startFlakyProxy(redisUrl);
    const keyPrefix = newPrefix();
    const [publisher, subscriber] = [
      await open({ keyPrefix }),
      await open({ keyPrefix, url: proxy.url, heartbeatMs: 20, commandTimeoutMs: 1000 }),
    ];
    const listener = createListener();
    await subscriber.subscribe('topic', listener);
    proxy.freeze();
    await publisher.publish('topic', 'lost');
    await listener.gap();
    await publisher.publish('topic', 'after');
    expect(await listener.first(1)).toEqual(['after']);
  });

  it('does not hear a topic again, after the server was away, whose subscription ended meanwhile', async () => {
    const proxy = await startFlakyProxy(redisUrl);
    const keyPrefix = newPrefix();
    const subscriber = await open({ keyPrefix, url: proxy.url });
    const [ended, kept] = [createListener(), createListener()];
    const subscription = await subscriber.subscribe('ended', ended);
    await subscriber.subscribe('kept', kept);
    proxy.stop();
    await subscription[Symbol.asyncDispose]();
    await expect(subscriber.subscribe('new', createListener())).rejects.toMatchObject({ code: 'unavailable' });
    await proxy.restart();
    await kept.gap();
    expect(ended.gaps()).toBe(0);
    const channels = await withRedis((client) => client.pubSubChannels(`${keyPrefix}*`));
    expect(channels).toEqual([`${keyPrefix}bus:kept`]);
  });

  it('leaves no channel behind whose subscriptions have ended', async () => {
    const keyPrefix = newPrefix();
    const bus = await open({ keyPrefix });
    const first = await bus.subscribe('topic', createListener());
    const second = await bus.subscribe('topic', createListener());
    const channels = () => withRedis((client) => client.pubSubChannels(`${keyPrefix}*`));
    await first[Symbol.asyncDispose]();
    expect(await channels()).toEqual([`${keyPrefix}bus:topic`]);
    await second[Symbol.asyncDispose]();
    expect(await channels()).toEqual([]);
  });

  it('reports a gap instead of a message that is longer than it takes', async () => {
    const keyPrefix = newPrefix();
    const bus = await open({ keyPrefix, maxMessageChars: 5 });
    const [listener, other] = [createListener(), createListener()];
    await bus.subscribe('topic', listener);
    await bus.subscribe('other', other);
    await withRedis((client) => client.publish(`${keyPrefix}bus:topic`, '123456'));
    await listener.gap();
    expect(listener.heard).toEqual([]);
    expect(other.gaps()).toBe(0);
  });

  it('cannot be opened where nothing listens, and shows no password', async () => {
    const url = 'redis://user:hunter2-secret@127.0.0.1:1/0';
    const [outcome] = await Promise.allSettled([open({ url, connectTimeoutMs: 200 })]);
    const failure: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
    expect(failure).toMatchObject({ name: 'StoreError', code: 'unavailable' });
    expect(inspect(failure, { depth: 20 })).not.toContain('secret');
  });

  it('cannot be opened where the server accepts and never answers, and closes in bounded time where it hangs', async () => {
    const proxy = await startFlakyProxy(redisUrl);
    const timeouts = { connectTimeoutMs: 1000, commandTimeoutMs: 1000 };
    const bus = await open({ url: proxy.url, ...timeouts });
    proxy.stall();
    await expect(open({ url: proxy.url, ...timeouts })).rejects.toMatchObject({ code: 'unavailable' });
    const publishing = bus.publish('topic', 'text');
    const closing = bus.close();
    await expect(publishing).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' });
    await closing;
  });
});
