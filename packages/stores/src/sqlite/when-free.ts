import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from './sqlite-failure.ts';

/** How long one attempt waits inside SQLite for a lock, in milliseconds. The thread does nothing else meanwhile. */
export const BUSY_ATTEMPT_MS = 10;

const PAUSE_MS = 15;

/** How long a store waits for other processes before it fails with `unavailable`, where the caller does not say. */
export const DEFAULT_BUSY_TIMEOUT_MS = 5000;

/**
 * Runs `attempt`, and runs it again while another process holds the lock, for about `busyTimeoutMs`; then rethrows the
 * driver's error. SQLite waits for a lock by blocking the thread, so it gets a few milliseconds at a time and the event
 * loop runs in between. `attempt` must leave nothing behind when it throws.
 */
export async function whenFree<T>(attempt: () => T, busyTimeoutMs: number): Promise<T> {
  for (let waitedMs = 0; ; waitedMs += BUSY_ATTEMPT_MS + PAUSE_MS) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw error;
    }
    await delay(PAUSE_MS);
  }
}
