import type { PeerContext } from '../peer/peer-context.ts';
import { isBusy, repeat } from './repeat.ts';

/** What is known of a start while it goes on. */
export interface Start {
  readonly context: PeerContext;
  /** How much is left of it, in milliseconds. Absent: nothing is known, so a busy server is not waited for. */
  readonly timeLeftMs?: (() => number) | undefined;
  /** Told that the server said that it is busy, before it is asked again. */
  readonly onBusy?: (() => void) | undefined;
  /** Aborts when the connection is over, with the reason. */
  readonly over?: AbortSignal;
}

/**
 * Makes an attempt at a part of a start, which can be sent twice, and as `repeat` does others where the server is busy
 * (HTTP 429 or 503): when it says, or after a back-off, within what is left of the start.
 */
export function whileBusy<T>(start: Start, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
  const { context, timeLeftMs, onBusy, over } = start;
  if (timeLeftMs === undefined) return attempt();
  const mayFollow = (error: unknown): boolean => {
    if (!isBusy(error)) return false;
    onBusy?.();
    return true;
  };
  return repeat(context, { timeLeftMs, signal, mayFollow, ...(over === undefined ? {} : { over }) }, attempt);
}
