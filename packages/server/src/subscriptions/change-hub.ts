import type { EventBus } from '@switchyard/stores';

import { type Change, parseChange } from './change.ts';

/** Tells listeners what changed on a server. */
export interface ChangeHub {
  /**
   * Tells every listener, in the order in which they came; with a bus those of every instance. What is announced more than once in one go
   * is told once. It never throws.
   */
  announce(change: Change): void;
  /**
   * Calls `listener` for each change from now on; answers the function that ends it. Rejects when the bus does not answer: a listener
   * that does not hear of every change must not be told that it does.
   */
  listen(listener: (change: Change) => void): Promise<() => void>;
}

/** What a hub is made of. */
export interface ChangeHubOptions {
  /** Carries changes between instances. `undefined`: this one alone. */
  readonly bus: EventBus | undefined;
  /** The topic on the bus: the same for every instance of the server, and for no other server. */
  readonly topic: string;
  /** Told what a listener threw, and when the bus failed. It must not throw. */
  readonly onFailure: (error: unknown) => void;
}

/** Makes a hub. It is subscribed to the bus while somebody listens. */
export function createChangeHub({ bus, topic, onFailure }: ChangeHubOptions): ChangeHub {
  const listeners = new Set<(change: Change) => void>();
  /** By its text, what was announced in this go. */
  const announced = new Map<string, Change>();
  let subscription: Promise<AsyncDisposable> | undefined;

  function deliver(change: Change): void {
    for (const listener of listeners) {
      try {
        listener(change);
      } catch (error) {
        onFailure(error);
      }
    }
  }

  function tell(): void {
    const changes = [...announced];
    announced.clear();
    for (const [text, change] of changes) {
      if (bus === undefined) deliver(change);
      else void publish(bus, text, change);
    }
  }

  async function publish(to: EventBus, text: string, change: Change): Promise<void> {
    try {
      await to.publish(topic, text);
    } catch (error) {
      onFailure(error);
      // The others learn of it by the gap; whoever listens here need not wait for that.
      deliver(change);
    }
  }

  async function subscribed(to: EventBus): Promise<void> {
    subscription ??= to.subscribe(topic, {
      onMessage(text) {
        const change = parseChange(text);
        if (change !== undefined) deliver(change);
      },
      onGap: () => deliver({ anything: true }),
    });
    const attempt = subscription;
    try {
      await attempt;
    } catch (error) {
      if (subscription === attempt) subscription = undefined;
      throw error;
    }
  }

  function leave(listener: (change: Change) => void): void {
    listeners.delete(listener);
    if (listeners.size > 0 || subscription === undefined) return;
    const ending = subscription;
    subscription = undefined;
    ending.then((handle) => handle[Symbol.asyncDispose]()).catch(onFailure);
  }

  return {
    announce(change) {
      if (announced.size === 0) queueMicrotask(tell);
      announced.set(JSON.stringify(change), change);
    },
    async listen(listener) {
      // A function of its own for each call, so that one listener given twice is two.
      const own = (change: Change): void => listener(change);
      listeners.add(own);
      try {
        if (bus !== undefined) await subscribed(bus);
      } catch (error) {
        listeners.delete(own);
        throw error;
      }
      return () => leave(own);
    },
  };
}
