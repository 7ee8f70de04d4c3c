import type { Notification, SubscriptionFilter } from '@switchyard/protocol';
import { pause } from '../timing/pause.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import type { SessionKeeper } from '../negotiate/session-keeper.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { gateOfConnection } from '../trust/gates.ts';
import { isFinal } from './is-final.ts';
import { pollDelayMs } from './poll-delay.ts';
import { type CatchUp, createCatchUp, type Reads } from './catch-up.ts';
import { type ChangeFeed, readChange } from './change-feed.ts';
import { bothOf, describeFilter, without } from './filter.ts';
import type { KnownLists } from './known-lists.ts';
import { listenLegacy } from './listen-legacy.ts';
import { listenModern } from './listen-modern.ts';
import { createNews } from './news.ts';
import type { SubscribeOptions, Subscription, SubscriptionEnd } from './subscription.ts';
import { backOffMs } from '../timing/back-off.ts';

/** What subscriptions of one client are made of. */
export interface SubscribeSetup {
  readonly context: PeerContext;
  readonly keeper: Pick<SessionKeeper, 'session'>;
  readonly changes: ChangeFeed;
  readonly known: KnownLists;
  readonly reads: Reads;
  /** How long a server may take to agree, in milliseconds. */
  readonly timeoutMs: number;
}

/** A subscription that may not have begun yet. */
export interface StartedSubscription {
  readonly subscription: Subscription;
  /** Resolves when the server has agreed for the first time; rejects when it never will. */
  readonly agreed: Promise<void>;
}

/** A stream that lasted this long counts as healthy. */
const HEALTHY_MS = 10_000;
const backOff = { firstMs: 1000, maxMs: 60_000 };

/**
 * Starts a subscription, and comes back after each end with a growing, jittered delay, until it is closed or there is
 * no use in it. `isPatient`: the first attempt is repeated, too, where it fails for a reason that may pass.
 *
 * Spec: basic/patterns/subscriptions (2026-07-28).
 */
export function startSubscription(
  setup: SubscribeSetup,
  filter: SubscriptionFilter,
  options: SubscribeOptions,
  { isPatient }: { readonly isPatient: boolean },
): StartedSubscription {
  const { context, keeper, changes } = setup;
  const ending = new AbortController();
  const agreed = Promise.withResolvers<void>();
  agreed.promise.catch(() => {
    // Whoever waits for it gets the reason; of a patient one nobody may wait.
  });
  let acknowledged: SubscriptionFilter = {};
  let missing = filter;
  let hasAgreed = false;
  let hasWarnedOfMissing = false;
  let hasWarnedOfOutage = false;
  let state: Subscription['state'] = 'returning';
  let catchUp: CatchUp;

  const closed = withAnySignal([options.signal, ending.signal], run);
  const subscription: Subscription = {
    get acknowledged() {
      return acknowledged;
    },
    get missing() {
      return missing;
    },
    get state() {
      return state;
    },
    closed,
    close,
    [Symbol.asyncDispose]: close,
  };
  return { subscription, agreed: agreed.promise };

  async function close(): Promise<void> {
    ending.abort(context.fail('closed', 'the subscription was closed.'));
    await closed;
  }

  async function run(signal: AbortSignal): Promise<SubscriptionEnd> {
    catchUp = createCatchUp({ ...setup, filter, options, signal });
    const end = await comeBackUntilOver(signal);
    const wasClosedHere = ending.signal.aborted;
    state = 'closed';
    ending.abort();
    if (end.how === 'failed') {
      context.warn(
        'subscription-lost',
        () => `its subscription is over, and is not opened again: ${String(end.error)}`,
      );
    }
    if (!hasAgreed) agreed.reject(end.how === 'failed' ? end.error : reasonOf(signal, wasClosedHere));
    return end;
  }

  async function comeBackUntilOver(signal: AbortSignal): Promise<SubscriptionEnd> {
    for (let failures = 0; ; failures += 1) {
      const startedAt = context.clock.now();
      let failure: { readonly error: unknown } | undefined;
      let wasOpen = false;
      try {
        await listenOnce(signal, () => {
          wasOpen = true;
          hasWarnedOfOutage = false;
        });
      } catch (error) {
        if (signal.aborted) return { how: 'closed' };
        if (isFinal(error) || !(hasAgreed || isPatient)) return { how: 'failed', error };
        failure = { error };
      }
      if (signal.aborted) return { how: 'closed' };
      // Of an outage one is told once, and of a graceful end not at all.
      if (failure !== undefined && !hasWarnedOfOutage) {
        const { error } = failure;
        hasWarnedOfOutage = true;
        context.warn('subscription-lost', () => `its subscription broke and is opened again: ${String(error)}`);
      }
      if (wasOpen && context.clock.now() - startedAt >= HEALTHY_MS) failures = 0;
      try {
        await pause(context.clock, backOffMs(backOff, failures, context.random), signal);
      } catch {
        return { how: 'closed' };
      }
    }
  }

  /** Listens until the stream ends: resolves where that was graceful. */
  async function listenOnce(outer: AbortSignal, onOpen: () => void): Promise<void> {
    const session = await keeper.session(outer);
    const stay = new AbortController();
    const news = createNews(context, filter, catchUp.tell);
    const gaps = createGaps();
    const gate = gateOfConnection(context, (notification) => take(notification, news.take), news.lose);
    const listen = session.era === 'modern' ? listenModern : listenLegacy;
    try {
      await withAnySignal([outer, stay.signal], (signal) =>
        listen({
          context,
          session,
          changes,
          filter,
          signal,
          timeoutMs: setup.timeoutMs,
          maxSilenceMs: options.maxSilenceMs,
          onOpen(said) {
            onOpen();
            open(said, signal);
          },
          onGap: gaps.take,
          onNotification: gate.take,
          onLoss: news.lose,
        }),
      );
    } finally {
      // What was said before the stream ended was said, whether the time to tell of it had come or not.
      const how = outer.aborted ? 'forget' : 'deliver';
      gate.end(how);
      news.end(how);
      gaps.take('begins');
      gaps.end();
      stay.abort();
    }
  }

  /**
   * Creates what looks for what was missed in the gaps of one stay: at once after the first gap, later after those that
   * follow it soon, since a server can have as many as it likes.
   */
  function createGaps(): { take(what: 'begins' | 'is over'): void; end(): void } {
    let looks = 0;
    let lookedAt = -Infinity;
    let disarm: (() => void) | undefined;

    return {
      take(what) {
        state = what === 'begins' ? 'returning' : 'open';
        if (what === 'begins') {
          // What was missed in the gap before is still to be found.
          if (disarm === undefined) catchUp.mark(acknowledged);
          return;
        }
        if (context.clock.now() - lookedAt >= backOff.maxMs) looks = 0;
        const delayMs = looks === 0 ? 0 : backOffMs(backOff, looks - 1, context.random);
        disarm ??= context.clock.after(delayMs, look);
      },
      end: () => disarm?.(),
    };

    function look(): void {
      disarm = undefined;
      looks += 1;
      lookedAt = context.clock.now();
      void catchUp.look(acknowledged, 'return');
    }
  }

  function open(said: SubscriptionFilter, signal: AbortSignal): void {
    // What was not asked for is not agreed to, whatever a server says.
    acknowledged = bothOf(filter, said);
    missing = without(filter, acknowledged);
    state = 'open';
    const when = hasAgreed ? 'return' : 'beginning';
    hasAgreed = true;
    agreed.resolve();
    warnOfMissing();
    void catchUp.look(filter, when);
    if (options.pollMs !== undefined) void poll(catchUp, options.pollMs, signal);
  }

  function warnOfMissing(): void {
    const what = describeFilter(missing);
    if (what === '' || hasWarnedOfMissing) return;
    hasWarnedOfMissing = true;
    const instead =
      options.pollMs === undefined ? 'Changes of that are not seen; give pollMs to ask for it.' : 'It is polled.';
    context.warn('not-acknowledged', () => `it does not agree to tell of ${what}. ${instead}`);
  }

  function take(notification: Notification, toNews: ReturnType<typeof createNews>['take']): void {
    const { onNotification } = options;
    if (onNotification !== undefined) context.callBack('onNotification', () => onNotification(notification));
    const change = readChange(notification);
    if (change !== undefined) toNews(change);
  }

  async function poll(looking: CatchUp, pollMs: number, signal: AbortSignal): Promise<void> {
    try {
      for (let failures = 0; ;) {
        await pause(context.clock, pollDelayMs(pollMs, failures, context.random), signal);
        const couldAsk = await untilAborted(signal, looking.look(missing, 'poll'));
        failures = couldAsk ? 0 : failures + 1;
      }
    } catch {
      // The stream ended, and the next one polls by itself; nothing else rejects.
    }
  }

  function reasonOf(signal: AbortSignal, wasClosedHere: boolean): unknown {
    return wasClosedHere
      ? context.fail('closed', 'the subscription was closed before the server agreed to it.')
      : context.fail('aborted', 'subscribing was given up because the caller aborted it.', { cause: signal.reason });
  }
}
