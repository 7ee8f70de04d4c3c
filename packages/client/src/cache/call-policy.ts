import { errorCodes, type JsonObject, ProtocolError, traceForms } from '@switchyard/protocol';
import type { CallOptions } from '../call/call-options.ts';
import { callerMeta } from '../session/caller-meta.ts';
import { ClientError } from '../peer/client-error.ts';

/** Answers whether a call's answer may come from the cache and go there: further metadata could change it. */
export function mayUseCache({ cache, meta }: CallOptions): boolean {
  return cache !== 'no-store' && (meta === undefined || isOnlyTracing(callerMeta(meta)));
}

/** A trace tells of a call and changes nothing about its answer. Spec: basic/index#meta (2026-07-28). */
function isOnlyTracing(meta: JsonObject): boolean {
  return Object.keys(meta).every((key) => traceForms.has(key));
}

/** Answers whether a call may share its request with others: one that hears of its own progress has its own. */
export function mayShareRequest({ onProgress, onLog, logLevel, resetTimeoutOnProgress, meta }: CallOptions): boolean {
  return [onProgress, onLog, logLevel, resetTimeoutOnProgress, meta].every((option) => option === undefined);
}

const failuresOfTheWay: ReadonlySet<string> = new Set([
  'timeout',
  'closed',
  'start-failed',
  'connect-failed',
  'circuit-open',
  'invalid-response',
  'outcome-unknown',
]);

/**
 * Answers whether an error says that a server could not answer, and nothing of whether it would: only then may an old
 * answer stand in. What was refused, to this caller or altogether, is refused.
 */
export function isOutage(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === errorCodes.internalError.code;
  if (!(error instanceof ClientError)) return false;
  if (error.code === 'http-status') return error.status === 429 || (error.status ?? 0) >= 500;
  return failuresOfTheWay.has(error.code);
}
