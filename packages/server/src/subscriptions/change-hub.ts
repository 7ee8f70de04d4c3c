import { type EventBus, StoreError } from '@switchyard/stores';

import { createDeadlines } from '../timing/deadlines.ts';
import { pause } from '../timing/pause.ts';
import { type Change, parseChange } from './change.ts';

/** Tells listeners what changed on a server. */
export interface ChangeHub {
  /**
   * Tells every listener, in the order in which they came; with a bus those of every instance. What is announced more
   * than once in one go is told once. What the bus does not take, as it is too long or the bus away, is told here at
   * once; the listeners of other instances hear that anything may have changed, as soon as the bus takes that. It never
   * throws.
   */
  announce(change: Change): void;
  /**
   * Calls `listener` for each change from now on; answers the function that ends it. Rejects when the bus does not
   * answer within 10 seconds: a listener that does not hear of every change must not be told that it does.
   */
  listen(listener: (change: Change) => void): Promise<() => void>;
}

/** What a hub is made of. */
export interface ChangeHubOptions {
  /** Carries changes between instances. `undefined`: this one alone. */
  readonly bus: EventBus | undefined;
  /** The topic on the bus: the same for every instance of the server, and for no other server. */
  readonly topic: string;
  /** Told what a listener threw, and when the bus failed, once until it works again. It must not throw. */
  readonly onFailure: (error: unknown) => void;
}

/** How long the bus is left alone after it failed: twice as long each time, up to the other one. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** How long the bus may take for one change, or to subscribe. */
const ANSWER_MS = 10_000;

const anythingChanged: Change = { anything: true };

/** Makes a hub. It is subscribed to the bus while somebody listens. */
export function createChangeHub({ bus, topic, onFailure }: ChangeHubOptions): ChangeHub {
  const listeners = new Set<(change: Change) => void>();
  const deadlines = createDeadlines(ANSWER_MS);
  /** By its text, what was announced in this go. */
  const announced = new Map<string, Change>();
  let subscription: Promise<AsyncDisposable> | undefined;
  /** Whether the bus did not take a change that others must hear of, and whether somebody is at it. */
  let owesNews = false;
  let isPaying = false;

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
      await send(to, text);
    } catch (error) {
      // Once until the bus takes something again: with a bus that hangs every change fails.
      if (!isPaying) onFailure(error);
      deliver(change);
      // It may be this connection alone that broke, so that no gap tells the others.
      owesNews = true;
      if (!isPaying) void payNews(to);
    }
  }

  /** Rejects where the bus does not take a text in time: one that never answers must not keep what comes later. */
  async function send(to: EventBus, text: string): Promise<void> {
    await deadlines.race(to.publish(topic, text), noAnswer);
  }

  /**
   * Rejects where the bus does not answer in time, and ends what comes of it yet: nobody who listens must be held for
   * ever, and whoever comes later asks anew.
   */
  function subscribe(to: EventBus): Promise<AsyncDisposable> {
    const asked = to.subscribe(topic, {
      onMessage(text) {
        const change = parseChange(text);
        if (change !== undefined) deliver(change);
      },
      onGap: () => deliver(anythingChanged),
    });
    return deadlines.race(asked, () => {
      asked.then((late) => late[Symbol.asyncDispose]()).catch(onFailure);
      return noAnswer();
    });
  }

  async function payNews(to: EventBus): Promise<void> {
    isPaying = true;
    let pauseMs = FIRST_PAUSE_MS;
    while (owesNews) {
      // Before, as what fails meanwhile may be younger than what the bus takes.
      owesNews = false;
      try {
        await send(to, JSON.stringify(anythingChanged));
      } catch (error) {
        // A closed bus takes nothing any more.
        if (error instanceof StoreError && error.code !== 'unavailable') break;
        owesNews = true;
        // Nothing that the process has to live on for: once it ends there is no news from it.
        await pause(pauseMs, { holdsProcess: false });
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
    isPaying = false;
  }

  async function subscribed(to: EventBus): Promise<void> {
    const attempt = (subscription ??= subscribe(to));
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

function noAnswer(): never {
  throw new StoreError('unavailable', `the bus did not answer within ${ANSWER_MS} ms`);
}
