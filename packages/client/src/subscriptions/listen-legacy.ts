import { notifications, type SubscriptionFilter } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { withDeadline } from '../timing/deadline.ts';
import { settled } from '../timing/settled.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { within } from '../timing/within.ts';
import type { Session } from '../session/session.ts';
import { listNotificationOf } from './change-feed.ts';
import { createFilter, listsOf, urisOf } from './filter.ts';
import { forEachOf } from './for-each-of.ts';
import type { Stay } from './stay.ts';

const PARTING_MS = 2000;

/** A resource that the server tells this client of. */
interface WatchedUri {
  /** How many subscriptions want it. */
  count: number;
  /** The request for it, which they share. */
  readonly asked: Promise<void>;
  /** Gives that request up. */
  readonly giveUp: () => void;
  /** Resolves when nobody wants it any more and the server was told, or does not answer. */
  parting: Promise<void> | undefined;
}

/** By session and URI: the server counts all subscriptions of this client as one. */
const watchedOf = new WeakMap<Session, Map<string, WatchedUri>>();

/**
 * Listens to a legacy server, which tells of its lists by itself, and of resources after `resources/subscribe`. A
 * resource that it refuses, and a list whose capability it lacks, is not acknowledged. Rejects when the session ends or
 * was replaced, or with the reason of the signal; before that what nobody else of this client watches is given up, for
 * which it waits two seconds at most. Whoever wants such a resource meanwhile asks for it afterwards.
 *
 * Spec: 2025-11-25/server/resources#subscriptions.
 */
export async function listenLegacy(stay: Stay): Promise<void> {
  let isOpen = false;
  const noting: Stay = {
    ...stay,
    onOpen(acknowledged) {
      isOpen = true;
      stay.onOpen(acknowledged);
    },
  };
  await listenInOne(noting);
  // Of a server that was greeted anew before it agreed to all nothing was missed; one that goes on so is left alone a while.
  if (!isOpen) await listenInOne(noting);
  throw lost(stay);
}

/** Listens until the session ends, or was renewed. */
async function listenInOne(stay: Stay): Promise<'renewed'> {
  const { context, session } = stay;
  const gone = new AbortController();
  let isRenewed = false;
  void session.closed.then((reason) =>
    gone.abort(reason ?? context.fail('closed', 'its connection ended, and with it the subscription.')),
  );
  const forget = session.onRenewed?.(() => {
    // Who was asked before is another one now.
    watchedOf.delete(session);
    isRenewed = !gone.signal.aborted;
    gone.abort(lost(stay));
  });
  try {
    return await withAnySignal([stay.signal, gone.signal], (signal) => listenUntil({ ...stay, signal }, gone.signal));
  } catch (error) {
    if (!isRenewed || stay.signal.aborted) throw error;
    return 'renewed';
  } finally {
    forget?.();
  }
}

function lost({ context }: Stay): ClientError {
  return context.fail('closed', 'it had dropped the session, and with it the subscription.');
}

/** Listens until the signal of the stay aborts; by `gone` there is nobody any more to take leave of. */
async function listenUntil(stay: Stay, gone: AbortSignal): Promise<never> {
  const { context, session, changes, filter, signal } = stay;
  const { capabilities } = session.facts;
  const watched = watchedOf.get(session) ?? new Map<string, WatchedUri>();
  watchedOf.set(session, watched);
  const held = new Set<string>();
  const stop = changes.listen((change, isSaid) => {
    if (!isSaid || signal.aborted) return;
    if ('resources' in change) return stay.onLoss();
    const method = 'uri' in change ? notifications.resourceUpdated.method : listNotificationOf(change.list);
    stay.onNotification({ jsonrpc: '2.0', method, params: 'uri' in change ? { uri: change.uri } : {} });
  });
  let forgetGaps: (() => void) | undefined;
  try {
    if (capabilities.resources?.subscribe === true) await forEachOf(urisOf(filter), hold);
    stay.onOpen(acknowledgedOf());
    forgetGaps = session.onGap?.(stay.onGap);
    return await untilAborted(signal, new Promise<never>(() => undefined));
  } finally {
    stop();
    forgetGaps?.();
    await within(context.clock, PARTING_MS, release());
  }

  function acknowledgedOf(): SubscriptionFilter {
    const lists = listsOf(filter).filter((list) => capabilities[list]?.listChanged === true);
    return createFilter(lists, [...held]);
  }

  async function hold(uri: string): Promise<void> {
    signal.throwIfAborted();
    for (let parting = watched.get(uri)?.parting; parting !== undefined; parting = watched.get(uri)?.parting) {
      await untilAborted(signal, parting);
    }
    const own = watched.get(uri) ?? begin(uri);
    own.count += 1;
    held.add(uri);
    try {
      await untilAborted(signal, own.asked);
    } catch (error) {
      if (signal.aborted) throw error;
      // What was not answered in time may have been done all the same.
      const isRefused = !(error instanceof ClientError && error.code === 'timeout');
      held.delete(uri);
      own.count -= 1;
      if (own.count === 0 && isRefused) watched.delete(uri);
      else if (own.count === 0) void part([uri]);
      // An end of the connection is told by the session; any other refusal leaves the one resource out.
      if (error instanceof ClientError && error.code === 'closed') throw error;
    }
  }

  function begin(uri: string): WatchedUri {
    const giving = new AbortController();
    const asked = ask('resources/subscribe', uri, { totalMs: stay.timeoutMs, until: giving.signal });
    asked.catch(() => {
      // Whoever holds it gets the reason; nobody may.
    });
    const own: WatchedUri = { count: 0, asked, giveUp: () => giving.abort(), parting: undefined };
    watched.set(uri, own);
    return own;
  }

  /** Lets go of all that is held. It never rejects. */
  async function release(): Promise<void> {
    const over = [...held].filter((uri) => {
      const own = watched.get(uri);
      if (own === undefined) return false;
      own.count -= 1;
      return own.count === 0;
    });
    held.clear();
    if (gone.aborted) for (const uri of over) watched.delete(uri);
    else await part(over);
  }

  /** Tells the server of what nobody wants any more. It never rejects; after a failure it is no longer tried. */
  async function part(uris: readonly string[]): Promise<void> {
    const partings = new Map(uris.map((uri) => [uri, Promise.withResolvers<void>()]));
    for (const [uri, { promise }] of partings) {
      const own = watched.get(uri);
      if (own !== undefined) own.parting = promise;
    }
    const end = (uri: string): void => {
      if (watched.get(uri)?.parting === partings.get(uri)?.promise) watched.delete(uri);
      partings.get(uri)?.resolve();
    };
    try {
      await forEachOf(uris, async (uri) => {
        const own = watched.get(uri);
        // A server that still works on the first request would take it for the later one.
        if (own !== undefined) await within(context.clock, PARTING_MS, settled(own.asked));
        own?.giveUp();
        await ask('resources/unsubscribe', uri, { totalMs: PARTING_MS });
        end(uri);
      });
    } catch {
      // Nobody listens any more either way.
    } finally {
      for (const uri of uris) end(uri);
    }
  }

  async function ask(
    method: 'resources/subscribe' | 'resources/unsubscribe',
    uri: string,
    { totalMs, until }: { readonly totalMs: number; readonly until?: AbortSignal },
  ): Promise<void> {
    await withDeadline(context, { what: method, totalMs, totalOption: 'timeoutMs', signal: until }, (deadline) =>
      session.send(method, { uri }, { signal: deadline.signal, wantsProgress: false, onNotification: () => undefined }),
    );
  }
}
