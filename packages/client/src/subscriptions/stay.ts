import type { Notification, SubscriptionFilter } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Session } from '../session/session.ts';
import type { ChangeFeed } from './change-feed.ts';

/** One time that a server is listened to, from the request to the end. */
export interface Stay {
  readonly context: PeerContext;
  readonly session: Session;
  readonly changes: ChangeFeed;
  readonly filter: SubscriptionFilter;
  /** Ends it, and the server is told. */
  readonly signal: AbortSignal;
  /** How long the server may take to agree, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxSilenceMs: number | undefined;
  /** Told once, when the server agreed. */
  readonly onOpen: (acknowledged: SubscriptionFilter) => void;
  /** Told that no news come at present, though nothing ended, and that they come again: some may have been missed. */
  readonly onGap: (what: 'begins' | 'is over') => void;
  /** Takes what comes afterwards. */
  readonly onNotification: (notification: Notification) => void;
  /** Told that some were dropped, so that anything may have changed. */
  readonly onLoss: () => void;
}
