import type { KnownOptions } from '@switchyard/protocol';
import { assertStorable, assertStorableName } from './assert-storable.ts';
import { limitOptions } from './to-limits.ts';

/**
 * Who wants to hear of a topic. Its functions are never called within a call of the bus, and in the order in which
 * messages arrive; a promise that one answers is not waited for. What it throws or rejects with goes to
 * `onSubscriberError` and disturbs nobody.
 */
export interface EventSubscriber {
  /** Called with each message. */
  readonly onMessage: (text: string) => void | Promise<void>;
  /**
   * Called when messages of the topic may have been lost, once new ones arrive again: whatever they could have said
   * must be taken as changed.
   */
  readonly onGap: () => void | Promise<void>;
}

/**
 * Carries short messages from whoever publishes on a topic to everyone who is subscribed to it, the publisher's own
 * process included; to tell the instances of a fleet that something changed, and not what must not be lost.
 *
 * A message reaches each subscriber at most once: nothing is kept for those who subscribe later, are disconnected or
 * too slow, and a subscriber hears of possible losses through `onGap`. Messages of one bus arrive in the order in which
 * they were published; those of several in any order. Every method rejects with StoreError only: `closed` after
 * `close`, `too-large` and `corrupt` for what cannot be carried, `unavailable` when the server fails or does not answer
 * in time.
 */
export interface EventBus extends AsyncDisposable {
  /**
   * Publishes `text`, usually JSON, and resolves when the bus has it, which says nothing of who got it. A message whose
   * publishing rejected with `unavailable` may have been delivered all the same.
   */
  publish(topic: string, text: string): Promise<void>;
  /**
   * Subscribes to one topic. When it resolves, whatever is published afterwards is heard. Disposing of the answer ends
   * the subscription at once and never rejects.
   */
  subscribe(topic: string, subscriber: EventSubscriber): Promise<AsyncDisposable>;
  /** Ends every subscription and closes the bus. A second call is the same call. */
  close(): Promise<void>;
}

/** Limits of an event bus; characters are UTF-16 code units. */
export interface EventBusLimits {
  /** Longest topic. Default 256. */
  readonly maxTopicChars?: number;
  /** Longest message. Default 64 Ki. */
  readonly maxMessageChars?: number;
  /** Most subscriptions at once, of this bus. Default 10,000. */
  readonly maxSubscriptions?: number;
}

/** What an event bus can be given. */
export interface EventBusOptions extends EventBusLimits {
  /** Called with what a subscriber threw. Must not throw. Default: it is dropped. */
  readonly onSubscriberError?: (error: unknown) => void;
}

/** The limits where the caller names none. */
export const defaultEventBusLimits: Required<EventBusLimits> = {
  maxTopicChars: 256,
  maxMessageChars: 64 * 1024,
  maxSubscriptions: 10_000,
};

export const eventBusOptions: KnownOptions<EventBusOptions> = {
  ...limitOptions(defaultEventBusLimits),
  onSubscriberError: true,
};

/** Asserts that a message is within `limits` and can be carried unchanged (StoreError `too-large`, `corrupt`). */
export function assertMessage(topic: string, text: string, limits: Required<EventBusLimits>): void {
  assertStorableName('the topic', topic, limits.maxTopicChars);
  assertStorable('the message', text, limits.maxMessageChars);
}
