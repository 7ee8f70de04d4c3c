import type { Notification } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { createNotificationGate, type NotificationGate } from './notification-gate.ts';

/** How many reports of progress of one call pass in a second: more than anybody can look at. */
const MAX_PROGRESS_PER_SECOND = 100;

/**
 * Creates the gate for the notifications of a connection that belong to no call: `maxNotificationsPerSecond`. `onLoss` is
 * told when some were dropped, so that anything may have changed.
 */
export function gateOfConnection(
  context: PeerContext,
  deliver: (notification: Notification) => void,
  onLoss?: () => void,
): NotificationGate {
  return createGate(context, context.maxNotificationsPerSecond, deliver, 'notifications', onLoss);
}

/** Creates the gate for the log messages of one call: `maxNotificationsPerSecond`. */
export function gateOfLogs(context: PeerContext, deliver: (notification: Notification) => void): NotificationGate {
  return createGate(context, context.maxNotificationsPerSecond, deliver, 'log messages of one call');
}

/** Creates the gate for the progress of one call: 100 a second, of more the latest. */
export function gateOfProgress(context: PeerContext, deliver: (notification: Notification) => void): NotificationGate {
  return createGate(context, MAX_PROGRESS_PER_SECOND, deliver, 'reports of progress of one call');
}

function createGate(
  context: PeerContext,
  perSecond: number,
  deliver: (notification: Notification) => void,
  what: string,
  onLoss?: () => void,
): NotificationGate {
  return createNotificationGate({
    clock: context.clock,
    perSecond,
    deliver,
    onLoss,
    onFlood: () =>
      context.warn(
        'notification-flood',
        `sends more than ${perSecond} ${what} in a second; log messages beyond that are dropped, and of the others ` +
          'the latest of a kind is told when there is room.',
      ),
  });
}
