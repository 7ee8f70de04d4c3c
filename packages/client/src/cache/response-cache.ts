import type { CachedEntry } from './cached-entry.ts';
import {
  assertKnownOptions,
  type CacheHints,
  type CacheScope,
  type KnownOptions,
  type MethodName,
} from '@switchyard/protocol';
import type { KeyValueStore } from '@switchyard/stores';
import { LRUCache } from 'lru-cache';
import { weightOf } from '../peer/weight-of.ts';
import { type CachedRequest, cacheVariants, familyOf, methodFamilyOf } from './cached-request.ts';
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
  /** Whether it is of use only where asking again fails. */
  readonly isStale: boolean;
}

/**
 * Answers of servers, kept as long as they said. One cache may serve several clients: what is public is shared by all
 * that reach the same server at the same revision, what is private by those that call as the same principal.
 *
 * Spec: server/utilities/caching (2026-07-28).
 */
export interface ResponseCache {
  /** Forgets all that memory holds; what is in a store stays there. */
  clear(): void;
}

/** A cache as the clients of this package use it. */
export interface AnswerCache extends ResponseCache {
  /** The time of the cache, in milliseconds. */
  now(): number;
  /** The longest time that an answer counts as fresh, in milliseconds. */
  readonly maxTtlMs: number;
  /** Answers what is kept in memory of a request, fresh or stale. */
  find(request: CachedRequest): CachedEntry | undefined;
  /**
   * Answers what the store has of a request, while it is fresh and has the form of such an answer, unless something was
   * kept, dropped or changed meanwhile; absent without a store. Rejects as the store does.
   */
  readonly load:
    ((request: CachedRequest, isValid: (value: object) => boolean) => Promise<CachedEntry | undefined>) | undefined;
  /** Takes a ticket for an answer that is asked for now. */
  begin(request: Pick<CachedRequest, 'server' | 'request'>): CacheTicket;
  /** From now on stale answers are kept, too, since somebody may be given them. */
  keepStale(): void;
  /**
   * Keeps an answer in place of the one before; a stale one only after {@link keepStale}. Resolves when the store has it,
   * too, and rejects as the store does.
   */
  keep(request: CachedRequest, answer: KeptAnswer): Promise<void>;
  /**
   * Makes all that memory holds of a request stale, whoever got it, and drops from the store what is public and what is
   * this principal's. Resolves and rejects as {@link keep}.
   */
  invalidate(request: CachedRequest): Promise<void>;
  /** The same for all requests of one method; of the store it drops those that memory knows. */
  invalidateAll(requests: Omit<CachedRequest, 'request' | 'variant'> & { readonly method: MethodName }): Promise<void>;
}

/** Where a cache keeps answers, how many, and for how long. */
export interface ResponseCacheOptions {
  /**
   * Keeps answers beyond this process, and for others that are given the same store. It is read where memory has
   * nothing, and it is never closed here. What is private goes there only under a principal that is known.
   */
  readonly store?: KeyValueStore;
  /** The most answers in memory, an integer. Default 1,000. */
  readonly maxEntries?: number;
  /** What the answers in memory may weigh together, roughly, in whole bytes. Default 32 MiB. */
  readonly maxBytes?: number;
  /** The longest time that an answer counts as fresh, whatever its server says. Default 24 hours. */
  readonly maxTtlMs?: number;
  /**
   * Milliseconds since 1970, never going back; all that share a store have the same. Default: the platform's. This is no
   * `Clock`, whose time may begin anywhere.
   */
  readonly epochNow?: () => number;
}

const MAX_TTL_MS = 24 * 60 * 60 * 1000;
const MAX_ENTRIES = 1000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Most requests of which it is remembered when a change was announced. */
const MAX_CHANGES = 10_000;
const BYTES_PER_CHAR = 2;

interface MutableEntry extends CachedEntry {
  staleAt: number;
  isOutdated: boolean;
  readonly family: string;
}

/**
 * Creates a cache. The least recently used answers go first when it is full; an answer that alone is over `maxBytes` is
 * not kept. Throws a `RangeError` for a limit that is no positive number, or no integer where it counts, and a
 * `TypeError` for an option that there is not.
 */
export function createResponseCache(options: ResponseCacheOptions = {}): ResponseCache {
  return createAnswerCache(options);
}

const responseCacheOptions: KnownOptions<ResponseCacheOptions> = {
  store: true,
  maxEntries: true,
  maxBytes: true,
  maxTtlMs: true,
  epochNow: true,
};

/** As {@link createResponseCache}, for the clients of this package. */
export function createAnswerCache(options: ResponseCacheOptions = {}): AnswerCache {
  assertKnownOptions('createResponseCache', options, responseCacheOptions);
  const {
    maxEntries = MAX_ENTRIES,
    maxBytes = MAX_BYTES,
    maxTtlMs = MAX_TTL_MS,
    epochNow: now = platformNow,
  } = options;
  assertLimit('maxEntries', maxEntries, true);
  assertLimit('maxBytes', maxBytes, true);
  assertLimit('maxTtlMs', maxTtlMs, false);
  const stored = options.store === undefined ? undefined : createStoredEntries(options.store);
  const families = new Map<string, Set<string>>();
  const tickets = new Map<string, Set<{ isOutdated: boolean }>>();
  /** What is being read from the store, by family; over when something newer is known. */
  const loads = new Map<string, Set<{ isOver: boolean }>>();
  /** When a change was announced, where a store may have what came before it. */
  const changedAt = new Map<string, number>();
  let keepsStale = false;
  const entries = new LRUCache<string, MutableEntry>({
    max: maxEntries,
    maxSize: maxBytes,
    dispose: ({ family }, key, reason) => {
      if (reason !== 'set') removeFrom(families, family, key);
    },
  });

  return {
    now,
    maxTtlMs,
    find(request) {
      const own = request.principal && entries.get(keyOf(request, 'private'));
      return own ?? entries.get(keyOf(request, 'public'));
    },
    load: stored === undefined ? undefined : (request, isValid) => load(request, isValid, stored),
    begin(request) {
      const family = familyOf(request);
      const ticket = { isOutdated: false };
      addTo(tickets, family, ticket);
      return {
        isOutdated: () => ticket.isOutdated,
        end: () => removeFrom(tickets, family, ticket),
      };
    },
    keepStale() {
      keepsStale = true;
    },
    async keep(request, { value, receivedAt, isStale }) {
      if (isStale && !keepsStale) return drop(request);
      const ttlMs = isStale ? 0 : Math.min(value.ttlMs, maxTtlMs);
      const { cacheScope } = value;
      if (cacheScope === 'private' && request.principal === undefined) return;
      const staleAt = isStale ? Math.min(receivedAt, now()) : receivedAt + ttlMs;
      const entry = { value, receivedAt, staleAt, isOutdated: isStale };
      endLoads(familyOf(request));
      put(request, cacheScope, entry);
      if (!(ttlMs > 0)) await dropStored([request]);
      else if (mayStore(request, cacheScope)) {
        await stored?.set(keyOf(request, cacheScope), entry, { ttlMs: entry.staleAt - now(), cacheScope });
      }
    },
    async invalidate(request) {
      const family = familyOf(request);
      outdate(family, now());
      await dropStored(cacheVariants.map((variant) => ({ ...request, variant })));
    },
    async invalidateAll({ server, method, ...rest }) {
      const methodFamily = methodFamilyOf(server, method);
      const at = now();
      const known = new Set([...families.keys(), ...tickets.keys(), ...loads.keys()]);
      const changed = [...known].filter((name) => name === methodFamily || name.startsWith(`${methodFamily}\n`));
      for (const family of changed) outdate(family, at);
      if (stored !== undefined) remember(changedAt, methodFamily, at);
      const requests: CachedRequest[] = [];
      for (const family of changed) {
        const request = family.slice(server.length + 1);
        for (const variant of cacheVariants) requests.push({ ...rest, server, request, variant });
      }
      await dropStored(requests);
    },
    clear() {
      for (const family of loads.keys()) endLoads(family);
      entries.clear();
    },
  };

  async function drop(request: CachedRequest): Promise<void> {
    endLoads(familyOf(request));
    for (const scope of scopesOf(request)) entries.delete(keyOf(request, scope));
    await dropStored([request]);
  }

  function outdate(family: string, at: number): void {
    for (const key of families.get(family) ?? []) {
      const entry = entries.peek(key);
      if (entry === undefined) continue;
      entry.staleAt = Math.min(entry.staleAt, at);
      entry.isOutdated = true;
    }
    for (const ticket of tickets.get(family) ?? []) ticket.isOutdated = true;
    endLoads(family);
    if (stored !== undefined) remember(changedAt, family, at);
  }

  function endLoads(family: string): void {
    for (const loading of loads.get(family) ?? []) loading.isOver = true;
  }

  async function load(
    request: CachedRequest,
    isValid: (value: object) => boolean,
    from: NonNullable<typeof stored>,
  ): Promise<CachedEntry | undefined> {
    const family = familyOf(request);
    const loading = { isOver: false };
    addTo(loads, family, loading);
    try {
      for (const scope of scopesOf(request)) {
        if (!mayStore(request, scope)) continue;
        const entry = await from.get(keyOf(request, scope), scope);
        // What was kept, dropped or said to have changed meanwhile is newer than what the store had when it was asked.
        if (loading.isOver) return undefined;
        if (entry === undefined || !isBelievable(entry, request) || !isValid(entry.value)) continue;
        deepFreeze(entry.value);
        put(request, scope, entry);
        return entry;
      }
      return undefined;
    } finally {
      removeFrom(loads, family, loading);
    }
  }

  /** What came before a change that was announced is stale, and so is what another clock says comes later than now. */
  function isBelievable({ receivedAt, staleAt }: CachedEntry, request: CachedRequest): boolean {
    const at = now();
    const lastChange = Math.max(
      changedAt.get(familyOf(request)) ?? -Infinity,
      changedAt.get(methodFamilyOf(request.server, request.request)) ?? -Infinity,
    );
    return receivedAt > lastChange && receivedAt <= at && staleAt > at && staleAt <= at + maxTtlMs;
  }

  function put(request: CachedRequest, scope: CacheScope, entry: CachedEntry): void {
    const family = familyOf(request);
    const key = keyOf(request, scope);
    // An answer has one scope: the one before it must not be found in its place.
    for (const one of scopesOf(request)) if (one !== scope) entries.delete(keyOf(request, one));
    const size = BYTES_PER_CHAR * (weightOf(entry.value, maxBytes / BYTES_PER_CHAR) + key.length);
    if (size > maxBytes) {
      entries.delete(key);
      return;
    }
    addTo(families, family, key);
    entries.set(key, { ...entry, family }, { size: Math.ceil(size) });
  }

  async function dropStored(requests: readonly CachedRequest[]): Promise<void> {
    if (stored === undefined) return;
    const keys = requests.flatMap((request) =>
      scopesOf(request)
        .filter((scope) => mayStore(request, scope))
        .map((scope) => keyOf(request, scope)),
    );
    await Promise.all(keys.map((key) => stored.delete(key)));
  }
}

/** Throws a `RangeError` for what cannot bound anything. */
function assertLimit(name: string, limit: number, isCount: boolean): void {
  if (typeof limit === 'number' && limit > 0 && (!isCount || Number.isSafeInteger(limit))) return;
  const expected = isCount ? 'a positive integer' : 'a positive number';
  throw new RangeError(`${name} of a response cache must be ${expected}, not ${String(limit)}.`);
}

/** Sets the newest entry, and forgets the oldest where there are too many. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_CHANGES && oldest !== undefined) map.delete(oldest);
}

/** The scopes in which an answer to a request may be kept, the own one first. */
function scopesOf({ principal }: CachedRequest): readonly CacheScope[] {
  return principal === undefined ? ['public'] : ['private', 'public'];
}

function mayStore({ isShared, principal }: CachedRequest, scope: CacheScope): boolean {
  return isShared && (scope === 'public' || principal?.isKnown === true);
}

function keyOf(request: CachedRequest, scope: CacheScope): string {
  const key = `${familyOf(request)}\n${request.variant}`;
  return scope === 'public' ? key : `${key}\n${request.principal?.key ?? ''}`;
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
