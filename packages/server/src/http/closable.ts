import { createSafeLogger, toMilliseconds } from '@switchyard/protocol';

import { endStreams } from '../dispatch/end-streams.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { waitAtMost } from '../timing/wait-at-most.ts';
import type { HttpServing } from './http-handler.ts';

/** What whoever mounts an endpoint in a server of its own ends with that. */
export interface Closable extends AsyncDisposable {
  /**
   * Ends what outlives its connection: subscriptions with their response, tasks that run here, and the sessions of old
   * clients, whose requests go on for `graceMs` (default 1,000) at most. Call it when the server has stopped to listen.
   * A second call answers what the first did. It never rejects but with a TypeError for a `graceMs` that is none.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

/** Makes what closes an endpoint that is mounted somewhere. */
export function createClosable(endpoint: Endpoint, { endSessions }: HttpServing): Closable {
  let closed: Promise<unknown> | undefined;
  const close: Closable['close'] = async ({ graceMs = 1_000 } = {}) => {
    const waitMs = toMilliseconds('graceMs', graceMs, 0);
    closed ??= Promise.all([
      endSessions(waitMs),
      waitAtMost(endStreams(endpoint, createSafeLogger(endpoint.logger)), waitMs),
    ]);
    await closed;
  };
  return { close, [Symbol.asyncDispose]: () => close() };
}
