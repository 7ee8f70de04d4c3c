import type { Principal } from '@switchyard/protocol';

import type { LiveAsk } from '../handler/live-ask.ts';
import { createCallerCounts } from '../limits/caller-counts.ts';
import { failedAsk } from './asks.ts';
import type { LegacyLimits } from './legacy-limits.ts';

/** Counts the requests of old clients whose handlers wait for an answer. */
export interface WaitingRequests {
  /** Counts one more and answers the function to call when it goes on, or one sentence on why it may not wait. */
  add(principal: Principal | undefined): (() => void) | string;
}

/**
 * Makes a count. A request that waits takes no place of one that runs, which `pause` gives up and its answer takes
 * again: whoever asks for input and never gives it would have all places for as long as an answer may take.
 */
export function createWaitingRequests(limits: LegacyLimits, pause: () => () => void): WaitingRequests {
  const { maxWaitingRequests, maxWaitingRequestsPerCaller } = limits;
  const counts = createCallerCounts({ max: maxWaitingRequests, maxOfOne: maxWaitingRequestsPerCaller });
  return {
    add(principal) {
      const release = counts.take(principal);
      if (release === 'all') return `${maxWaitingRequests} requests wait for answers of their clients`;
      if (release === 'own') return `${maxWaitingRequestsPerCaller} requests of the caller wait for its answers`;
      const resume = pause();
      return () => {
        release();
        resume();
      };
    },
  };
}

/** What puts the asks of one request. */
export interface Asking {
  readonly ask: LiveAsk;
  /**
   * Refuses further asks, since the request is answered: nothing of it runs any more that could wait, or give a place
   * up.
   */
  end(): void;
}

/** Makes what puts the asks of one request: it waits from the first to the last of those that are open at once. */
export function waitWhileAsking(waiting: WaitingRequests, principal: Principal | undefined, put: LiveAsk): Asking {
  let open = 0;
  let goOn: (() => void) | undefined;
  let hasEnded = false;
  const ask: LiveAsk = async (request, key) => {
    if (hasEnded) throw failedAsk(request.method, 'came after the request that asks was answered');
    if (open === 0) {
      const added = waiting.add(principal);
      if (typeof added === 'string') throw failedAsk(request.method, `cannot be made: ${added}`);
      goOn = added;
    }
    open += 1;
    try {
      return await put(request, key);
    } finally {
      open -= 1;
      if (open === 0) goOn?.();
    }
  };
  return {
    ask,
    end() {
      hasEnded = true;
    },
  };
}
