import type { MethodName, ReadResourceResult, SubscriptionFilter } from '@switchyard/protocol';
import type { CallOptions } from '../call/call-options.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { type ChangeFeed, type ListName, methodsOfList } from './change-feed.ts';
import { covering, listsOf, urisOf } from './filter.ts';
import { isSameList, type KnownLists } from './known-lists.ts';
import type { Bundle } from './news.ts';
import { createOneAtATime } from './one-at-a-time.ts';
import type { SubscribeOptions } from './subscription.ts';
import { createWatchedResources } from './watched-resources.ts';

/** Asks the server, as the client's own methods do. */
export interface Reads {
  list(method: MethodName, options: CallOptions): Promise<object>;
  readResource(uri: string, options: CallOptions): Promise<ReadResourceResult>;
}

/** When it is looked: at the beginning, after a return, and from time to time. */
type Occasion = 'beginning' | 'return' | 'poll';

/** What a subscription's callbacks are told through. */
export interface CatchUp {
  /** Tells of what the server said has changed, at once; resources are read for it in their own time. */
  tell(bundle: Bundle): void;
  /**
   * Notes how lists were known when the news of them ended, which is what a return is compared with. While a look goes on
   * what that compares with stands.
   */
  mark(filter: SubscriptionFilter): void;
  /**
   * Looks for what may have been missed, lists first. One look at a time: those that come meanwhile wait, those of one
   * occasion as one. It waits for no resource. It never rejects; it answers whether the server could be asked for lists.
   */
  look(filter: SubscriptionFilter, when: Occasion): Promise<boolean>;
}

/** What looking needs. */
interface CatchUpSetup {
  readonly context: PeerContext;
  readonly changes: ChangeFeed;
  readonly known: KnownLists;
  readonly reads: Reads;
  /** All that the subscription is for. */
  readonly filter: SubscriptionFilter;
  readonly options: SubscribeOptions;
  /** Aborts when the subscription is over. */
  readonly signal: AbortSignal;
}

/**
 * Creates what compares. A list is asked for again where this client has read it before and somebody wants to hear of
 * it; it is told of where its entries differ from those that this subscription knew, whoever listed it since. A list that
 * this client had not read before a break is told of after the return, since nobody can say whether it changed.
 */
export function createCatchUp({ context, changes, known, reads, filter: all, options, signal }: CatchUpSetup): CatchUp {
  const { onListChanged, onResourceUpdated, onResourceChanged } = options;
  const named = urisOf(all);
  const asking: CallOptions = { signal, cache: 'reload' };
  /** Lists as this subscription knew them when it was last told, or its news ended. */
  const seen = new Map<MethodName, object>();
  /** Looks that are not over: what they compare with must stand. */
  let looking = 0;
  const stopKnowing = known.listen((method, list) => {
    // Nothing else says what a list was like at first where it was not read before.
    if (!seen.has(method)) seen.set(method, list);
  });
  signal.addEventListener('abort', stopKnowing, { once: true });
  const watched =
    onResourceChanged &&
    createWatchedResources({
      named,
      read: (uri) => reads.readResource(uri, asking),
      onChanged: (change) => unlessOver('onResourceChanged', () => onResourceChanged(change)),
    });
  const looks = createOneAtATime(async ({ filter, when }: { filter: SubscriptionFilter; when: Occasion }) => {
    let couldAsk = true;
    for (const list of listsOf(filter)) couldAsk = (await lookAt(list, when)) && couldAsk;
    lookAtResources(urisOf(filter), when);
    return couldAsk;
  });

  return {
    tell({ lists, uris, isAny }) {
      // Whoever is told may ask at once, and whatever is watched above a resource may hold something of it.
      for (const uri of new Set(uris.flatMap((one) => [one, ...covering(named, one)]))) changes.announce({ uri });
      for (const list of lists) tellOf(list);
      tellOfUpdates(uris);
      watched?.check(isAny ? new Set([...uris, ...watched.known()]) : uris);
    },
    mark(filter) {
      if (looking > 0) return;
      for (const list of listsOf(filter)) for (const method of methodsOfList(list)) note(method);
    },
    async look(filter, when) {
      looking += 1;
      try {
        return await looks.run(when, { filter, when });
      } finally {
        looking -= 1;
      }
    },
  };

  function note(method: MethodName): void {
    const last = known.last(method);
    if (last !== undefined) seen.set(method, last);
  }

  async function lookAt(list: ListName, when: Occasion): Promise<boolean> {
    if (signal.aborted) return false;
    const methods = known.readBefore(list);
    const isUnseen = when === 'return' && !methods.some((method) => seen.has(method));
    if (methods.length === 0) {
      if (isUnseen) {
        changes.announce({ list });
        tellOf(list);
      }
      return true;
    }
    const before = methods.map((method) => seen.get(method) ?? known.last(method));
    changes.announce({ list });
    if (onListChanged === undefined) return true;
    try {
      for (const method of methods) await reads.list(method, asking);
    } catch {
      // Whoever asks next gets the reason; here it is only not known whether it changed.
      if (when === 'return') tellOf(list);
      return false;
    }
    const hasChanged = methods.some((method, index) => !isSameList(known.last(method), before[index]));
    for (const method of methods) note(method);
    if (isUnseen || hasChanged) tellOf(list);
    return true;
  }

  function lookAtResources(uris: readonly string[], when: Occasion): void {
    if (when !== 'beginning') for (const uri of uris) changes.announce({ uri });
    if (watched === undefined) {
      if (when !== 'beginning') tellOfUpdates(uris);
      return;
    }
    if (when === 'beginning') watched.begin(uris);
    else watched.check(when === 'poll' ? uris : new Set([...uris, ...watched.known()]));
  }

  function tellOf(list: ListName): void {
    unlessOver('onListChanged', () => onListChanged?.(list));
  }

  function tellOfUpdates(uris: readonly string[]): void {
    for (const uri of uris) unlessOver('onResourceUpdated', () => onResourceUpdated?.(uri));
  }

  function unlessOver(name: string, callback: () => unknown): void {
    if (!signal.aborted) context.callBack(name, callback);
  }
}
