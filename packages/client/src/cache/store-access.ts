import type { PeerContext } from '../peer/peer-context.ts';
import { textOf } from '../peer/text-of.ts';
import { within } from '../timing/within.ts';
import type { CachedEntry } from './cached-entry.ts';

/** How one client uses the store of its cache. */
export interface StoreAccess {
  /** Answers what `read` finds; nothing where the store fails, takes too long, or is left alone. It never rejects. */
  read(read: () => Promise<CachedEntry | undefined>): Promise<CachedEntry | undefined>;
  /** What a store does not take costs a request later, and nothing else. */
  onWrite(writing: Promise<void>): void;
}

/** A store is a short cut: one that is slower than this is none. */
const STORE_MS = 1000;
/** How long a store that was too slow is not read. */
const REST_MS = 30_000;

/** Creates the access of one client: a store that fails or hangs is a warning, never an error. */
export function createStoreAccess(context: PeerContext): StoreAccess {
  let restsUntil = -Infinity;

  return {
    async read(read) {
      if (context.clock.now() < restsUntil) return undefined;
      try {
        const found = await within(
          context.clock,
          STORE_MS,
          read().then((entry) => ({ entry })),
        );
        if (found !== undefined) return found.entry;
        restsUntil = context.clock.now() + REST_MS;
        warnOf(`it did not answer within ${STORE_MS} ms, and is not read for ${REST_MS / 1000} seconds`);
      } catch (error) {
        warnOf(textOf(error));
      }
      return undefined;
    },
    onWrite(writing) {
      writing.catch((error: unknown) => warnOf(textOf(error)));
    },
  };

  function warnOf(problem: string): void {
    context.warn('cache-store-failed', `the store of the response cache failed: ${problem}`);
  }
}
