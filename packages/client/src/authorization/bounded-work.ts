import { ClientError } from '../peer/client-error.ts';
import { maskedExcerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { withDeadline } from '../timing/deadline.ts';

/** Runs work whose failures name the server. */
export interface BoundedWork {
  /** Rejects with a `ClientError`, whatever a store, a grant or a redirect rejects with. */
  guarded<T>(work: () => Promise<T>): Promise<T>;
  /** As `guarded`, with a limit after which the signal of the work aborts. */
  limited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/** Creates what runs work within `authorizationTimeoutMs`. */
export function createBoundedWork(context: PeerContext, authorizationTimeoutMs: number): BoundedWork {
  const limits = {
    what: 'the authorization',
    totalMs: authorizationTimeoutMs,
    totalOption: 'authorizationTimeoutMs',
  };
  return {
    guarded,
    limited: (work) => guarded(() => withDeadline(context, limits, ({ signal }) => work(signal))),
  };

  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw context.fail('authorization', `no token could be had: ${maskedExcerpt(context, reason, 500)}`);
    }
  }
}
