import { setTimeout as delay } from 'node:timers/promises';
import { SpawnError } from './spawn-error.ts';

/** What a machine under load says, and soon no longer. */
const shortages: ReadonlySet<string | undefined> = new Set(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']);

const DELAYS_MS = [50, 100, 200, 400, 800];

/** How {@link retryShortage} retries. */
interface RetryShortageOptions {
  /** Gives up waiting: rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long each wait is, in milliseconds. Default 50, 100, 200, 400 and 800. */
  readonly delaysMs?: readonly number[];
}

/**
 * Answers what `start` comes to, and repeats it while the system is short of processes, memory or descriptors: it
 * rejects with a SpawnError whose system code is EAGAIN, EMFILE, ENFILE or ENOMEM. After five repetitions in about 1.5
 * seconds, and at once for any other error, it rejects as `start` did last.
 */
export async function retryShortage<T>(start: () => Promise<T>, options: RetryShortageOptions = {}): Promise<T> {
  const { signal, delaysMs = DELAYS_MS } = options;
  for (const delayMs of delaysMs) {
    signal?.throwIfAborted();
    try {
      return await start();
    } catch (error) {
      if (!(error instanceof SpawnError) || !shortages.has(error.systemCode)) throw error;
    }
    // An aborted wait rejects, but not with the reason of the signal.
    await delay(delayMs, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
  }
  signal?.throwIfAborted();
  return start();
}
