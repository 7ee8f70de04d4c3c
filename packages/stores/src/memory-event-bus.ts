import { assertKnownOptions } from '@switchyard/protocol';
import { assertMessage, eventBusOptions } from './event-bus.ts';
import type { EventBus, EventBusOptions } from './event-bus.ts';
import { StoreError } from './store-error.ts';
import { Subscriptions } from './subscriptions.ts';

/**
 * An event bus within this process, where no message is lost and `onGap` is never called. `publish` resolves when the
 * subscribers have been called.
 *
 * @throws TypeError when an option is unknown or a limit is no integer of at least 1.
 */
export function createMemoryEventBus(options: EventBusOptions = {}): EventBus {
  assertKnownOptions('createMemoryEventBus', options, eventBusOptions);
  const subscriptions = new Subscriptions(options);
  let isClosed = false;

  function assertOpen(): void {
    if (isClosed) throw new StoreError('closed', 'the event bus is closed');
  }

  async function close(): Promise<void> {
    isClosed = true;
    subscriptions.clear();
  }

  return {
    async publish(topic, text) {
      assertOpen();
      assertMessage(topic, text, subscriptions.limits);
      // No subscriber runs inside the call; microtasks keep the order, also of what a subscriber publishes in turn.
      await Promise.resolve();
      subscriptions.deliver(topic, text);
    },
    async subscribe(topic, subscriber) {
      assertOpen();
      const subscription = subscriptions.add(topic, subscriber);
      return { [Symbol.asyncDispose]: async () => subscriptions.remove(subscription) };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
