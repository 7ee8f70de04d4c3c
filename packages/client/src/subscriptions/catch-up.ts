import type { MethodName, ReadResourceResult, SubscriptionFilter } from '@switchyard/protocol';
import type { CallOptions } from '../call/call-options.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { ChangeFeed, ListName } from './change-feed.ts';
import { listsOf, urisOf } from './filter.ts';
import type { KnownLists } from './known-lists.ts';
import type { Bundle } from './news.ts';
import type { SubscribeOptions } from './subscription.ts';
import { createWatchedResources } from './watched-resources.ts';

/** Asks the server, as the client's own methods do. */
export interface Reads {
  list(method: MethodName, options: CallOptions): Promise<object>;
  readResource(uri: string, options: CallOptions): Promise<ReadResourceResult>;
}

/** What a subscription's callbacks are told through. */
export interface CatchUp {
  /** Tells of what the server said has changed. It never rejects. */
  tell(bundle: Bundle): Promise<void>;
  /**
   * Looks for what may have been missed: at the beginning, after a return, and of what is polled. It never rejects;
   * it answers whether the server could be asked.
   */
  look(filter: SubscriptionFilter, when: 'beginning' | 'return' | 'poll'): Promise<boolean>;
}

/** What looking needs. */
interface CatchUpSetup {
  readonly context: PeerContext;
  readonly changes: ChangeFeed;
  readonly known: KnownLists;
  readonly reads: Reads;
  readonly options: SubscribeOptions;
  /** Aborts when the subscription is over. */
  readonly signal: AbortSignal;
}

/**
 * Creates what compares. A list is asked for again where this client has read it before and somebody wants to hear of
 * it; it is told of where its entries differ. A list that this client never read is told of after a return, since
 * nobody can say whether it changed.
 */
export function createCatchUp({ context, changes, known, reads, options, signal }: CatchUpSetup): CatchUp {
  const { onListChanged, onResourceUpdated, onResourceChanged } = options;
  const asking: CallOptions = { signal, cache: 'reload' };
  const watched =
    onResourceChanged &&
    createWatchedResources({
      read: (uri) => reads.readResource(uri, asking),
      onChanged: (change) => unlessOver('onResourceChanged', () => onResourceChanged(change)),
    });

  return {
    async tell({ lists, uris }) {
      for (const list of lists) tellOf(list);
      tellOfUpdates(uris);
      await watched?.check(uris);
    },

    async look(filter, when) {
      let couldAsk = true;
      for (const list of listsOf(filter)) couldAsk = (await lookAt(list, when)) && couldAsk;
      await lookAtResources(urisOf(filter), when);
      return couldAsk;
    },
  };

  async function lookAt(list: ListName, when: 'beginning' | 'return' | 'poll'): Promise<boolean> {
    const methods = known.readBefore(list);
    if (methods.length === 0) {
      if (when === 'return') {
        changes.announce({ list });
        tellOf(list);
      }
      return true;
    }
    const before = methods.map((method) => known.stateOf(method));
    changes.announce({ list });
    if (onListChanged === undefined) return true;
    try {
      for (const method of methods) await reads.list(method, asking);
    } catch {
      // Whoever asks next gets the reason; here it is only not known whether it changed.
      if (when === 'return') tellOf(list);
      return false;
    }
    if (methods.some((method, index) => known.stateOf(method) !== before[index])) tellOf(list);
    return true;
  }

  async function lookAtResources(uris: readonly string[], when: 'beginning' | 'return' | 'poll'): Promise<void> {
    if (when !== 'beginning') for (const uri of uris) changes.announce({ uri });
    if (watched === undefined) {
      if (when !== 'beginning') tellOfUpdates(uris);
      return;
    }
    if (when === 'beginning') await watched.begin(uris);
    else await watched.check(when === 'poll' ? uris : new Set([...uris, ...watched.known()]));
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
