import { type Notification, notifications, type SubscriptionFilter } from '@switchyard/protocol';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { readAcknowledged } from './filter.ts';
import type { Stay } from './stay.ts';

/**
 * Listens to a modern server by `subscriptions/listen`. Resolves when the server ends it gracefully, by a result.
 * Rejects when the stream ends without one, when the server refuses or does not acknowledge within `timeoutMs`, when
 * nothing came for `maxSilenceMs`, and with the reason of the signal. A result without an acknowledgement is a refusal.
 *
 * Spec: basic/patterns/subscriptions (2026-07-28).
 */
export async function listenModern(stay: Stay): Promise<void> {
  const { context, session, filter, timeoutMs, maxSilenceMs } = stay;
  const given = new AbortController();
  let isOpen = false;
  let disarm = context.clock.after(timeoutMs, () => {
    given.abort(
      context.fail(
        'timeout',
        `subscriptions/listen was not acknowledged within ${timeoutMs} ms and was given up. ` +
          'Look whether a proxy holds the event stream back, or raise timeoutMs.',
      ),
    );
  });
  try {
    await withAnySignal([stay.signal, given.signal], (signal) =>
      session.send(
        'subscriptions/listen',
        { notifications: filter },
        { signal, wantsProgress: false, onNotification: take },
      ),
    );
  } finally {
    disarm();
  }
  if (!isOpen) {
    throw context.fail('invalid-response', 'it answered subscriptions/listen without an acknowledgement before it.');
  }

  function take(notification: Notification): void {
    if (given.signal.aborted || stay.signal.aborted) return;
    if (notification.method === notifications.subscriptionAcknowledged.method) {
      if (!isOpen) open(readAcknowledged(notification.params));
      return;
    }
    if (!isSubscribed(notification.method)) return;
    // What comes before the acknowledgement breaks the protocol, and is news all the same once it is there.
    if (isOpen) awaitMore();
    stay.onNotification(notification);
  }

  function open(acknowledged: SubscriptionFilter): void {
    isOpen = true;
    awaitMore();
    stay.onOpen(acknowledged);
  }

  function awaitMore(): void {
    disarm();
    if (maxSilenceMs === undefined) return;
    disarm = context.clock.after(maxSilenceMs, () => {
      given.abort(
        context.fail('timeout', `its subscription was silent for ${maxSilenceMs} ms, as maxSilenceMs allows.`),
      );
    });
  }
}

/** Progress and log messages belong to no subscription; over one stream for all they come by here. */
function isSubscribed(method: string): boolean {
  return method !== notifications.progress.method && method !== notifications.message.method;
}
