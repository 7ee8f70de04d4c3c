import { ClientError, type ClientErrorDetails } from './client-error.ts';
import type { Clock } from './clock.ts';
import type { PeerContext } from './peer-context.ts';

/** The limits of one piece of work. Durations are in milliseconds. */
interface DeadlineLimits {
  /** What is being waited for, as it stands in a message: `tools/call`. */
  readonly what: string;
  /** The signal of whoever waits for the work. */
  readonly signal?: AbortSignal | undefined;
  /** How long the work may take in all. */
  readonly totalMs: number;
  /** The option that sets `totalMs`, for the message; `maxTimeoutMs` unless given. */
  readonly totalOption?: string;
  /** How long nothing may happen in a {@link Deadline.step}. Default: as long as all may take. */
  readonly idleMs?: number;
  /** What goes with the error when a limit passes. */
  readonly details?: () => ClientErrorDetails;
}

interface Deadline {
  /** Aborts with a {@link ClientError} as its reason. */
  readonly signal: AbortSignal;
  /** Runs one step of the work under the idle limit. One step at a time. */
  step<T>(what: string, run: () => Promise<T>): Promise<T>;
  /** Starts the idle time of the step anew, because the peer showed a sign of life. */
  extend(): void;
}

/**
 * Runs work under limits. The answer settles at the latest when a limit passes or the signal aborts, whether the work
 * heeds its own signal or not: with code `timeout`, `aborted`, or the reason of the signal where that is a
 * `ClientError`. At any time one timer is armed: it goes off when the first limit could pass, and is armed anew where
 * none did.
 *
 * Spec: basic/patterns/cancellation#timeouts (2026-07-28).
 */
export async function withDeadline<T>(
  context: PeerContext,
  limits: DeadlineLimits,
  run: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const { what, signal: outer, totalMs, totalOption = 'maxTimeoutMs', idleMs = Infinity, details } = limits;
  const { clock } = context;
  if (outer?.aborted === true) throw abortError(context, outer, what);
  const controller = new AbortController();
  const totalAt = clock.now() + totalMs;
  let step = '';
  let idleAt = Infinity;
  let armedAt = clock.now() + Math.min(idleMs, totalMs);
  let disarm = clock.after(Math.min(idleMs, totalMs), look);
  const onOuterAbort = (): void => {
    if (outer !== undefined) controller.abort(abortError(context, outer, what));
  };
  outer?.addEventListener('abort', onOuterAbort, { once: true });
  try {
    return await untilAborted(controller.signal, run({ signal: controller.signal, step: runStep, extend }));
  } finally {
    outer?.removeEventListener('abort', onOuterAbort);
    disarm();
  }

  async function runStep<S>(name: string, work: () => Promise<S>): Promise<S> {
    controller.signal.throwIfAborted();
    step = name;
    idleAt = clock.now() + idleMs;
    if (idleAt < armedAt) arm();
    try {
      return await work();
    } finally {
      idleAt = Infinity;
    }
  }

  function extend(): void {
    // A timer that goes off too early costs less than one that is armed for each sign of life.
    if (idleAt !== Infinity) idleAt = clock.now() + idleMs;
  }

  function arm(): void {
    disarm();
    armedAt = Math.min(idleAt, totalAt);
    // The clock went on since the limits were looked at.
    disarm = clock.after(Math.max(0, armedAt - clock.now()), look);
  }

  function look(): void {
    const now = clock.now();
    if (now >= totalAt) controller.abort(timeoutError(context, what, totalMs, totalOption, details?.()));
    else if (now >= idleAt) controller.abort(timeoutError(context, step, idleMs, 'timeoutMs', details?.()));
    else arm();
  }
}

/** Answers what `work` comes to, or `undefined` when that takes longer than `ms`. Rejects as the work does. */
export async function within<T>(clock: Pick<Clock, 'after'>, ms: number, work: Promise<T>): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>();
  const stop = clock.after(ms, () => over.resolve(undefined));
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    stop();
  }
}

/** Waits for `ms`, or until `signal` aborts; then it rejects with its reason. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const stop = clock.after(ms, over.resolve);
  try {
    await untilAborted(signal, over.promise);
  } finally {
    stop();
  }
}

/**
 * Runs work under a signal that aborts with the first of several, for its reason. In contrast to `AbortSignal.any`
 * nothing of it stays behind at signals that live long.
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

/**
 * Waits for a promise that others may wait for, too, until `signal` aborts; then it rejects with its reason. Without a
 * signal it waits for as long as it takes.
 */
export async function untilAborted<T>(signal: AbortSignal | undefined, shared: Promise<T>): Promise<T> {
  if (signal === undefined) return shared;
  shared.catch(() => {
    // Whoever else waits sees the failure; here it must not count as unhandled when the signal wins.
  });
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([shared, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function timeoutError(
  context: PeerContext,
  what: string,
  ms: number,
  option: string,
  details: ClientErrorDetails | undefined,
): ClientError {
  return context.fail(
    'timeout',
    `${what} was not done within ${ms} ms and was given up. ` +
      `Look whether the server is busy or stuck, or raise ${option}.`,
    details,
  );
}

function abortError(context: PeerContext, signal: AbortSignal, what: string): ClientError {
  const reason: unknown = signal.reason;
  if (reason instanceof ClientError) return reason;
  return context.fail('aborted', `${what} was given up because the caller aborted it.`, { cause: reason });
}
