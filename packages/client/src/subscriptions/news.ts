import type { SubscriptionFilter } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Change, ListName } from './change-feed.ts';
import { listsOf, urisOf } from './filter.ts';

/** What came together. */
export interface Bundle {
  readonly lists: readonly ListName[];
  readonly uris: readonly string[];
}

/** Gathers changes, so that a burst of them is told once. */
export interface News {
  /** Takes a change; one that was not asked for is ignored. */
  take(change: Change): void;
  /** Drops what waits, and takes nothing any more. */
  end(): void;
}

/** How long changes are gathered. */
const GATHER_MS = 100;
/** Most resources that wait; with more, everything that is watched counts as updated. */
const MAX_URIS = 1000;

/**
 * Creates what gathers the changes of one subscription. Each bundle is handed over 100 milliseconds after its first
 * change, and not before the one before it is done with: what comes meanwhile waits as one.
 */
export function createNews(
  context: PeerContext,
  filter: SubscriptionFilter,
  handOver: (bundle: Bundle) => Promise<void>,
): News {
  const wantedLists: ReadonlySet<ListName> = new Set(listsOf(filter));
  const watched = urisOf(filter);
  const lists = new Set<ListName>();
  const uris = new Set<string>();
  let disarm: (() => void) | undefined;
  let isBusy = false;
  let isOver = false;

  return {
    take(change) {
      if (isOver || !add(change)) return;
      if (!isBusy) disarm ??= context.clock.after(GATHER_MS, () => void flush());
    },
    end() {
      isOver = true;
      disarm?.();
    },
  };

  function add(change: Change): boolean {
    if ('list' in change) {
      if (!wantedLists.has(change.list)) return false;
      lists.add(change.list);
      return true;
    }
    const { uri } = change;
    if (!watched.some((one) => covers(one, uri))) return false;
    if (uris.size < MAX_URIS) uris.add(uri);
    else for (const one of watched) uris.add(one);
    return true;
  }

  async function flush(): Promise<void> {
    disarm = undefined;
    const bundle = { lists: [...lists], uris: [...uris] };
    lists.clear();
    uris.clear();
    isBusy = true;
    try {
      await handOver(bundle);
    } finally {
      isBusy = false;
      if (!isOver && lists.size + uris.size > 0) disarm = context.clock.after(GATHER_MS, () => void flush());
    }
  }
}

/** Whoever watches a resource hears of what lies below it. Spec: schema#resourceupdatednotification (2026-07-28). */
function covers(watched: string, uri: string): boolean {
  return uri === watched || uri.startsWith(watched.endsWith('/') ? watched : `${watched}/`);
}
