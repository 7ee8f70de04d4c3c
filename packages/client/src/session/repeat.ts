import { ClientError, withEffect } from '../peer/client-error.ts';
import { isCut } from '../message/cut-answer.ts';
import type { Connection } from '../message/connection.ts';
import { pause } from '../timing/pause.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { backOffMs } from '../timing/back-off.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';

interface RepeatOptions {
  /** How much is left of the deadline, in milliseconds. */
  readonly timeLeftMs: () => number;
  readonly signal: AbortSignal;
  /** Aborts when the connection is over, with the reason, so that sending again is in vain. Default: it never is. */
  readonly over?: AbortSignal;
  /** Whether an error lets another attempt follow, which it also must by itself. Default: any. */
  readonly mayFollow?: (error: unknown) => boolean;
}

const MAX_REPEATS = 3;
const backOff = { firstMs: 500, maxMs: 10_000 };
const statusesOfLoad: ReadonlySet<number | undefined> = new Set([429, 503]);

/**
 * Makes an attempt at what can be sent twice, and up to three more: after HTTP 429 or 503, when the server says, or
 * after a wait that doubles and is partly chance; after a connection that broke before the answer was complete, at once
 * the first time, since a kept socket may have been closed from the other side; after an answer that is not whole, once.
 * A wait that does not fit into what is left of the deadline is not begun. Rejects as the last attempt does.
 *
 * Spec: RFC 9110, section 10.2.3; basic/transports/streamable-http (2026-07-28).
 */
export async function repeat<T>(
  context: PeerContext,
  { timeLeftMs, signal, over, mayFollow = () => true }: RepeatOptions,
  attempt: () => Promise<T>,
): Promise<T> {
  let mayHaveRun = false;
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delayMs = repeats < MAX_REPEATS && mayFollow(error) ? delayBefore(context, error, repeats) : undefined;
      if (error instanceof ClientError) mayHaveRun ||= error.mayHaveRun;
      const isInVain = signal.aborted || over?.aborted === true;
      if (delayMs === undefined || isInVain || delayMs >= timeLeftMs()) {
        // An attempt before the last one may have come through.
        throw mayHaveRun && error instanceof ClientError ? withEffect(error, true) : error;
      }
      if (delayMs > 0) await withAnySignal([signal, over], (until) => pause(context.clock, delayMs, until));
    }
  }
}

/** Answers whether a server, or what stands before it, says that it has too much to do: HTTP 429 or 503. */
export function isBusy(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'http-status' && statusesOfLoad.has(error.status);
}

/** Answers how long to wait before the next attempt, or `undefined` for an error after which there is none. */
function delayBefore({ random }: PeerContext, error: unknown, repeats: number): number | undefined {
  if (!(error instanceof ClientError)) return undefined;
  const delayMs = backOffMs(backOff, repeats, random);
  if (isCut(error)) return repeats === 0 ? 0 : undefined;
  if (error.code === 'closed') return repeats === 0 ? 0 : delayMs;
  if (!isBusy(error)) return undefined;
  return error.retryAfterMs === undefined ? delayMs : Math.max(error.retryAfterMs, repeats * backOff.firstMs);
}

/**
 * Makes an attempt, and over HTTP one more at once where the connection broke before the answer: a kept socket may have
 * been closed from the other side. For requests of a start, which can be sent twice.
 */
export async function repeatIfBroken<T>(connection: Pick<Connection, 'kind'>, attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (connection.kind !== 'http' || !(error instanceof ClientError) || error.code !== 'closed') throw error;
    return attempt();
  }
}
