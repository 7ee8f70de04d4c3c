import { notifications, type SubscriptionFilter } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import { untilAborted, withDeadline } from '../timing/deadline.ts';
import type { Session } from '../session/session.ts';
import { listNotificationOf } from './change-feed.ts';
import { createFilter, listsOf, urisOf } from './filter.ts';
import { forEachOf } from './for-each-of.ts';
import type { Stay } from './stay.ts';

const PARTING_MS = 2000;

/** A resource that the server tells this client of. */
interface Hold {
  /** How many subscriptions want it. */
  count: number;
  /** The request for it, which they share. */
  readonly asked: Promise<void>;
}

/** By session and URI: the server counts all subscriptions of this client as one. */
const holdsOf = new WeakMap<Session, Map<string, Hold>>();

/**
 * Listens to a legacy server, which tells of its lists by itself, and of resources after `resources/subscribe`. A
 * resource that it refuses, and a list whose capability it lacks, is not acknowledged. Rejects when the session ends or
 * was replaced, or with the reason of the signal; then what nobody else of this client watches is given up, as a
 * courtesy.
 *
 * Spec: 2025-11-25/server/resources#subscriptions.
 */
export async function listenLegacy(stay: Stay): Promise<void> {
  const { context, session, changes, filter, signal } = stay;
  const { capabilities } = session.facts;
  const held: string[] = [];
  const stop = changes.listen((change, isSaid) => {
    if (!isSaid) return;
    const method = 'uri' in change ? notifications.resourceUpdated.method : listNotificationOf(change.list);
    stay.onNotification({ jsonrpc: '2.0', method, params: 'uri' in change ? { uri: change.uri } : {} });
  });
  const renewed = Promise.withResolvers<ClientError>();
  const forget = session.onRenewed?.(() =>
    renewed.resolve(context.fail('closed', 'it had dropped the session, and with it the subscription.')),
  );
  try {
    if (capabilities.resources?.subscribe === true) {
      await untilAborted(
        signal,
        forEachOf(urisOf(filter), (uri) => hold(uri)),
      );
    }
    stay.onOpen(acknowledgedOf());
    const reason = await untilAborted(signal, Promise.race([session.closed, renewed.promise]));
    throw reason ?? context.fail('closed', 'its connection ended, and with it the subscription.');
  } finally {
    stop();
    forget?.();
    release();
  }

  function acknowledgedOf(): SubscriptionFilter {
    const lists = listsOf(filter).filter((list) => capabilities[list]?.listChanged === true);
    return createFilter(lists, held);
  }

  async function hold(uri: string): Promise<void> {
    const holds = holdsOf.get(session) ?? new Map<string, Hold>();
    holdsOf.set(session, holds);
    const own = holds.get(uri) ?? { count: 0, asked: ask('resources/subscribe', uri, stay.timeoutMs) };
    own.count += 1;
    holds.set(uri, own);
    held.push(uri);
    try {
      await own.asked;
    } catch (error) {
      held.splice(held.indexOf(uri), 1);
      letGo(uri);
      // An end of the connection is told by the session; any other refusal leaves the one resource out.
      if (error instanceof ClientError && error.code === 'closed') throw error;
    }
  }

  function release(): void {
    for (const uri of held) {
      if (!letGo(uri)) continue;
      ask('resources/unsubscribe', uri, PARTING_MS).catch(() => {
        // Nobody listens any more either way.
      });
    }
  }

  /** Answers whether nobody holds it any more. */
  function letGo(uri: string): boolean {
    const holds = holdsOf.get(session);
    const hold = holds?.get(uri);
    if (hold === undefined) return false;
    hold.count -= 1;
    if (hold.count === 0) holds?.delete(uri);
    return hold.count === 0;
  }

  async function ask(
    method: 'resources/subscribe' | 'resources/unsubscribe',
    uri: string,
    totalMs: number,
  ): Promise<void> {
    await withDeadline(context, { what: method, totalMs, totalOption: 'timeoutMs' }, (deadline) =>
      session.send(method, { uri }, { signal: deadline.signal, wantsProgress: false, onNotification: () => undefined }),
    );
  }
}
