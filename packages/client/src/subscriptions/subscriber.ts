import {
  assertKnownOptions,
  describeMisfit,
  type KnownOptions,
  methods,
  type SubscriptionFilter,
} from '@switchyard/protocol';
import { assertMilliseconds } from '../timing/assert-limits.ts';
import { createFilter, describeFilter } from './filter.ts';
import type { ListName } from './change-feed.ts';
import { startSubscription, type SubscribeSetup } from './subscribe.ts';
import type { SubscribeOptions, Subscription } from './subscription.ts';

/** The subscriptions of one client. */
export interface Subscriber {
  /** As `Client.subscribe`. */
  subscribe(filter: SubscriptionFilter, options?: SubscribeOptions): Promise<Subscription>;
  /** Listens to lists by itself for as long as the client lives; what goes wrong becomes a warning. */
  listenToLists(lists: readonly ListName[], onListChanged: SubscribeOptions['onListChanged']): void;
  /** Ends all of them, and opens none any more. */
  close(): Promise<void>;
}

/** Most subscriptions of one client that are open at once: a client needs one, or a few. */
const MAX_OPEN = 100;
const MIN_POLL_MS = 1000;

const subscribeOptions: KnownOptions<SubscribeOptions> = {
  signal: true,
  onListChanged: true,
  onResourceUpdated: true,
  onResourceChanged: true,
  onNotification: true,
  pollMs: true,
  maxSilenceMs: true,
};

/** Creates what opens and ends the subscriptions of one client. */
export function createSubscriber(setup: SubscribeSetup): Subscriber {
  const { context } = setup;
  const open = new Set<Subscription>();
  let isClosed = false;

  return {
    async subscribe(filter, options = {}) {
      if (isClosed) throw context.fail('closed', 'the client was closed.');
      assertKnownOptions('subscribe', options, subscribeOptions);
      assertSubscribable(filter, options);
      const { subscription, agreed } = start(filter, options, false);
      await agreed;
      return subscription;
    },
    listenToLists(lists, onListChanged) {
      if (lists.length === 0) return;
      start(createFilter(lists), onListChanged === undefined ? {} : { onListChanged }, true);
    },
    async close() {
      isClosed = true;
      await Promise.all([...open].map((subscription) => subscription.close()));
    },
  };

  function start(filter: SubscriptionFilter, options: SubscribeOptions, isPatient: boolean) {
    const started = startSubscription(setup, filter, options, { isPatient });
    const { subscription } = started;
    open.add(subscription);
    void subscription.closed.then(() => open.delete(subscription));
    return started;
  }

  function assertSubscribable(filter: SubscriptionFilter, { pollMs, maxSilenceMs, signal }: SubscribeOptions): void {
    const misfit = methods['subscriptions/listen'].params({ notifications: filter });
    if (misfit !== undefined) throw context.fail('invalid-argument', `${describeMisfit('params', misfit)}.`);
    if (describeFilter(filter) === '') {
      throw context.fail(
        'invalid-argument',
        'the filter of a subscription asks for nothing; name a list or a resource.',
      );
    }
    if (open.size >= MAX_OPEN) {
      throw context.fail(
        'invalid-argument',
        `${MAX_OPEN} subscriptions are open; close some, or ask for more in one of them.`,
      );
    }
    assertMilliseconds(context, 'maxSilenceMs', maxSilenceMs);
    assertMilliseconds(context, 'pollMs', pollMs);
    if (pollMs !== undefined && pollMs < MIN_POLL_MS) {
      throw context.fail('invalid-argument', `pollMs must be ${MIN_POLL_MS} or more, not ${pollMs}.`);
    }
    if (signal?.aborted === true)
      throw context.fail('aborted', 'subscribing was given up because the caller aborted it.');
  }
}
