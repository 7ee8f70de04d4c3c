import {
  type JsonObject,
  latestRevision,
  type Logger,
  notifications,
  type Principal,
  type SubscriptionFilter,
} from '@switchyard/protocol';

import { Cancellation } from '../dispatch/cancellation.ts';
import { withoutEnd } from '../authorization/principal-grant.ts';
import type { Endpoint } from '../dispatch/endpoint.ts';
import { ServedRequest, serving } from '../dispatch/served-request.ts';
import type { ClientFacts } from './client-facts.ts';

/** What one old client hears of changes: a subscription of this revision stands behind it. */
export interface Watch {
  /** Watches what a filter says, in place of what was watched so far. */
  change(filter: SubscriptionFilter): void;
  end(): void;
}

/** What a watch needs. `logger` must not throw. */
export interface WatchSite {
  readonly endpoint: Endpoint;
  readonly logger: Logger;
  readonly facts: ClientFacts;
  /** Who watches, as the last request of the session proved. */
  readonly principal: () => Principal | undefined;
  /** Takes each change. */
  readonly tell: (method: string, params: JsonObject) => void;
  /** Called when the server ends the subscription. */
  readonly onEnded: () => void;
}

/** Makes a watch that watches nothing yet. */
export function createWatch(site: WatchSite): Watch {
  let current: Cancellation | undefined;

  function stop(): void {
    current?.cancel(new Error('the session watches something else, or has ended'));
    current = undefined;
  }

  return {
    change(filter) {
      // The new one first: a change in between must not be lost.
      const next = Object.keys(filter).length === 0 ? undefined : listen(site, filter);
      stop();
      current = next;
    },
    end: stop,
  };
}

function listen(site: WatchSite, filter: SubscriptionFilter): Cancellation {
  const { endpoint, logger, facts } = site;
  const caller = site.principal();
  // A session outlives the credentials that it began with. What leads to its client, and who comes for it, is checked each time.
  const principal = caller === undefined ? undefined : withoutEnd(caller);
  const cancellation = new Cancellation();
  const metadata = {
    protocolVersion: latestRevision,
    clientCapabilities: facts.capabilities,
    clientInfo: facts.info,
    logLevel: undefined,
    progressToken: undefined,
    meta: {},
  };
  const context = new ServedRequest('watch', metadata, principal, cancellation, (method, { _meta, ...params }) => {
    if (method !== notifications.subscriptionAcknowledged.method && !cancellation.cancelled) site.tell(method, params);
    return true;
  });
  const run = async (): Promise<void> => {
    try {
      await endpoint.handlers['subscriptions/listen']?.({ notifications: filter }, context);
      if (!cancellation.cancelled) site.onEnded();
    } catch (err) {
      if (!cancellation.cancelled) logger.warn({ err }, 'an old client does not hear of changes');
    } finally {
      serving.finish(context);
    }
  };
  void run();
  return cancellation;
}
