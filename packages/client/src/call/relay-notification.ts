import { isJsonObject, type LoggingLevel, loggingLevel, type Notification, passesLevel } from '@switchyard/protocol';
import type { PeerContext } from '../peer-context.ts';
import type { CallOptions, LogMessage, Progress } from './call-options.ts';

/**
 * Creates the handler for the notifications of one request: progress and log messages go to the caller, malformed ones are
 * dropped, since nothing hangs on them. `onProgress` runs for each sign of progress, before the caller's callback.
 *
 * Spec: basic/patterns/progress, server/utilities/logging (2026-07-28).
 */
export function createRelay(
  context: PeerContext,
  options: CallOptions,
  onProgress: () => void,
): (notification: Notification) => void {
  return ({ method, params }) => {
    if (method === 'notifications/progress') {
      const progress = readProgress(params);
      if (progress === undefined) return;
      onProgress();
      guarded(context, 'onProgress', () => options.onProgress?.(progress));
    } else if (method === 'notifications/message') {
      const message = readLogMessage(params);
      if (message === undefined || !passesLevel(message.level, options.logLevel ?? 'debug')) return;
      guarded(context, 'onLog', () => options.onLog?.(message));
    }
  };
}

/** Runs a callback of the caller, whose failure must not reach the read loop that it is called from. */
export function guarded(context: PeerContext, name: string, callback: () => void): void {
  try {
    callback();
  } catch (error) {
    context.warn('callback-failed', `the callback ${name} threw: ${String(error)}`);
  }
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
  if (!isJsonObject(params) || loggingLevel(params['level']) !== undefined) return undefined;
  const { level, logger, data } = params;
  return { level: level as LoggingLevel, data, ...(typeof logger === 'string' ? { logger } : {}) };
}
