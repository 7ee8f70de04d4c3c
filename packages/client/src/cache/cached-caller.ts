import type { Freshness } from '../call/freshness.ts';
import type { CacheHints, JsonObject, MethodName } from '@switchyard/protocol';
import { assertCallOptions, type CallOptions } from '../call/call-options.ts';
import type { Call } from '../call/call.ts';
import type { Caller } from '../call/caller.ts';
import { within } from '../timing/deadline.ts';
import type { SessionKeeper } from '../negotiate/session-keeper.ts';
import type { Session } from '../session/session.ts';
import { type ChangeFeed, methodsOfList } from '../subscriptions/change-feed.ts';
import { type CachePrincipal, type CachedRequest, requestKey } from './cached-request.ts';
import { isOutage, mayShareRequest, mayUseCache } from './call-policy.ts';
import { deepFreeze } from './deep-freeze.ts';
import { createFlights, type FlightWork } from './flights.ts';
import type { CachedEntry } from './cached-entry.ts';
import type { CacheTicket, ResponseCache } from './response-cache.ts';

/** What may be answered without asking the server. */
export interface CacheableWork<T> {
  readonly method: MethodName;
  readonly params: JsonObject;
  /** Asks the server. */
  readonly ask: (call: Call) => Promise<T>;
  /** Learns from an answer that this session of the client did not ask for itself, before it is given out. */
  readonly onFound?: (value: T, session: Session) => Promise<void> | void;
  /** Sees each whole answer that came from the server. */
  readonly onAnswer?: (value: T) => void;
}

/** Runs calls whose answers are kept. */
export interface CachedCaller {
  /** As {@link Caller.run}; what it answers is deeply frozen unless there is no cache. */
  run<T extends CacheHints>(work: CacheableWork<T>, options: CallOptions | undefined): Promise<T & Freshness>;
  /** From now on every call rejects with code `closed`. */
  close(): void;
}

/** What a client's cached calls are made of. */
export interface CachedCallerSetup {
  readonly caller: Caller;
  readonly keeper: Pick<SessionKeeper, 'live'>;
  readonly changes: ChangeFeed;
  readonly cache: ResponseCache | undefined;
  /** As `Transport.identity`. */
  readonly identity: string | undefined;
}

/** A store is a short cut: one that is slower than this is none. */
const STORE_MS = 1000;
let lastClient = 0;

/**
 * Creates the cached calls of one client. An answer is fresh for as long as its server said, and no longer than until a
 * notification says otherwise or another session with the server begins. One that was on its way when such a
 * notification came is not kept as fresh, nor is one that depends on input beyond its params.
 *
 * Spec: server/utilities/caching (2026-07-28).
 */
export function createCachedCaller(setup: CachedCallerSetup): CachedCaller {
  const { caller, keeper, changes, cache, identity } = setup;
  const { context } = caller;
  lastClient += 1;
  const nobody: CachePrincipal = { key: `#${lastClient}`, isKnown: false };
  const server = `${identity ?? nobody.key}\n${context.exactIntegers ? 'exact' : ''}`;
  const flights = createFlights<object>(context);
  /** By session, the answer that it learned from last, of the works that have an {@link CacheableWork.onFound}. */
  const shown = new WeakMap<Session, object>();
  let lastSession: Session | undefined;
  let trustedFrom = -Infinity;
  let isClosed = false;
  const stopListening = changes.listen((change) => {
    if (cache === undefined) return;
    const requests =
      'uri' in change
        ? [requestKey('resources/read', { uri: change.uri })]
        : methodsOfList(change.list).map((method) => requestKey(method, {}));
    const session = keeper.live() ?? lastSession;
    if (session === undefined) return;
    for (const request of requests) overStore(cache.invalidate(requestOf(session, request)));
  });

  return {
    run: (work, options) => run(work, options),
    close() {
      isClosed = true;
      stopListening();
    },
  };

  async function run<T extends CacheHints>(work: CacheableWork<T>, options: CallOptions = {}): Promise<T & Freshness> {
    if (isClosed) throw context.fail('closed', 'the client was closed.');
    if (cache === undefined || !mayUseCache(options)) {
      const value = await caller.run(work.method, options, work.ask);
      work.onAnswer?.(value);
      return value;
    }
    assertCallOptions(context, options);
    const key = requestKey(work.method, work.params);
    const session = liveSession(cache);
    const known = session === undefined ? undefined : cache.find(requestOf(session, key));
    const isWanted = options.cache !== 'reload' && options.signal?.aborted !== true;
    if (known !== undefined && session !== undefined && isWanted && isFresh(known, cache)) {
      if (work.onFound === undefined || shown.get(session) === known.value) return known.value as T;
      return show(work, known.value as T, session);
    }
    try {
      return (await ask(work, key, cache, options)) as T;
    } catch (error) {
      const stale = staleAnswer(error, key, cache, options);
      if (stale === undefined) throw error;
      context.warn('stale-answer', `${work.method} failed, so an older answer stands in for it: ${String(error)}`);
      return Object.freeze({ ...(stale.value as T), isStale: true });
    }
  }

  /** Shares a request that is under way, or makes one. */
  function ask<T extends CacheHints>(
    work: CacheableWork<T>,
    key: string,
    kept: ResponseCache,
    options: CallOptions,
  ): Promise<object> {
    const { signal, timeoutMs, maxTimeoutMs } = options;
    if (!mayShareRequest(options)) return fly(work, key, kept, options, undefined).answer;
    const session = keeper.live();
    const principal = session === undefined ? '' : principalOf(session).key;
    return flights.join({
      what: work.method,
      key: JSON.stringify([key, principal, timeoutMs, maxTimeoutMs]),
      signal,
      isFresh: options.cache === 'reload',
      fly: (until, before) => fly(work, key, kept, { ...options, signal: until }, before),
    });
  }

  function fly<T extends CacheHints>(
    work: CacheableWork<T>,
    key: string,
    kept: ResponseCache,
    options: CallOptions,
    before: Promise<void> | undefined,
  ): FlightWork<object> {
    let ticket: CacheTicket | undefined;
    const answer = caller.run(work.method, options, async (call) => {
      await before;
      noteSession(call.session, kept);
      const request = requestOf(call.session, key);
      ticket = kept.begin(request);
      try {
        const found = options.cache === 'reload' ? undefined : await load(kept, request);
        if (found !== undefined && isFresh(found, kept)) return show(work, found.value as T, call.session);
        return await fetch(work, call, { kept, request, ticket, options });
      } finally {
        ticket.end();
      }
    });
    return { answer, isOutdated: () => ticket?.isOutdated() === true };
  }

  interface Fetching {
    readonly kept: ResponseCache;
    readonly request: CachedRequest;
    readonly ticket: CacheTicket;
    readonly options: CallOptions;
  }

  async function fetch<T extends CacheHints>(
    work: CacheableWork<T>,
    call: Call,
    { kept, request, ticket, options }: Fetching,
  ): Promise<T> {
    let receivedAt: number | undefined;
    call.watchAnswers(() => {
      // The first page of a list is the oldest part of it.
      receivedAt ??= kept.now();
    });
    const value = deepFreeze(await work.ask(call));
    work.onAnswer?.(value);
    const { key } = principalOf(call.session);
    const isSamePrincipal = key === request.principal.key;
    const mayKeep = call.rounds() === 0 && (isSamePrincipal || value.cacheScope === 'public');
    if (!mayKeep) return value;
    if (work.onFound !== undefined) shown.set(call.session, value);
    const isStale = ticket.isOutdated() || !(value.ttlMs > 0);
    if (isStale && options.staleOnErrorMs === undefined) overStore(kept.drop(request));
    else overStore(kept.keep(request, { value, receivedAt: receivedAt ?? kept.now(), isStale }));
    return value;
  }

  async function load(kept: ResponseCache, request: CachedRequest): Promise<CachedEntry | undefined> {
    if (kept.load === undefined) return undefined;
    try {
      return await within(context.clock, STORE_MS, kept.load(request));
    } catch (error) {
      warnOfStore(error);
      return undefined;
    }
  }

  function staleAnswer(
    error: unknown,
    key: string,
    kept: ResponseCache,
    { staleOnErrorMs }: CallOptions,
  ): CachedEntry | undefined {
    const session = keeper.live() ?? lastSession;
    if (staleOnErrorMs === undefined || session === undefined || isClosed || !isOutage(error)) return undefined;
    const entry = kept.find(requestOf(session, key));
    return entry !== undefined && kept.now() - entry.staleAt <= staleOnErrorMs ? entry : undefined;
  }

  async function show<T extends CacheHints>({ onFound }: CacheableWork<T>, value: T, session: Session): Promise<T> {
    await onFound?.(value, session);
    shown.set(session, value);
    return value;
  }

  function isFresh({ receivedAt, staleAt }: CachedEntry, kept: ResponseCache): boolean {
    return kept.now() < staleAt && receivedAt >= trustedFrom;
  }

  function liveSession(kept: ResponseCache): Session | undefined {
    const session = keeper.live();
    if (session !== undefined) noteSession(session, kept);
    return session;
  }

  /** A server that was started again may be another version of itself, so what it said before is asked anew. */
  function noteSession(session: Session, kept: ResponseCache): void {
    if (session === lastSession) return;
    if (lastSession !== undefined) trustedFrom = kept.now();
    lastSession = session;
  }

  function requestOf(session: Session, key: string): CachedRequest {
    return {
      server: `${server}\n${session.facts.revision}`,
      isShared: identity !== undefined,
      request: key,
      principal: principalOf(session),
    };
  }

  function principalOf(session: Session): CachePrincipal {
    const key = session.principal?.();
    return key === undefined ? nobody : { key, isKnown: true };
  }

  /** What a store does not take costs a request later, and nothing else. */
  function overStore(writing: Promise<void>): void {
    writing.catch(warnOfStore);
  }

  function warnOfStore(error: unknown): void {
    context.warn('cache-store-failed', `the store of the response cache failed: ${String(error)}`);
  }
}
