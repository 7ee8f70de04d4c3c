import { MAX_TIMER_MS } from '@switchyard/protocol';

/**
 * Calls back after some milliseconds from now on: at once for a negative number, after about 12 days for what no timer
 * can wait for, and never for `Infinity`. Answers the timer, for `clearTimeout`.
 */
export function callAfter(ms: number, callback: () => void): ReturnType<typeof setTimeout> | undefined {
  return ms === Infinity ? undefined : setTimeout(callback, Math.min(Math.max(0, ms), MAX_TIMER_MS));
}
