import type { LegacyRevision, Logger } from '@switchyard/protocol';

import type { ClientCounts } from '../dispatch/client-counts.ts';
import { createDispatch, type Dispatch } from '../dispatch/dispatch.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import type { LegacyLimits } from './legacy-limits.ts';
import { createLegacyEnvelope } from './legacy-result.ts';
import type { WaitingRequests } from './waiting-requests.ts';

/** What every session of one endpoint shares. */
export interface LegacyShared {
  readonly endpoint: Endpoint;
  /** It must not throw. */
  readonly logger: Logger;
  readonly limits: LegacyLimits;
  readonly waiting: WaitingRequests;
  readonly counts: ClientCounts | undefined;
  /** The revisions that `initialize` may settle, newest first; at least one. */
  readonly offered: readonly LegacyRevision[];
  /** Makes an id that nobody can guess, of visible ASCII. */
  createId(): string;
  /** The dispatcher whose results have the form of a revision. */
  dispatchOf(revision: LegacyRevision): Dispatch;
}

/** Makes the dispatchers of an endpoint, one for each revision that is asked for. */
export function createLegacyDispatches(endpoint: Endpoint, logger: Logger): LegacyShared['dispatchOf'] {
  const dispatches = new Map<LegacyRevision, Dispatch>();
  return (revision) => {
    let dispatch = dispatches.get(revision);
    if (dispatch === undefined) {
      dispatch = createDispatch(endpoint, logger, { envelope: createLegacyEnvelope(revision) });
      dispatches.set(revision, dispatch);
    }
    return dispatch;
  };
}
