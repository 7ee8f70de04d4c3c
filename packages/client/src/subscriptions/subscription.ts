import type { Notification, ReadResourceResult, SubscriptionFilter } from '@switchyard/protocol';
import type { ListName } from './change-feed.ts';

/**
 * What a watched resource holds now, or why it cannot be read any more. `uri` is that of the notification: the resource
 * itself, or one below it.
 */
export type ResourceChange =
  { readonly uri: string; readonly result: ReadResourceResult } | { readonly uri: string; readonly error: unknown };

/**
 * What is wanted of a subscription. Notifications are news that something may have changed, and some may be lost:
 * whatever comes within 100 milliseconds is told as one, and after each return everything is compared anew. Where a
 * callback throws, or answers a promise that rejects, there is a warning. Durations are in milliseconds.
 */
export interface SubscribeOptions {
  /** Ends the subscription. */
  readonly signal?: AbortSignal;
  /**
   * Told that a list changed: the server said so, or, after a return, it is not what this client read last. Whoever
   * lists then gets the list of now.
   */
  readonly onListChanged?: (list: ListName) => unknown;
  /**
   * Told that the server says a watched resource, or one below it, was updated; nothing is read for it. After a return,
   * and of what is polled, it is told of every one, unless `onResourceChanged` finds out more.
   */
  readonly onResourceUpdated?: (uri: string) => unknown;
  /**
   * Told what a watched resource holds, when that differs from what it held. With it every watched resource is read
   * at the beginning, when it was updated, and after each return; contents are compared by their text or bytes and
   * by `lastModified` and what else names their version.
   */
  readonly onResourceChanged?: (change: ResourceChange) => unknown;
  /** Takes each notification of the subscription as it came, such as those of tasks. */
  readonly onNotification?: (notification: Notification) => void;
  /**
   * Asks for what the server did not acknowledge about this often, with jitter, and less often while that fails. Least
   * 1,000. Default: it is not asked for; `Subscription.missing` and a warning tell what that is.
   */
  readonly pollMs?: number;
  /**
   * How long no notification may come before the stream is taken for broken and opened anew. Default: for ever, since
   * silence is healthy.
   */
  readonly maxSilenceMs?: number;
}

/** How a subscription ended: it was closed here, or there is no use in coming back. */
export type SubscriptionEnd = { readonly how: 'closed' } | { readonly how: 'failed'; readonly error: unknown };

/**
 * News of a server. While the client lives it comes back after each end, graceful or not. Spec:
 * basic/patterns/subscriptions (2026-07-28).
 */
export interface Subscription extends AsyncDisposable {
  /** What the server agreed to tell of, of what was asked. */
  readonly acknowledged: SubscriptionFilter;
  /** What was asked and not agreed to. */
  readonly missing: SubscriptionFilter;
  /** `returning`: there is no news at present, and what was missed will be looked for. */
  readonly state: 'open' | 'returning' | 'closed';
  /** Resolves when it is over for good; it never rejects. */
  readonly closed: Promise<SubscriptionEnd>;
  /** Ends it, and tells the server. Resolves when nothing of it is under way. */
  close(): Promise<void>;
}
