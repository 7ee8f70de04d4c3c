import type { SubscriptionFilter } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Change, ListName } from './change-feed.ts';
import { covering, listsOf, urisOf } from './filter.ts';

/** What came together. */
export interface Bundle {
  readonly lists: readonly ListName[];
  readonly uris: readonly string[];
  /** Whether anything else may have changed, too, since some news were lost. */
  readonly isAny: boolean;
}

/** Gathers changes, so that a burst of them is told once. */
export interface News {
  /** Takes a change; one that was not asked for is ignored. */
  take(change: Change): void;
  /** Takes it that anything that was asked for may have changed. */
  lose(): void;
  /** Hands over what waits at once, or forgets it, and takes nothing any more. */
  end(how: 'deliver' | 'forget'): void;
}

/** How long changes are gathered. */
const GATHER_MS = 100;
/** Most resources that wait; with more, everything that is watched counts as updated. */
const MAX_URIS = 1000;
/** Of a longer URI, what is watched above it counts as updated: a thousand of them have to wait somewhere. */
const MAX_URI_CHARS = 2048;

/** Creates what gathers the changes of one subscription: a bundle is handed over 100 milliseconds after its first. */
export function createNews(context: PeerContext, filter: SubscriptionFilter, handOver: (bundle: Bundle) => void): News {
  const wantedLists: ReadonlySet<ListName> = new Set(listsOf(filter));
  const watched = urisOf(filter);
  const lists = new Set<ListName>();
  const uris = new Set<string>();
  let disarm: (() => void) | undefined;
  let isAny = false;
  let isOver = false;

  return {
    take(change) {
      if (!isOver && add(change)) arm();
    },
    lose() {
      if (isOver) return;
      addAll();
      for (const list of wantedLists) lists.add(list);
      arm();
    },
    end(how) {
      isOver = true;
      if (disarm === undefined) return;
      disarm();
      if (how === 'deliver') flush();
    },
  };

  function arm(): void {
    disarm ??= context.clock.after(GATHER_MS, flush);
  }

  function addAll(): void {
    isAny = true;
    for (const one of watched) uris.add(one);
  }

  function add(change: Change): boolean {
    if ('resources' in change) {
      addAll();
      return watched.length > 0;
    }
    if ('list' in change) {
      if (!wantedLists.has(change.list)) return false;
      lists.add(change.list);
      return true;
    }
    const { uri } = change;
    const above = covering(watched, uri);
    if (above.length === 0) return false;
    if (uris.size >= MAX_URIS) addAll();
    else if (uri.length <= MAX_URI_CHARS) uris.add(uri);
    else for (const one of above) uris.add(one);
    return true;
  }

  function flush(): void {
    disarm = undefined;
    const bundle = { lists: [...lists], uris: [...uris], isAny };
    lists.clear();
    uris.clear();
    isAny = false;
    handOver(bundle);
  }
}
