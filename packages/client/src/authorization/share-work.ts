import { untilAborted } from '../timing/until-aborted.ts';

/** Runs pieces of work one after another, and a piece that is wanted by several once. */
export interface SharedWork {
  /**
   * Waits for the work under a key, which is started unless it runs or waits already. The work goes on when the signal
   * aborts, since others may wait for it, or come back for it.
   */
  run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** Creates an empty queue of work. */
export function createSharedWork(): SharedWork {
  const pending = new Map<string, Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();
  return {
    run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      let shared = pending.get(key) as Promise<T> | undefined;
      if (shared === undefined) {
        shared = last.then(work, work).finally(() => pending.delete(key));
        pending.set(key, shared);
        // Those who share it get its failure; here it only says that the turn is over.
        last = shared.catch(() => undefined);
      }
      return untilAborted(signal, shared);
    },
  };
}
