import type { Clock } from '../peer/clock.ts';
import { MAX_TIMER_MS } from './assert-limits.ts';
import { untilAborted } from './until-aborted.ts';

/** Waits for `ms`, at most almost 25 days, or until `signal` aborts; then it rejects with its reason. */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const stop = clock.after(Math.min(ms, MAX_TIMER_MS), over.resolve);
  try {
    await untilAborted(signal, over.promise);
  } finally {
    stop();
  }
}
