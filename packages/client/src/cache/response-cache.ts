import type { CachedEntry } from './cached-entry.ts';
import type { CacheHints, CacheScope } from '@switchyard/protocol';
import type { KeyValueStore } from '@switchyard/stores';
import { LRUCache } from 'lru-cache';
import { weightOf } from '../call/weight-of.ts';
import { type CachedRequest, familyOf } from './cached-request.ts';
import { deepFreeze } from './deep-freeze.ts';
import { createStoredEntries } from './stored-entries.ts';

/** Watches over one answer that is on its way. */
export interface CacheTicket {
  /** Whether a change was announced since the ticket was taken, so that the answer may be older than that. */
  isOutdated(): boolean;
  /** Ends the watch. */
  end(): void;
}

/** What is kept of an answer. */
export interface KeptAnswer {
  readonly value: object & CacheHints;
  readonly receivedAt: number;
  /** Whether it is only kept to be served when asking again fails. */
  readonly isStale: boolean;
}

/**
 * Answers of servers, kept as long as they said. One cache may serve several clients: what is public is shared by all
 * that reach the same server at the same revision, what is private by those that call as the same principal.
 *
 * Spec: server/utilities/caching (2026-07-28).
 */
export interface ResponseCache {
  /** The time of the cache, in milliseconds. */
  now(): number;
  /** Answers what is kept in memory of a request, fresh or stale. */
  find(request: CachedRequest): CachedEntry | undefined;
  /** Answers what the store has of a request, while it is fresh; absent without a store. Rejects as the store does. */
  readonly load: ((request: CachedRequest) => Promise<CachedEntry | undefined>) | undefined;
  /** Takes a ticket for an answer that is asked for now. */
  begin(request: Pick<CachedRequest, 'server' | 'request'>): CacheTicket;
  /** Keeps an answer in place of the one before. Resolves when the store has it, too, and rejects as the store does. */
  keep(request: CachedRequest, answer: KeptAnswer): Promise<void>;
  /** Forgets what is kept of a request for its principal. Resolves and rejects as {@link keep}. */
  drop(request: CachedRequest): Promise<void>;
  /**
   * Makes all that memory holds of a request stale, whoever got it, and drops from the store what is public and what is
   * this principal's. Resolves and rejects as {@link keep}.
   */
  invalidate(request: CachedRequest): Promise<void>;
  /** Forgets all that memory holds. */
  clear(): void;
}

export interface ResponseCacheOptions {
  /**
   * Keeps answers beyond this process, and for others that are given the same store. It is read where memory has
   * nothing, and it is never closed here. What is private goes there only under a principal that is known.
   */
  readonly store?: KeyValueStore;
  /** The most answers in memory. Default 1,000. */
  readonly maxEntries?: number;
  /** What the answers in memory may weigh together, roughly, in bytes. Default 32 MiB. */
  readonly maxBytes?: number;
  /** The longest time that an answer counts as fresh, whatever its server says. Default 24 hours. */
  readonly maxTtlMs?: number;
  /** Milliseconds since the epoch, never going back. Default: the platform's. */
  readonly now?: () => number;
}

const MAX_TTL_MS = 24 * 60 * 60 * 1000;
const MAX_ENTRIES = 1000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Most requests of which it is remembered when a change was announced. */
const MAX_CHANGES = 10_000;
const BYTES_PER_CHAR = 2;

interface MutableEntry extends CachedEntry {
  staleAt: number;
  readonly family: string;
}

/**
 * Creates a cache. The least recently used answers go first when it is full; an answer that alone is over `maxBytes` is
 * not kept. Throws a `RangeError` for a limit that is no positive number.
 */
export function createResponseCache(options: ResponseCacheOptions = {}): ResponseCache {
  const { maxEntries = MAX_ENTRIES, maxBytes = MAX_BYTES, maxTtlMs = MAX_TTL_MS, now = platformNow } = options;
  for (const [name, limit] of Object.entries({ maxEntries, maxBytes, maxTtlMs })) {
    if (!(limit > 0)) throw new RangeError(`${name} of a response cache must be a positive number, not ${limit}.`);
  }
  const stored = options.store === undefined ? undefined : createStoredEntries(options.store);
  const families = new Map<string, Set<string>>();
  const tickets = new Map<string, Set<{ isOutdated: boolean }>>();
  /** When a change was announced, where a store may have what came before it. */
  const changedAt = new Map<string, number>();
  /** What was dropped from the store and not kept there since, so that a flood of changes does not become one there. */
  const dropped = new Map<string, true>();
  const entries = new LRUCache<string, MutableEntry>({
    max: maxEntries,
    maxSize: maxBytes,
    dispose: ({ family }, key, reason) => {
      if (reason !== 'set') removeFrom(families, family, key);
    },
  });

  return {
    now,
    find: (request) => entries.get(privateKey(request)) ?? entries.get(familyOf(request)),
    load: stored === undefined ? undefined : (request) => load(request, stored),
    begin(request) {
      const family = familyOf(request);
      const ticket = { isOutdated: false };
      addTo(tickets, family, ticket);
      return {
        isOutdated: () => ticket.isOutdated,
        end: () => removeFrom(tickets, family, ticket),
      };
    },
    async keep(request, { value, receivedAt, isStale }) {
      const ttlMs = isStale ? 0 : Math.min(value.ttlMs, maxTtlMs);
      const { cacheScope } = value;
      const entry = { value, receivedAt, staleAt: isStale ? Math.min(receivedAt, now()) : receivedAt + ttlMs };
      put(request, cacheScope, entry);
      if (ttlMs > 0 && mayStore(request, cacheScope)) {
        dropped.delete(familyOf(request));
        await stored?.set(keyOf(request, cacheScope), entry, { ttlMs: entry.staleAt - now(), cacheScope });
      }
    },
    drop,
    async invalidate(request) {
      const family = familyOf(request);
      const at = now();
      for (const key of families.get(family) ?? []) {
        const entry = entries.peek(key);
        if (entry !== undefined) entry.staleAt = Math.min(entry.staleAt, at);
      }
      for (const ticket of tickets.get(family) ?? []) ticket.isOutdated = true;
      if (stored === undefined) return;
      remember(changedAt, family, at);
      if (dropped.has(family)) return;
      remember(dropped, family, true);
      await dropStored(request);
    },
    clear: () => entries.clear(),
  };

  async function load(request: CachedRequest, from: NonNullable<typeof stored>): Promise<CachedEntry | undefined> {
    const family = familyOf(request);
    for (const scope of ['private', 'public'] as const) {
      if (!mayStore(request, scope)) continue;
      const entry = await from.get(keyOf(request, scope), scope);
      if (entry === undefined || !isBelievable(entry, family)) continue;
      deepFreeze(entry.value);
      put(request, scope, entry);
      return entry;
    }
    return undefined;
  }

  /** What came before a change that was announced is stale, and so is what another clock says comes later than now. */
  function isBelievable({ receivedAt, staleAt }: CachedEntry, family: string): boolean {
    const at = now();
    return (
      receivedAt > (changedAt.get(family) ?? -Infinity) && receivedAt <= at && staleAt > at && staleAt <= at + maxTtlMs
    );
  }

  function put(request: CachedRequest, scope: CacheScope, entry: CachedEntry): void {
    const family = familyOf(request);
    const key = keyOf(request, scope);
    // An answer has one scope: the one before it must not be found in its place.
    entries.delete(keyOf(request, scope === 'public' ? 'private' : 'public'));
    const size = BYTES_PER_CHAR * (weightOf(entry.value, maxBytes / BYTES_PER_CHAR) + key.length);
    if (size > maxBytes) {
      entries.delete(key);
      return;
    }
    addTo(families, family, key);
    entries.set(key, { ...entry, family }, { size });
  }

  async function drop(request: CachedRequest): Promise<void> {
    entries.delete(privateKey(request));
    entries.delete(familyOf(request));
    await dropStored(request);
  }

  async function dropStored(request: CachedRequest): Promise<void> {
    if (stored === undefined) return;
    const scopes = (['public', 'private'] as const).filter((scope) => mayStore(request, scope));
    await Promise.all(scopes.map((scope) => stored.delete(keyOf(request, scope))));
  }
}

/** Sets the newest entry, and forgets the oldest where there are too many. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_CHANGES && oldest !== undefined) map.delete(oldest);
}

function mayStore({ isShared, principal }: CachedRequest, scope: CacheScope): boolean {
  return isShared && (scope === 'public' || principal.isKnown);
}

function keyOf(request: CachedRequest, scope: CacheScope): string {
  return scope === 'public' ? familyOf(request) : privateKey(request);
}

function privateKey(request: CachedRequest): string {
  return `${familyOf(request)}\n${request.principal.key}`;
}

function addTo<T>(sets: Map<string, Set<T>>, name: string, item: T): void {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([item]));
  else set.add(item);
}

function removeFrom<T>(sets: Map<string, Set<T>>, name: string, item: T): void {
  const set = sets.get(name);
  if (set?.delete(item) === true && set.size === 0) sets.delete(name);
}

/** The time of day may be set back; this one may not. */
function platformNow(): number {
  return performance.timeOrigin + performance.now();
}
