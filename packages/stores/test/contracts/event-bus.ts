import type { EventBus, EventBusOptions, EventSubscriber } from '@switchyard/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { storeError } from './store-error.ts';

/** What the contract needs to know of an implementation. */
export interface EventBusUnderTest {
  /** Opens a bus; those with the same place reach each other, where `isShared`. */
  readonly open: (options: EventBusOptions, place: string) => Promise<EventBus>;
  /** A place where nobody is subscribed. */
  readonly newPlace: () => string;
  /** False where a bus reaches itself only. */
  readonly isShared: boolean;
}

/** A subscriber that keeps what it hears, and a wait for the first `count` messages. */
export interface Listener extends EventSubscriber {
  readonly heard: string[];
  readonly gaps: () => number;
  first(count: number): Promise<readonly string[]>;
  gap(): Promise<void>;
}

/** Makes a subscriber that keeps what it hears. */
export function createListener(): Listener {
  const heard: string[] = [];
  let gaps = 0;
  let onChange = (): void => {};

  function until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      onChange = () => {
        if (isTrue()) resolve();
      };
      onChange();
    });
  }

  return {
    heard,
    gaps: () => gaps,
    onMessage: (text) => {
      heard.push(text);
      onChange();
    },
    onGap: () => {
      gaps += 1;
      onChange();
    },
    first: async (count) => {
      await until(() => heard.length >= count);
      return heard.slice(0, count);
    },
    gap: () => until(() => gaps > 0),
  };
}

/** The contract of an event bus: every implementation runs it. */
export function describeEventBus(implementation: string, { open, newPlace, isShared }: EventBusUnderTest): void {
  describe(`the event bus ${implementation}`, () => {
    const opened: EventBus[] = [];

    async function openOne(options: EventBusOptions = {}, place = newPlace()): Promise<EventBus> {
      const bus = await open(options, place);
      opened.push(bus);
      return bus;
    }

    /** A bus to publish on and one to subscribe to, which may be the same. */
    async function openTwo(options: EventBusOptions = {}): Promise<[EventBus, EventBus]> {
      const place = newPlace();
      const first = await openOne(options, place);
      return [first, isShared ? await openOne(options, place) : first];
    }

    /** Waits until everything that was published on `topic` before has been delivered. */
    async function settle(publisher: EventBus, subscriber: EventBus, topic: string): Promise<void> {
      const listener = createListener();
      const subscription = await subscriber.subscribe(topic, listener);
      await publisher.publish(topic, 'the last');
      await listener.first(1);
      await subscription[Symbol.asyncDispose]();
    }

    afterEach(async () => {
      for (const bus of opened.splice(0)) await bus.close();
    });

    it.each([
      ['an empty text', ''],
      ['JSON', '{"server":"files"}'],
      ['characters of every length in UTF-8', 'aé€𐍈 👩‍👩‍👧'],
      ['line ends', 'a\r\nb'],
      ['the longest message', '€'.repeat(64 * 1024)],
    ])('carries %s unchanged', async (_kind, text) => {
      const [publisher, subscriber] = await openTwo();
      const listener = createListener();
      await subscriber.subscribe('topic', listener);
      await publisher.publish('topic', text);
      expect(await listener.first(1)).toEqual([text]);
    });

    it('reaches each subscriber of the topic once, the publisher’s own too, and nobody else', async () => {
      const [left, right] = await openTwo();
      const [own, other, twice, elsewhere] = [createListener(), createListener(), createListener(), createListener()];
      await left.subscribe('topic', own);
      await right.subscribe('topic', other);
      await right.subscribe('topic', twice);
      await right.subscribe('topic', twice);
      for (const topic of ['topic ', 'TOPIC', 'topi', 't?pic', 'topic*']) await right.subscribe(topic, elsewhere);
      await left.publish('topic', 'message');
      await settle(left, left, 'topic');
      await settle(left, right, 'topic');
      expect(own.heard[0]).toBe('message');
      expect(own.heard.filter((text) => text === 'message')).toHaveLength(1);
      expect(other.heard.filter((text) => text === 'message')).toHaveLength(1);
      expect(twice.heard.filter((text) => text === 'message')).toHaveLength(2);
      expect(elsewhere.heard).toEqual([]);
    });

    it('keeps the order of what one bus published, without waiting in between', async () => {
      const [publisher, subscriber] = await openTwo();
      const listener = createListener();
      await subscriber.subscribe('topic', listener);
      const texts = Array.from({ length: 500 }, (_, index) => String(index));
      await Promise.all(texts.map((text) => publisher.publish('topic', text)));
      expect(await listener.first(500)).toEqual(texts);
    });

    it('keeps the order when a subscriber publishes in turn', async () => {
      const [publisher, subscriber] = await openTwo();
      const listener = createListener();
      await subscriber.subscribe('topic', {
        onMessage: async (text) => {
          if (text === 'question') await subscriber.publish('topic', 'answer');
        },
        onGap: () => {},
      });
      await subscriber.subscribe('topic', listener);
      await publisher.publish('topic', 'question');
      expect(await listener.first(2)).toEqual(['question', 'answer']);
    });

    it('calls no subscriber within the call that publishes', async () => {
      const bus = await openOne();
      const listener = createListener();
      await bus.subscribe('topic', listener);
      const publishing = bus.publish('topic', 'message');
      expect(listener.heard).toEqual([]);
      await publishing;
      await listener.first(1);
    });

    it('does not let a subscriber that throws or rejects disturb anyone, and reports what it threw', async () => {
      const errors: unknown[] = [];
      const [publisher, subscriber] = await openTwo({ onSubscriberError: (error) => errors.push(error) });
      const before = createListener();
      const after = createListener();
      await subscriber.subscribe('topic', before);
      await subscriber.subscribe('topic', {
        onMessage: (text) => {
          throw new Error(`thrown at ${text}`);
        },
        onGap: () => {},
      });
      await subscriber.subscribe('topic', {
        onMessage: (text) => Promise.reject(new Error(`rejected at ${text}`)),
        onGap: () => {},
      });
      await subscriber.subscribe('topic', after);
      await publisher.publish('topic', '1');
      await publisher.publish('topic', '2');
      expect(await before.first(2)).toEqual(['1', '2']);
      expect(await after.first(2)).toEqual(['1', '2']);
      await expect.poll(() => errors.length, { interval: 1 }).toBe(4);
      expect(errors.map((error) => (error as Error).message).sort()).toEqual([
        'rejected at 1',
        'rejected at 2',
        'thrown at 1',
        'thrown at 2',
      ]);
    });

    it('tells nothing to a subscription that has ended, and goes on with the others', async () => {
      const [publisher, subscriber] = await openTwo();
      const [ended, kept] = [createListener(), createListener()];
      const subscription = await subscriber.subscribe('topic', ended);
      await subscriber.subscribe('topic', kept);
      await publisher.publish('topic', '1');
      await kept.first(1);
      await subscription[Symbol.asyncDispose]();
      await subscription[Symbol.asyncDispose]();
      await publisher.publish('topic', '2');
      expect(await kept.first(2)).toEqual(['1', '2']);
      expect(ended.heard).toEqual(['1']);
    });

    it('tells nothing to a subscription that another subscriber ends on the same message', async () => {
      const [publisher, subscriber] = await openTwo();
      const ended = createListener();
      const last = createListener();
      const subscriptions: AsyncDisposable[] = [];
      await subscriber.subscribe('topic', {
        onMessage: () => void subscriptions[0]?.[Symbol.asyncDispose](),
        onGap: () => {},
      });
      subscriptions.push(await subscriber.subscribe('topic', ended));
      await subscriber.subscribe('topic', last);
      await publisher.publish('topic', 'message');
      await last.first(1);
      expect(ended.heard).toEqual([]);
    });

    it('hears a topic again after its last subscription ended, in whatever order that is asked for', async () => {
      const [publisher, subscriber] = await openTwo();
      for (let round = 0; round < 10; round += 1) {
        const first = await subscriber.subscribe('topic', createListener());
        const listener = createListener();
        const [second] = await Promise.all([subscriber.subscribe('topic', listener), first[Symbol.asyncDispose]()]);
        await publisher.publish('topic', `round ${round}`);
        expect(await listener.first(1)).toEqual([`round ${round}`]);
        await second[Symbol.asyncDispose]();
      }
    });

    it('keeps nothing for those who subscribe later', async () => {
      const [publisher, subscriber] = await openTwo();
      await publisher.publish('topic', 'early');
      const listener = createListener();
      await subscriber.subscribe('topic', listener);
      await publisher.publish('topic', 'late');
      expect(await listener.first(1)).toEqual(['late']);
    });

    it('reports no gap where nothing was lost', async () => {
      const [publisher, subscriber] = await openTwo();
      const listener = createListener();
      await subscriber.subscribe('topic', listener);
      await publisher.publish('topic', 'message');
      await listener.first(1);
      expect(listener.gaps()).toBe(0);
    });

    it('refuses what is over a limit', async () => {
      const bus = await openOne({ maxTopicChars: 3, maxMessageChars: 5, maxSubscriptions: 2 });
      const listener = createListener();
      const first = await bus.subscribe('abc', listener);
      await bus.publish('abc', '12345');
      await expect(bus.publish('abc', '123456')).rejects.toEqual(storeError('too-large'));
      await expect(bus.publish('abcd', '1')).rejects.toEqual(storeError('too-large'));
      await expect(bus.subscribe('abcd', listener)).rejects.toEqual(storeError('too-large'));
      await bus.subscribe('b', listener);
      await expect(bus.subscribe('c', listener)).rejects.toEqual(storeError('too-large'));
      await first[Symbol.asyncDispose]();
      await bus.subscribe('c', listener);
      await expect(bus.subscribe('d', listener)).rejects.toEqual(storeError('too-large'));
    });

    it.each([
      ['an empty topic', '', 'text'],
      ['U+0000 in a topic', 'a\0', 'text'],
      ['half of a surrogate pair in a message', 'a', '\ud800'],
    ])('refuses %s', async (_kind, topic, text) => {
      const bus = await openOne();
      await expect(bus.publish(topic, text)).rejects.toEqual(storeError('corrupt'));
    });

    it('refuses every call after it was closed, and may be closed twice', async () => {
      const bus = await openOne();
      const listener = createListener();
      const subscription = await bus.subscribe('topic', listener);
      await bus.close();
      await bus.close();
      await bus[Symbol.asyncDispose]();
      await expect(bus.publish('topic', 'text')).rejects.toEqual(storeError('closed'));
      await expect(bus.subscribe('topic', listener)).rejects.toEqual(storeError('closed'));
      await subscription[Symbol.asyncDispose]();
      expect(listener.heard).toEqual([]);
      expect(listener.gaps()).toBe(0);
    });
  });
}
