import { assertStorableName } from './assert-storable.ts';
import { defaultEventBusLimits } from './event-bus.ts';
import type { EventBusLimits, EventBusOptions, EventSubscriber } from './event-bus.ts';
import { StoreError } from './store-error.ts';
import { toLimits } from './to-limits.ts';

/** One subscription, which stands for itself even where two have the same subscriber. */
export interface Subscription {
  readonly topic: string;
  readonly subscriber: EventSubscriber;
}

/** The subscriptions of one event bus, by topic. */
export class Subscriptions {
  readonly #limits: Required<EventBusLimits>;
  readonly #onError: (error: unknown) => void;
  readonly #topics = new Map<string, Set<Subscription>>();
  #size = 0;

  /** @throws TypeError when a limit is no integer of at least 1. */
  constructor(options: EventBusOptions) {
    this.#limits = toLimits(defaultEventBusLimits, options);
    this.#onError = options.onSubscriberError ?? (() => {});
  }

  /** The limits of the bus, with those filled in that the caller did not name. */
  get limits(): Required<EventBusLimits> {
    return this.#limits;
  }

  /** The topics that have a subscription. */
  get topics(): readonly string[] {
    return [...this.#topics.keys()];
  }

  /** Adds a subscription (StoreError `too-large`, `corrupt`). */
  add(topic: string, subscriber: EventSubscriber): Subscription {
    assertStorableName('the topic', topic, this.#limits.maxTopicChars);
    if (this.#size >= this.#limits.maxSubscriptions) {
      throw new StoreError(
        'too-large',
        `the event bus has ${this.#size} subscriptions, its limit: dispose of some or raise maxSubscriptions`,
      );
    }
    const subscription = { topic, subscriber };
    const others = this.#topics.get(topic);
    if (others === undefined) this.#topics.set(topic, new Set([subscription]));
    else others.add(subscription);
    this.#size += 1;
    return subscription;
  }

  /** Removes a subscription, which hears nothing afterwards. A second call changes nothing. */
  remove(subscription: Subscription): void {
    const others = this.#topics.get(subscription.topic);
    if (others?.delete(subscription) !== true) return;
    this.#size -= 1;
    if (others.size === 0) this.#topics.delete(subscription.topic);
  }

  /** Gives a message to those who are subscribed to its topic now. */
  deliver(topic: string, text: string): void {
    this.#tell(topic, ({ onMessage }) => onMessage(text));
  }

  /** Tells those who are subscribed to a topic, or all, that messages may have been lost. */
  tellGap(topics: readonly string[] = this.topics): void {
    for (const topic of topics) this.#tell(topic, ({ onGap }) => onGap());
  }

  clear(): void {
    this.#topics.clear();
    this.#size = 0;
  }

  #tell(topic: string, tell: (subscriber: EventSubscriber) => void | Promise<void>): void {
    for (const subscription of Array.from(this.#topics.get(topic) ?? [])) {
      // One that was told before may have ended the subscription of another.
      if (this.#topics.get(topic)?.has(subscription) !== true) continue;
      // The async function turns what is thrown into a rejection too.
      void (async () => tell(subscription.subscriber))().catch(this.#onError);
    }
  }
}
