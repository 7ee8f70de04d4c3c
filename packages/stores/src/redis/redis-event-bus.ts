import { assertKnownOptions, toMilliseconds } from '@switchyard/protocol';
import { AcceptedCalls } from '../accepted-calls.ts';
import { assertMessage, eventBusOptions } from '../event-bus.ts';
import type { EventBus, EventBusOptions, EventSubscriber } from '../event-bus.ts';
import { Subscriptions } from '../subscriptions.ts';
import { DEFAULT_KEY_PREFIX, RedisConnection, redisOptions } from './redis-connection.ts';
import type { RedisOptions } from './redis-connection.ts';
import { RedisSubscriber } from './redis-subscriber.ts';

/** What `openRedisEventBus` can be given. */
export interface RedisEventBusOptions extends RedisOptions, EventBusOptions {
  /**
   * How often the connection that listens is tried, since silence looks like a connection that is gone. Default 5,000.
   */
  readonly heartbeatMs?: number;
}

const DEFAULT_HEARTBEAT_MS = 5000;

class RedisEventBus implements EventBus {
  readonly #publisher: RedisConnection;
  readonly #subscriber: RedisSubscriber;
  readonly #subscriptions: Subscriptions;
  readonly #channelPrefix: string;
  readonly #calls = new AcceptedCalls('the event bus');

  constructor(options: RedisEventBusOptions) {
    const { keyPrefix = DEFAULT_KEY_PREFIX } = options;
    const heartbeatMs = toMilliseconds('heartbeatMs', options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS, 1);
    this.#channelPrefix = `${keyPrefix}bus:`;
    this.#subscriptions = new Subscriptions(options);
    this.#publisher = new RedisConnection(options);
    this.#subscriber = new RedisSubscriber(options, {
      heartbeatMs,
      channels: () => this.#subscriptions.topics.map((topic) => this.#channelPrefix + topic),
      onMessage: (text, channel) => this.#receive(channel.slice(this.#channelPrefix.length), text),
      onGap: () => this.#subscriptions.tellGap(),
    });
  }

  /** Makes both connections, so that a wrong URL or password is found at once. */
  async connect(): Promise<void> {
    await Promise.all([this.#publisher.run((client) => client.ping()), this.#subscriber.update()]);
  }

  async publish(topic: string, text: string): Promise<void> {
    this.#calls.assertOpen();
    assertMessage(topic, text, this.#subscriptions.limits);
    const channel = this.#channelPrefix + topic;
    await this.#calls.run(() => this.#publisher.run((client) => client.publish(channel, text)));
  }

  async subscribe(topic: string, subscriber: EventSubscriber): Promise<AsyncDisposable> {
    return await this.#calls.run(async () => {
      const subscription = this.#subscriptions.add(topic, subscriber);
      try {
        await this.#subscriber.update();
      } catch (error) {
        this.#subscriptions.remove(subscription);
        throw error;
      }
      return {
        [Symbol.asyncDispose]: async () => {
          this.#subscriptions.remove(subscription);
          // A connection that breaks now is made anew without the channel; at worst nobody is told what comes over it.
          await this.#subscriber.update().catch(() => {});
        },
      };
    });
  }

  close(): Promise<void> {
    return this.#calls.close(async () => {
      this.#subscriptions.clear();
      this.#subscriber.close();
      this.#publisher.close();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #receive(topic: string, text: string): void {
    // Written by a bus with another limit, or by another program.
    if (text.length > this.#subscriptions.limits.maxMessageChars) this.#subscriptions.tellGap([topic]);
    else this.#subscriptions.deliver(topic, text);
  }
}

/**
 * Opens an event bus over the channels of a Redis server (6 or newer, or Valkey) for any number of processes on any
 * number of machines. It keeps two connections, one to publish and one to listen.
 *
 * When the listening connection breaks, or does not answer a heartbeat within `commandTimeoutMs`, it is made anew until
 * that succeeds; then every subscriber's `onGap` is called. A loss is so found within `heartbeatMs` and
 * `commandTimeoutMs`, plus the time that the server is away.
 *
 * Rejects with StoreError `unavailable`, and with TypeError when an option is unknown or invalid: a URL that cannot be
 * read, a number out of range.
 */
export async function openRedisEventBus(options: RedisEventBusOptions): Promise<EventBus> {
  assertKnownOptions('openRedisEventBus', options, { ...redisOptions, ...eventBusOptions, heartbeatMs: true });
  const bus = new RedisEventBus(options);
  try {
    await bus.connect();
  } catch (error) {
    await bus.close();
    throw error;
  }
  return bus;
}
