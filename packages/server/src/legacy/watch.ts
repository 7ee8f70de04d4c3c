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
import { unheld } from '../timing/unheld.ts';
import { toNotifications } from '../subscriptions/listen.ts';
import type { ClientFacts } from './client-facts.ts';

/** What one old client hears of changes: a subscription of this revision stands behind it. */
export interface Watch {
  /**
   * Watches what a filter says, in place of what was watched so far. Answers what of it the server agrees to, once it
   * does; `undefined` where it does not: it failed, or the watch has ended.
   */
  change(filter: SubscriptionFilter): Promise<SubscriptionFilter | undefined>;
  /**
   * Watches the same anew, for who proved itself last. `isLess` says that it may hear of less than before, from now on;
   * it then hears that anything of it may have changed.
   */
  renew(isLess: boolean): void;
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

/** How long a subscription that failed is left alone: twice as long each time, up to the other one. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;

/** One subscription. */
interface Listening {
  /** What the server agreed to; `undefined` when it failed or was stopped before. */
  readonly agreed: Promise<SubscriptionFilter | undefined>;
  stop(): void;
}

/**
 * Makes a watch that watches nothing yet. Where the server cannot serve the subscription, which may be as its bus is
 * away, it is opened again until it can, and the client then hears that anything may have changed.
 */
export function createWatch(site: WatchSite): Watch {
  let filter: SubscriptionFilter = {};
  let current: Listening | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  /** Whether changes may have been missed. */
  let owesNews = false;
  let hasEnded = false;

  function open(): Listening {
    clearTimeout(retry);
    const former = current;
    const opened: Listening =
      Object.keys(filter).length === 0
        ? nothing
        : listen(site, filter, (error) => {
            if (current === opened) onFailure(error);
          });
    current = opened;
    void opened.agreed.then((agreed) => {
      // Not before: a change in between must not be lost.
      former?.stop();
      if (current === opened && agreed !== undefined) onAgreed(agreed);
    });
    return opened;
  }

  /** What is agreed to at last: what another change replaced before it began is a part of what that watches. */
  async function agreedTo(opened: Listening): ReturnType<Watch['change']> {
    const agreed = await opened.agreed;
    return current === undefined || current === opened ? agreed : agreedTo(current);
  }

  function onAgreed(agreed: SubscriptionFilter): void {
    pauseMs = FIRST_PAUSE_MS;
    if (!owesNews) return;
    owesNews = false;
    for (const { method, params } of toNotifications({ anything: true }, agreed)) site.tell(method, params);
  }

  function onFailure(err: unknown): void {
    if (pauseMs === FIRST_PAUSE_MS) site.logger.warn({ err }, 'an old client does not hear of changes');
    owesNews = true;
    retry = unheld(setTimeout(open, pauseMs));
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  }

  return {
    async change(changed) {
      if (hasEnded) return undefined;
      filter = changed;
      return agreedTo(open());
    },
    renew(isLess) {
      if (hasEnded || Object.keys(filter).length === 0) return;
      if (isLess) {
        // Nobody hears what happens in between, and what was kept for the client is gone.
        owesNews = true;
        current?.stop();
      }
      open();
    },
    end() {
      hasEnded = true;
      clearTimeout(retry);
      current?.stop();
      current = undefined;
    },
  };
}

const nothing: Listening = { agreed: Promise.resolve({}), stop: () => undefined };

function listen(site: WatchSite, filter: SubscriptionFilter, onFailure: (error: unknown) => void): Listening {
  const { endpoint, facts } = site;
  const caller = site.principal();
  // A session outlives the credentials that it began with. What leads to its client, and who comes for it, is checked
  // each time.
  const principal = caller === undefined ? undefined : withoutEnd(caller);
  const cancellation = new Cancellation();
  const agreed = Promise.withResolvers<SubscriptionFilter | undefined>();
  const metadata = {
    protocolVersion: latestRevision,
    clientCapabilities: facts.capabilities,
    clientInfo: facts.info,
    logLevel: undefined,
    progressToken: undefined,
    meta: {},
  };
  const context = new ServedRequest('watch', metadata, principal, cancellation, (method, { _meta, ...params }) => {
    if (cancellation.cancelled) return true;
    if (method === notifications.subscriptionAcknowledged.method)
      agreed.resolve(params['notifications'] as SubscriptionFilter);
    else site.tell(method, params);
    return true;
  });
  const run = async (): Promise<void> => {
    try {
      await endpoint.handlers['subscriptions/listen']?.({ notifications: filter }, context);
      if (!cancellation.cancelled) site.onEnded();
    } catch (err) {
      // By then whoever listens has what is answered below.
      if (!cancellation.cancelled) queueMicrotask(() => onFailure(err));
    } finally {
      agreed.resolve(undefined);
      serving.finish(context);
    }
  };
  void run();
  return {
    agreed: agreed.promise,
    stop() {
      cancellation.cancel(new Error('the session watches something else, or has ended'));
      agreed.resolve(undefined);
    },
  };
}
