import { isJsonObject, loggingLevel, type Notification, notifications, passesLevel } from '@switchyard/protocol';
import type { PeerContext } from '../peer-context.ts';
import { readAs } from '../read-as.ts';
import type { CallOptions, LogMessage, Progress } from './call-options.ts';

/**
 * Creates the handler for the notifications of one request: progress and log messages go to the caller, malformed ones
 * are dropped, since nothing hangs on them. `onProgress` runs for each sign of progress, before the caller's callback.
 *
 * Spec: basic/patterns/progress, server/utilities/logging (2026-07-28).
 */
export function createRelay(
  context: PeerContext,
  options: CallOptions,
  onProgress: () => void,
): (notification: Notification) => void {
  return ({ method, params }) => {
    if (method === notifications.progress.method) {
      const progress = readProgress(params);
      if (progress === undefined) return;
      onProgress();
      context.callBack('onProgress', () => options.onProgress?.(progress));
    } else if (method === notifications.message.method) {
      const message = readLogMessage(params);
      if (message === undefined || !passesLevel(message.level, options.logLevel ?? 'debug')) return;
      context.callBack('onLog', () => options.onLog?.(message));
    }
  };
}

function readProgress(params: unknown): Progress | undefined {
  if (!isJsonObject(params)) return undefined;
  const { progress, total, message } = params;
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}

function readLogMessage(params: unknown): LogMessage | undefined {
  if (!isJsonObject(params)) return undefined;
  const { level, logger, data } = params;
  const reading = readAs(loggingLevel, level);
  if ('misfit' in reading) return undefined;
  return { level: reading.value, data, ...(typeof logger === 'string' ? { logger } : {}) };
}
