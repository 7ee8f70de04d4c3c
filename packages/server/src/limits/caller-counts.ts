import type { Principal } from '@switchyard/protocol';

import { callerKey } from './caller-key.ts';

/** Counts what callers hold open, of all together and of each authenticated one. */
export interface CallerCounts {
  /**
   * Counts one more and answers the function that gives its place back, or whose bound is reached: `all`, or `own` of
   * the caller. A second call of the function does nothing.
   */
  take(principal: Principal | undefined): (() => void) | 'all' | 'own';
}

/**
 * Makes counts with a bound for all callers and one for each. Callers whom nobody authenticated have no bound of their
 * own, unless `boundsAnonymous`: then they are one caller.
 */
export function createCallerCounts({
  max,
  maxOfOne,
  boundsAnonymous = false,
}: {
  readonly max: number;
  readonly maxOfOne: number;
  readonly boundsAnonymous?: boolean;
}): CallerCounts {
  const byCaller = new Map<string, number>();
  let total = 0;
  return {
    take(principal) {
      const caller = principal === undefined && !boundsAnonymous ? undefined : callerKey(principal);
      const own = caller === undefined ? 0 : (byCaller.get(caller) ?? 0);
      if (total >= max) return 'all';
      if (own >= maxOfOne) return 'own';
      total += 1;
      if (caller !== undefined) byCaller.set(caller, own + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        total -= 1;
        if (caller === undefined) return;
        const left = (byCaller.get(caller) ?? 1) - 1;
        if (left === 0) byCaller.delete(caller);
        else byCaller.set(caller, left);
      };
    },
  };
}
