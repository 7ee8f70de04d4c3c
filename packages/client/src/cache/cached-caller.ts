import type { Freshness } from '../call/freshness.ts';
import type { CacheHints, JsonObject, MethodName } from '@switchyard/protocol';
import { assertCallOptions, type CallOptions } from '../call/call-options.ts';
import type { Call } from '../call/call.ts';
import type { Caller } from '../call/caller.ts';
import type { Principal } from '../message/connection.ts';
import type { SessionKeeper } from '../negotiate/session-keeper.ts';
import type { Session } from '../session/session.ts';
import { type Change, type ChangeFeed, methodsOfList } from '../subscriptions/change-feed.ts';
import { type CachePrincipal, type CachedRequest, requestKey, shortened } from './cached-request.ts';
import { isOutage, mayShareRequest, mayUseCache } from './call-policy.ts';
import { deepFreeze } from './deep-freeze.ts';
import { createFinishedAnswers, type Finishing } from './finished-answers.ts';
import { createFlights, type FlightWork } from './flights.ts';
import type { CachedEntry } from './cached-entry.ts';
import type { CacheTicket, AnswerCache } from './response-cache.ts';
import { createStoreAccess } from './store-access.ts';

/** What may be answered without asking the server. Answers are kept as they came, and finished for each client. */
export interface CacheableWork<T> extends Finishing<T> {
  readonly method: MethodName;
  readonly params: JsonObject;
  /**
   * Asks the server and answers what came, checked for its form alone. `before` is the answer that is over and of which
   * no change was announced, where there is one.
   */
  readonly ask: (call: Call, before: T | undefined) => Promise<T>;
  /** Whether a value has the form of what {@link ask} answers: a store may hold anything. */
  readonly isValid: (value: object) => boolean;
  /** Sees each answer that is given out, and was not before. */
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
  readonly cache: AnswerCache | undefined;
  /** As `Transport.identity`. */
  readonly identity: string | undefined;
}

/** An answer that this client may give out, and to whom the server gave it. */
interface Given {
  readonly value: object;
  readonly isPublic: boolean;
  /** Absent where nobody can say. */
  readonly to: CachePrincipal | undefined;
}

let lastClient = 0;

/**
 * Creates the cached calls of one client. An answer is fresh for as long as its server said, and no longer than until a
 * notification says otherwise or another session with the server begins. One that was on its way when such a
 * notification came is not kept as fresh, nor is one that depends on input beyond its params. What is private is kept
 * for whom the request was sent that was answered; while nobody can say who calls, nothing private is found or kept.
 *
 * Spec: server/utilities/caching (2026-07-28).
 */
export function createCachedCaller(setup: CachedCallerSetup): CachedCaller {
  const { caller, keeper, changes, cache, identity } = setup;
  const { context } = caller;
  lastClient += 1;
  const nobody: CachePrincipal = { key: `#${lastClient}`, isKnown: false };
  const variant = context.exactIntegers ? 'exact' : 'rounded';
  const flights = createFlights<Given>(context);
  const finished = createFinishedAnswers();
  const store = createStoreAccess(context);
  const servers = new WeakMap<Session, string>();
  let lastSession: Session | undefined;
  let trustedFrom = -Infinity;
  let isClosed = false;
  const stopListening = changes.listen((change) => {
    const session = keeper.live() ?? lastSession;
    if (cache !== undefined && session !== undefined) outdate(cache, session, change);
  });

  return {
    run: (work, options) => run(work, options),
    close() {
      isClosed = true;
      stopListening();
    },
  };

  function outdate(kept: AnswerCache, session: Session, change: Change): void {
    if ('resources' in change) {
      return store.onWrite(kept.invalidateAll({ ...partsOf(session), method: 'resources/read' }));
    }
    const requests =
      'uri' in change
        ? [requestKey('resources/read', { uri: change.uri })]
        : methodsOfList(change.list).map((method) => requestKey(method, {}));
    for (const request of requests) store.onWrite(kept.invalidate(requestOf(session, request)));
  }

  async function run<T extends CacheHints>(work: CacheableWork<T>, options: CallOptions = {}): Promise<T & Freshness> {
    if (isClosed) throw context.fail('closed', 'the client was closed.');
    if (cache === undefined || !mayUseCache(options)) {
      const value = await caller.run(work.method, options, async (call) =>
        work.finish(await work.ask(call, undefined), call.session),
      );
      work.onAnswer?.(value);
      return value;
    }
    assertCallOptions(context, options);
    if (options.staleOnErrorMs !== undefined) cache.keepStale();
    const key = requestKey(work.method, work.params);
    const session = liveSession(cache);
    const known = session === undefined ? undefined : cache.find(requestOf(session, key));
    const isWanted = options.cache !== 'reload' && options.signal?.aborted !== true;
    if (known !== undefined && session !== undefined && isWanted && isFresh(known, cache)) {
      const value = finished.find(work, known.value as T, session) ?? (await usable(work, known, session));
      if (value !== undefined) return value;
    }
    try {
      return (await ask(work, key, cache, options)).value as T;
    } catch (error) {
      const stale = await staleAnswer(error, work, key, cache, options);
      if (stale === undefined) throw error;
      context.warn('stale-answer', `${work.method} failed, so an older answer stands in for it: ${String(error)}`);
      return Object.freeze({ ...stale, isStale: true });
    }
  }

  /** Shares a request that is under way, or makes one. */
  async function ask<T extends CacheHints>(
    work: CacheableWork<T>,
    key: string,
    kept: AnswerCache,
    options: CallOptions,
  ): Promise<Given> {
    const { signal, timeoutMs, maxTimeoutMs } = options;
    const session = keeper.live();
    const principal = session && principalOf(session);
    const isUnknown = session !== undefined && principal === undefined;
    if (isUnknown || !mayShareRequest(options)) return fly(work, key, kept, options).answer;
    let isOwn = false;
    const given = await flights.join({
      what: work.method,
      key: JSON.stringify([key, principal?.key, timeoutMs, maxTimeoutMs]),
      signal,
      isFresh: options.cache === 'reload',
      fly(until) {
        isOwn = true;
        return fly(work, key, kept, { ...options, signal: until });
      },
    });
    if (isOwn || given.isPublic || isFor(given, principal ?? currentPrincipal())) return given;
    // It went out in another name than it was shared for, since the credentials changed on the way.
    return fly(work, key, kept, options).answer;
  }

  function fly<T extends CacheHints>(
    work: CacheableWork<T>,
    key: string,
    kept: AnswerCache,
    options: CallOptions,
  ): FlightWork<Given> {
    let ticket: CacheTicket | undefined;
    const answer = caller.run(work.method, options, async (call) => {
      noteSession(call.session, kept);
      const request = requestOf(call.session, key);
      ticket = kept.begin(request);
      try {
        const found = options.cache === 'reload' ? undefined : await load(work, kept, request);
        const value = found && (await usable(work, found, call.session));
        if (found === undefined || value === undefined) {
          return await fetch(work, call, { kept, request, ticket, isReload: options.cache === 'reload' });
        }
        return { value, isPublic: isPublic(found.value as T), to: request.principal };
      } finally {
        ticket.end();
      }
    });
    return { answer, isOutdated: () => ticket?.isOutdated() === true };
  }

  interface Fetching {
    readonly kept: AnswerCache;
    readonly request: CachedRequest;
    readonly ticket: CacheTicket;
    readonly isReload: boolean;
  }

  async function fetch<T extends CacheHints>(
    work: CacheableWork<T>,
    call: Call,
    { kept, request, ticket, isReload }: Fetching,
  ): Promise<Given> {
    const { session } = call;
    let receivedAt: number | undefined;
    call.watchAnswers(() => {
      // The first page of a list is the oldest part of it.
      receivedAt ??= kept.now();
    });
    const before = isReload ? undefined : kept.find(request);
    const isUnchanged = before !== undefined && !before.isOutdated && before.receivedAt >= trustedFrom;
    const used = isUnchanged ? (before.value as T) : undefined;
    let answer = await work.ask(call, used);
    let to = recipientOf(call, request.principal);
    if (used !== undefined && !isPublic(used) && to?.key !== request.principal?.key) {
      // Pages of one principal and pages of another one are no list.
      answer = await work.ask(call, undefined);
      to = undefined;
    }
    deepFreeze(answer);
    const value = await finish(work, answer, call.session);
    const given = { value, isPublic: isPublic(answer), to };
    const mayKeep = call.rounds() === 0 && call.session === session && (to !== undefined || given.isPublic);
    if (!mayKeep) return given;
    const own = { ...request, principal: to };
    const isStale = ticket.isOutdated() || !(answer.ttlMs > 0);
    store.onWrite(kept.keep(own, { value: answer, receivedAt: receivedAt ?? kept.now(), isStale }));
    return given;
  }

  /** Answers what the store has, or what somebody else kept while it was asked. */
  async function load<T extends CacheHints>(
    { isValid }: CacheableWork<T>,
    kept: AnswerCache,
    request: CachedRequest,
  ): Promise<CachedEntry | undefined> {
    const { load: read } = kept;
    if (read === undefined) return undefined;
    const found = (await store.read(() => read(request, isValid))) ?? kept.find(request);
    return found !== undefined && isFresh(found, kept) ? found : undefined;
  }

  async function staleAnswer<T extends CacheHints>(
    error: unknown,
    work: CacheableWork<T>,
    key: string,
    kept: AnswerCache,
    { staleOnErrorMs }: CallOptions,
  ): Promise<T | undefined> {
    const session = keeper.live() ?? lastSession;
    if (staleOnErrorMs === undefined || session === undefined || isClosed || !isOutage(error)) return undefined;
    const entry = kept.find(requestOf(session, key));
    if (entry === undefined || kept.now() - entry.staleAt > staleOnErrorMs) return undefined;
    return finished.find(work, entry.value as T, session) ?? usable(work, entry, session);
  }

  /**
   * Answers what this client makes of an answer that is kept; `undefined` where its rules refuse it. Then the server's
   * own answer, or the error on the way to it, says more.
   */
  async function usable<T extends CacheHints>(
    work: CacheableWork<T>,
    { value }: CachedEntry,
    session: Session,
  ): Promise<T | undefined> {
    try {
      return await finish(work, value as T, session);
    } catch {
      return undefined;
    }
  }

  async function finish<T extends CacheHints>(work: CacheableWork<T>, answer: T, session: Session): Promise<T> {
    const value = await finished.finish(work, answer, session);
    work.onAnswer?.(value);
    return value;
  }

  function isFresh({ receivedAt, staleAt }: CachedEntry, kept: AnswerCache): boolean {
    return kept.now() < staleAt && receivedAt >= trustedFrom;
  }

  function liveSession(kept: AnswerCache): Session | undefined {
    const session = keeper.live();
    if (session !== undefined) noteSession(session, kept);
    return session;
  }

  /** A server that was started again may be another version of itself, so what it said before is asked anew. */
  function noteSession(session: Session, kept: AnswerCache): void {
    if (session === lastSession) return;
    if (lastSession !== undefined) trustedFrom = kept.now();
    lastSession = session;
  }

  function requestOf(session: Session, request: string): CachedRequest {
    return { ...partsOf(session), request, variant };
  }

  function partsOf(session: Session): Omit<CachedRequest, 'request' | 'variant'> {
    return { server: serverOf(session), isShared: identity !== undefined, principal: principalOf(session) };
  }

  function serverOf(session: Session): string {
    const known = servers.get(session);
    if (known !== undefined) return known;
    const server = shortened(`${identity ?? nobody.key}\n${session.facts.revision}`);
    servers.set(session, server);
    return server;
  }

  function principalOf(session: Session): CachePrincipal | undefined {
    return toPrincipal(session.principal?.());
  }

  function currentPrincipal(): CachePrincipal | undefined {
    const session = keeper.live();
    return session && principalOf(session);
  }

  /** Answers in whose name all of a call was sent; where the connection cannot tell, who called before and calls now. */
  function recipientOf(call: Call, before: CachePrincipal | undefined): CachePrincipal | undefined {
    const [sentAs, ...others] = call.sentAs();
    if (call.sentAs().size > 0) return others.length === 0 ? toPrincipal(sentAs) : undefined;
    const now = principalOf(call.session);
    return now?.key === before?.key ? now : undefined;
  }

  function toPrincipal(principal: Principal): CachePrincipal | undefined {
    if (principal === null) return undefined;
    return principal === undefined ? nobody : { key: principal, isKnown: true };
  }
}

function isFor({ to }: Given, principal: CachePrincipal | undefined): boolean {
  return to !== undefined && to.key === principal?.key;
}

function isPublic({ cacheScope }: CacheHints): boolean {
  return cacheScope === 'public';
}
