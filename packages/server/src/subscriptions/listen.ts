import {
  changingListNames,
  changingLists,
  extensions,
  type JsonObject,
  metaKeys,
  notifications,
  type ParamsOf,
  type Principal,
  ProtocolError,
  type Result,
  type ServerCapabilities,
  type SubscriptionFilter,
} from '@switchyard/protocol';

import { watchCredentials } from '../authorization/watch-credentials.ts';
import type { MethodHandler } from '../dispatch/endpoint.ts';
import { serving } from '../dispatch/served-request.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { busy } from '../limits/busy.ts';
import type { Change } from './change.ts';
import type { ChangeHub } from './change-hub.ts';
import { listFilterOf } from './list-filter.ts';

/** Most URIs of one subscription. */
const MAX_URIS = 1_000;
/** Most notifications that wait for the acknowledgement of theirs; with more it is behind from the beginning. */
const MAX_EARLY = 1_000;

/** The subscriptions of one endpoint. */
export interface Subscriptions {
  /** Serves `subscriptions/listen`. */
  readonly listen: MethodHandler;
  /** Ends every open subscription with its result, and refuses further ones. */
  end(): void;
}

/** What a subscriber is told of the tasks that it named. */
export interface WatchedTasks {
  /** The tasks that are there, and the caller's. */
  readonly ids: readonly string[];
  /** Begins to tell: every task as it is, then each change. */
  begin(tell: (task: JsonObject) => void): void;
  /** The task under a key may have changed; `undefined`: any may have. */
  changed(key: string | undefined): void;
  end(): void;
}

/** Answers the tasks that a subscriber named. Rejects with -32021 when the client did not declare the extension. */
export type WatchTasks = (ids: readonly string[], context: RequestContext) => Promise<WatchedTasks>;

/** What subscriptions are made of. */
export interface SubscriptionsSource {
  readonly hub: ChangeHub;
  readonly capabilities: () => ServerCapabilities;
  readonly watchTasks: WatchTasks;
  /** Whether a caller may hear that the resource with a URI changed. */
  readonly mayWatch: (uri: string, principal: Principal | undefined) => boolean;
  /** Milliseconds since the epoch. */
  readonly epochNow: () => number;
}

/**
 * Makes the handler that keeps a subscription open: it acknowledges what it agrees to, tells of each change under the
 * id of the request, and answers when the server ends it. A subscriber that does not read is ended the same way, since
 * it may have missed a change: it comes back and lists anew; and so is one whose credentials end or count no longer. Of
 * each task that it named it is told what that is, and what it becomes.
 *
 * Spec: basic/patterns/subscriptions (2026-07-28), SEP-2663 (task status notifications).
 */
export function createSubscriptions({
  hub,
  capabilities,
  watchTasks,
  mayWatch,
  epochNow,
}: SubscriptionsSource): Subscriptions {
  const open = new Set<() => void>();
  let ended = false;

  const listen: MethodHandler = async (params, context) => {
    const subscription = { [metaKeys.subscriptionId]: context.requestId };
    const tell = (method: string, told: JsonObject): boolean =>
      serving.notify(context, method, { ...told, _meta: subscription });
    const asked = (params as object as ParamsOf<'subscriptions/listen'>).notifications;
    const offered = capabilities();
    const watch =
      asked.taskIds === undefined || offered.extensions?.[extensions.tasks] === undefined
        ? undefined
        : await watchTasks(asked.taskIds, context);
    const { principal } = context;
    const agreed = agree(asked, offered, {
      taskIds: watch?.ids ?? [],
      mayWatch: (uri) => mayWatch(uri, principal),
    });
    const closed = Promise.withResolvers<Result>();
    const end = (): void => closed.resolve({ _meta: subscription });
    // What happens while the bus is being reached is told after the acknowledgement, which comes first; each thing
    // once.
    let early: Map<string, Told> | undefined = new Map();
    let isBehind = false;
    let stopWatch: (() => void) | undefined;
    const stop = await hub.listen((change) => {
      if ('task' in change) return watch?.changed(change.task);
      if ('anything' in change) watch?.changed(undefined);
      // A subscriber of a folder hears of what lies below it, but not of what it may not read.
      if ('uri' in change && !mayWatch(change.uri, principal)) return undefined;
      const told = toNotifications(change, agreed);
      if (early === undefined) return tellAll(told, tell) ? undefined : end();
      for (const one of told) {
        if (early.size === MAX_EARLY) isBehind = true;
        else early.set(keyOf(one), one);
      }
    });
    try {
      if (ended) throw busy('The server is shutting down');
      if (!tell(notifications.subscriptionAcknowledged.method, { notifications: agreed }))
        throw new ProtocolError('invalidRequest', NO_STREAM, { status: 406 });
      const missed = [...early.values()];
      early = undefined;
      if (isBehind || !tellAll(missed, tell)) end();
      watch?.begin((task) => {
        if (!tell(notifications.task.method, task)) end();
      });
      open.add(end);
      serving.onCancelled(context, end);
      stopWatch = watchCredentials(principal, { epochNow }, end);
      return await closed.promise;
    } finally {
      stopWatch?.();
      stop();
      watch?.end();
      open.delete(end);
    }
  };

  return {
    listen,
    end() {
      ended = true;
      for (const end of open) end();
    },
  };
}

/** What of a filter a server with these capabilities honours. */
function agree(
  asked: SubscriptionFilter,
  offered: ServerCapabilities,
  { taskIds, mayWatch }: { readonly taskIds: readonly string[]; readonly mayWatch: (uri: string) => boolean },
): SubscriptionFilter {
  const uris = [...new Set(asked.resourceSubscriptions ?? [])];
  if (uris.length > MAX_URIS) {
    throw new ProtocolError(
      'invalidParams',
      `A subscription names at most ${MAX_URIS} resources, not ${uris.length}: open several`,
    );
  }
  const honoured = uris.filter((uri) => URL.canParse(uri) && mayWatch(uri));
  return {
    ...listFilterOf(offered, asked),
    ...(honoured.length > 0 && offered.resources?.subscribe === true ? { resourceSubscriptions: honoured } : {}),
    ...(taskIds.length > 0 ? { taskIds } : {}),
  };
}

const NO_STREAM = 'A subscription needs a client that accepts text/event-stream';

/** A notification as it is told. */
export interface Told {
  readonly method: string;
  readonly params: JsonObject;
}

/** Answers the notifications that tell a subscriber of a change: none where it did not ask. */
export function toNotifications(change: Change, filter: SubscriptionFilter): readonly Told[] {
  if ('anything' in change) {
    const changedLists = changingListNames.flatMap((list) => toNotifications({ list }, filter));
    return [...changedLists, ...(filter.resourceSubscriptions ?? []).map(updated)];
  }
  if ('list' in change) {
    const { wanted, notification } = changingLists[change.list];
    return filter[wanted] === true ? [{ method: notification.method, params: {} }] : [];
  }
  if ('task' in change) return [];
  const { uri } = change;
  return filter.resourceSubscriptions?.some((watched) => covers(watched, uri)) === true ? [updated(uri)] : [];
}

function updated(uri: string): Told {
  return { method: notifications.resourceUpdated.method, params: { uri } };
}

function keyOf({ method, params: { uri = '' } }: Told): string {
  return `${method} ${uri as string}`;
}

/** Answers whether every one went out. */
function tellAll(told: readonly Told[], tell: (method: string, params: JsonObject) => boolean): boolean {
  return told.every(({ method, params }) => tell(method, params));
}

/** Whether whoever watches one resource hears of another: of itself, and of what lies below it. */
function covers(watched: string, uri: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`);
}
