import { isJsonObject, loggingLevel, type Notification, notifications, passesLevel } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { readAs } from '../peer/read-as.ts';
import { gateOfLogs, gateOfProgress } from '../trust/gates.ts';
import type { NotificationGate } from '../trust/notification-gate.ts';
import type { CallOptions, LogMessage, Progress } from './call-options.ts';

/** What takes the notifications of one call. */
export interface Relay {
  readonly take: (notification: Notification) => void;
  /** Ends with the call; progress that was held back is told first, unless nobody wants it any more. */
  end(how: 'deliver' | 'forget'): void;
}

/**
 * Creates the handler for the notifications of one request: progress and log messages go to the caller, malformed ones
 * are dropped, since nothing hangs on them. `onProgress` runs for each sign of progress, before the caller's callback.
 * Floods are bounded: 100 reports of progress in a second, of more the latest, and `maxNotificationsPerSecond` log
 * messages.
 *
 * Spec: basic/patterns/progress, server/utilities/logging (2026-07-28).
 */
export function createRelay(context: PeerContext, options: CallOptions, onProgress: () => void): Relay {
  // Most calls get no notification, and pay for no gate.
  let progressGate: NotificationGate | undefined;
  let logGate: NotificationGate | undefined;
  let isOver = false;

  return {
    take(notification) {
      if (isOver) return;
      if (notification.method === notifications.progress.method) {
        progressGate ??= gateOfProgress(context, (report) => tellProgress(context, options, report, onProgress));
        progressGate.take(notification);
      } else if (notification.method === notifications.message.method) {
        logGate ??= gateOfLogs(context, (message) => tellLog(context, options, message));
        logGate.take(notification);
      }
    },
    end(how) {
      isOver = true;
      progressGate?.end(how);
      logGate?.end(how);
    },
  };
}

function tellProgress(
  context: PeerContext,
  options: CallOptions,
  { params }: Notification,
  onProgress: () => void,
): void {
  const progress = readProgress(params);
  if (progress === undefined) return;
  onProgress();
  context.callBack('onProgress', () => options.onProgress?.(progress));
}

function tellLog(context: PeerContext, options: CallOptions, { params }: Notification): void {
  const message = readLogMessage(params);
  if (message === undefined || !passesLevel(message.level, options.logLevel ?? 'debug')) return;
  context.callBack('onLog', () => options.onLog?.(message));
}

function readProgress(params: unknown): Progress | undefined {
  if (!isJsonObject(params)) return undefined;
  const { message } = params;
  const progress = toNumber(params['progress']);
  const total = toNumber(params['total']);
  if (progress === undefined) return undefined;
  return {
    progress,
    ...(total === undefined ? {} : { total }),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function readLogMessage(params: unknown): LogMessage | undefined {
  if (!isJsonObject(params)) return undefined;
  const { level, logger, data } = params;
  const reading = readAs(loggingLevel, level);
  if ('misfit' in reading) return undefined;
  return { level: reading.value, data, ...(typeof logger === 'string' ? { logger } : {}) };
}
