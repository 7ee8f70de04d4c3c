import { ClientError, type ClientErrorDetails } from './client-error.ts';
import type { PeerContext } from './peer-context.ts';

/** The limits of one piece of work. */
export interface DeadlineLimits {
  /** What is being waited for, as it stands in a message: `tools/call`. */
  readonly what: string;
  /** The caller's signal, or the signal of the deadline around this one. */
  readonly signal?: AbortSignal | undefined;
  /** How long nothing may happen, in milliseconds; {@link Deadline.extend} starts it anew. */
  readonly idleMs?: number | undefined;
  /** How long it may take in all, in milliseconds. */
  readonly totalMs?: number | undefined;
  /** The option that sets `totalMs`, for the message; `maxTimeoutMs` unless given. */
  readonly totalOption?: string;
  /** What goes with the error when a limit passes. */
  readonly details?: () => ClientErrorDetails;
}

export interface Deadline {
  /** Aborts with a {@link ClientError} as its reason. */
  readonly signal: AbortSignal;
  /** Starts the idle time anew, because the peer showed a sign of life. */
  extend(): void;
}

/**
 * Runs work under limits. The answer settles at the latest when a limit passes or the signal aborts, whether the work heeds
 * its own signal or not: with code `timeout`, `aborted`, or the reason of a deadline around this one.
 *
 * Spec: basic/patterns/cancellation#timeouts (2026-07-28).
 */
export async function withDeadline<T>(
  context: PeerContext,
  limits: DeadlineLimits,
  run: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { what, signal: outer, idleMs, totalMs, totalOption = 'maxTimeoutMs', details } = limits;
  if (outer?.aborted === true) throw abortReason(context, outer, what);
  const controller = new AbortController();
  const abort = (reason: ClientError): void => controller.abort(reason);
  const timers = new Map<string, () => void>();
  const start = (option: string, ms: number | undefined): void => {
    if (ms === undefined) return;
    timers.get(option)?.();
    timers.set(
      option,
      context.clock.after(ms, () => abort(timeoutError(context, { what, ms, option }, details?.()))),
    );
  };
  const onOuterAbort = (): void => {
    if (outer !== undefined) abort(abortReason(context, outer, what));
  };
  outer?.addEventListener('abort', onOuterAbort, { once: true });
  start('timeoutMs', idleMs);
  start(totalOption, totalMs);
  const aborted = new Promise<never>((_resolve, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as ClientError), { once: true });
  });
  try {
    return await Promise.race([run({ signal: controller.signal, extend: () => start('timeoutMs', idleMs) }), aborted]);
  } finally {
    outer?.removeEventListener('abort', onOuterAbort);
    for (const stop of timers.values()) stop();
  }
}

/**
 * Runs work under a signal that aborts with the first of several, for its reason. In contrast to `AbortSignal.any` nothing of
 * it stays behind at signals that live long.
 */
export async function withAnySignal<T>(
  signals: readonly (AbortSignal | undefined)[],
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const listening: (() => void)[] = [];
  for (const signal of signals) {
    if (signal === undefined) continue;
    if (signal.aborted) controller.abort(signal.reason);
    const onAbort = (): void => controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    listening.push(() => signal.removeEventListener('abort', onAbort));
  }
  try {
    return await run(controller.signal);
  } finally {
    for (const stop of listening) stop();
  }
}

/** Waits for a promise that others wait for, too, until `signal` aborts; then rejects with its reason. */
export async function untilAborted<T>(signal: AbortSignal, shared: Promise<T>): Promise<T> {
  shared.catch(() => {
    // Whoever else waits sees the failure; here it must not count as unhandled when the signal wins.
  });
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([shared, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

function timeoutError(
  context: PeerContext,
  { what, ms, option }: { readonly what: string; readonly ms: number; readonly option: string },
  details: ClientErrorDetails | undefined,
): ClientError {
  return context.fail(
    'timeout',
    `${what} was not done within ${ms} ms and was given up. Look whether the server is busy or stuck, or raise ${option}.`,
    details,
  );
}

function abortReason(context: PeerContext, signal: AbortSignal, what: string): ClientError {
  const reason: unknown = signal.reason;
  if (reason instanceof ClientError) return reason;
  return context.fail('aborted', `${what} was given up because the caller aborted it.`, { cause: reason });
}
