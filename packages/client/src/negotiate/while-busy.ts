import type { PeerContext } from '../peer/peer-context.ts';
import { isBusy, repeat } from '../session/repeat.ts';

/** What is known of a start while it goes on. */
interface Start {
  readonly context: PeerContext;
  /** As `SendOptions.timeLeftMs`. */
  readonly timeLeftMs?: (() => number) | undefined;
  /** As `SessionSetup.onBusy`. */
  readonly onBusy?: (() => void) | undefined;
}

/**
 * Makes an attempt at a part of a start, which can be sent twice, and as `repeat` does others where the server is busy
 * (HTTP 429 or 503): when it says, or after a back-off, within what is left of the start. `mayFollow` is asked whether
 * there may be another attempt by then; always, by default.
 */
export function whileBusy<T>(
  start: Start,
  signal: AbortSignal,
  attempt: () => Promise<T>,
  mayFollow: () => boolean = () => true,
): Promise<T> {
  const { context, timeLeftMs, onBusy } = start;
  if (timeLeftMs === undefined) return attempt();
  const isWaitedFor = (error: unknown): boolean => {
    if (!isBusy(error) || !mayFollow()) return false;
    onBusy?.();
    return true;
  };
  return repeat(context, { timeLeftMs, signal, mayFollow: isWaitedFor }, attempt);
}
