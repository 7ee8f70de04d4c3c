import { type CacheScope, holdsBigint, isJsonObject } from '@switchyard/protocol';
import type { KeyValueStore } from '@switchyard/stores';
import { digestOf } from '../peer/digest.ts';
import type { CachedEntry } from './cached-entry.ts';
import { createWriteChains } from './write-chains.ts';

/** Answers in a store. All functions reject as the store does. */
export interface StoredEntries {
  /** Answers nothing while the entry is being written: the store may still have the one before. */
  get(key: string, cacheScope: CacheScope): Promise<CachedEntry | undefined>;
  set(
    key: string,
    entry: CachedEntry,
    options: { readonly ttlMs: number; readonly cacheScope: CacheScope },
  ): Promise<void>;
  delete(key: string): Promise<void>;
}

/** What a store that hangs may hold up: answers are large, and what is to be deleted is a name. */
const MAX_SETS = 100;
const MAX_DELETES = 10_000;

const PREFIX = 'response-cache:1:';

/**
 * Creates the way in and out of a store. The keys there are digests, since a URI may say more than whoever sees the
 * keys should know; the whole key stands in the entry, and one under another key, of another scope or of another form
 * is no entry. A value with a `bigint` is not stored: whoever reads it could not tell it from a number.
 */
export function createStoredEntries(store: KeyValueStore): StoredEntries {
  const writes = createWriteChains();
  return {
    async get(key, cacheScope) {
      const name = nameOf(key);
      if (writes.isWriting(name)) return undefined;
      const text = await store.get(name);
      return text === undefined ? undefined : readEntry(text, key, cacheScope);
    },
    async set(key, { value, receivedAt, staleAt }, { ttlMs, cacheScope }) {
      if (!(ttlMs > 0) || holdsBigint(value)) return;
      const name = nameOf(key);
      await writes.write(name, MAX_SETS, () =>
        store.set(name, JSON.stringify({ key, cacheScope, receivedAt, staleAt, value }), { ttlMs }),
      );
    },
    async delete(key) {
      const name = nameOf(key);
      await writes.write(name, MAX_DELETES, async () => {
        await store.delete(name);
      });
    },
  };
}

function nameOf(key: string): string {
  return `${PREFIX}${digestOf('response-cache', key)}`;
}

function readEntry(text: string, expectedKey: string, expectedScope: CacheScope): CachedEntry | undefined {
  let entry: unknown;
  try {
    entry = JSON.parse(text);
  } catch {
    // Somebody else wrote it; the server is asked instead.
    return undefined;
  }
  if (!isJsonObject(entry)) return undefined;
  const { key, cacheScope, receivedAt, staleAt, value } = entry;
  if (key !== expectedKey || cacheScope !== expectedScope || !isJsonObject(value)) return undefined;
  if (typeof receivedAt !== 'number' || typeof staleAt !== 'number') return undefined;
  return { value, receivedAt, staleAt, isOutdated: false };
}
