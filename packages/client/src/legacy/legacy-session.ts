import type { ServerAsking } from '../input/server-asking.ts';
import {
  acceptsBatches,
  errorCodes,
  type ErrorResponse,
  httpHeaders,
  InFlight,
  type JsonObject,
  legacyResourceNotFound,
  type MessageId,
  metaKeys,
  type MethodName,
  notifications,
  type Request,
  type Response,
  sendsVersionHeader,
} from '@switchyard/protocol';
import { repeat, repeatIfBroken } from '../session/repeat.ts';
import { type Start, whileBusy } from '../session/while-busy.ts';
import { callerMeta } from '../session/caller-meta.ts';
import { cancelRequest } from '../session/cancel-request.ts';
import { ClientError } from '../peer/client-error.ts';
import type { Connection, HeaderFields, Reply } from '../message/connection.ts';
import { backOffMs } from '../timing/back-off.ts';
import { withDeadline } from '../timing/deadline.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { within } from '../timing/within.ts';
import { contradicts } from '../session/era-evidence.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { markRefused } from '../session/refused.ts';
import { resultOf } from '../session/result-of.ts';
import type { ClientFacts, SendOptions, Session } from '../session/session.ts';
import { initializeParams, type LegacyFacts, readInitializeResult } from './initialize.ts';
import {
  type Conversation,
  type RunningRequest,
  type ServedRequests,
  serveLegacyRequests,
} from './serve-legacy-requests.ts';
import { toDiscoverResult, toModernError, toModernResult } from './to-modern.ts';
import type { Hold } from '../timing/hold.ts';

/** What a legacy conversation needs. */
export interface LegacySetup {
  readonly context: PeerContext;
  readonly connection: Connection;
  readonly client: ClientFacts;
  readonly nextId: () => number;
  /** Bounds a new `initialize` after the server dropped its session, in milliseconds. */
  readonly startTimeoutMs: number;
  /** As {@link SendOptions.hold}, for the start. */
  readonly hold?: Hold | undefined;
  /** How much is left of the start, in milliseconds. Absent: nothing is known, so a busy server is not waited for. */
  readonly timeLeftMs?: (() => number) | undefined;
  /** Told that the server said that it is busy, before it is asked again. */
  readonly onBusy?: () => void;
  /** Installs the handler for the server's own requests, and says whether batches are read. */
  readonly serve: (served: ServedRequests, acceptsBatches: boolean) => void;
  /** Who answers the server's own requests. */
  readonly asking: ServerAsking;
}

/** What `initialize` settled. Over HTTP it may end before the connection does, and a new one follows. */
interface Handshake {
  readonly facts: LegacyFacts;
  /** Absent where the server keeps no sessions. */
  readonly sessionId: string | undefined;
  readonly conversation: Conversation;
  /** Ends the conversation when the server has dropped it. */
  readonly drop: () => void;
}

const renewalBackOff = { firstMs: 1000, maxMs: 60_000 };

/** What one handshake has to do with. */
interface Greeting {
  readonly signal: AbortSignal;
  readonly hold: Hold | undefined;
  readonly timeLeftMs: (() => number) | undefined;
}

/** What is said before a handshake is done: nothing of it is kept. */
const unsettled: Conversation = { revision: undefined, headers: {}, over: new AbortController().signal };

/**
 * Opens a legacy session on a connection: `initialize`, then `notifications/initialized`. Results, errors and discovery
 * come out in the modern shape; requests go out in the legacy one. Over HTTP the session id and the negotiated revision
 * travel in headers; a session that the server has dropped (HTTP 404) is replaced once, and the request is sent again
 * once, unless it may have been executed. What the server sends by itself is read from then on. Rejects as {@link
 * readInitializeResult} and {@link Session.send} do, and leaves the connection open then.
 *
 * Spec: 2025-11-25/basic/lifecycle, 2025-11-25/basic/transports#session-management.
 */
export async function openLegacySession(setup: LegacySetup, signal: AbortSignal): Promise<Session> {
  const { context, connection, client, nextId } = setup;
  let settled: Handshake | undefined;
  let renewal: Promise<Handshake> | undefined;
  const renewals = new Set<() => void>();
  const gapListeners = new Set<(what: 'begins' | 'is over') => void>();
  let listening: AbortController | undefined;
  const over = new AbortController();
  let isOutdated = false;
  /** How often the session was renewed for whoever only listens, one soon after the other. */
  let inARow = 0;
  let renewedAt = -Infinity;
  void connection.closed.then((reason) => over.abort(reason ?? context.fail('closed', 'the client was closed.')));
  const running = new InFlight<RunningRequest>();
  let conversation = unsettled;
  const served = serveLegacyRequests({
    context,
    respond,
    running,
    asking: setup.asking,
    current: () => conversation,
    closed: connection.closed,
  });
  setup.serve(served, false);
  const first = await shakeHands({ signal, hold: setup.hold, timeLeftMs: setup.timeLeftMs });

  return {
    era: 'legacy',
    kind: connection.kind,
    facts: first.facts,
    toolHeaders: undefined,
    send,
    discover: () => Promise.resolve({ ...toDiscoverResult((settled ?? first).facts) }),
    rootsChanged: (until) =>
      connection.send(
        { jsonrpc: '2.0', method: notifications.rootsListChanged.method },
        { headers: headersOf(settled ?? first), signal: until },
      ),
    isOutdated: () => isOutdated,
    onRenewed(listener) {
      renewals.add(listener);
      return () => renewals.delete(listener);
    },
    ...(connection.listen === undefined
      ? {}
      : {
          onGap(listener) {
            gapListeners.add(listener);
            return () => gapListeners.delete(listener);
          },
        }),
    principal: () => connection.principal?.(),
    closed: connection.closed,
    close,
  };

  /** A server that is busy is told again what it refused, and no more: one more `initialize` would open one more session. */
  async function shakeHands({ signal: until, hold, timeLeftMs }: Greeting): Promise<Handshake> {
    const start: Start = { context, timeLeftMs, onBusy: setup.onBusy, over: over.signal };
    const params = initializeParams(client);
    // Whoever a lost session was opened for is not there; the server lets it expire.
    const options = { signal: until, onNotification: () => undefined, isRepeatable: true, hold };
    const greet = async (): Promise<Reply> => {
      const id = nextId();
      running.set(id, {
        method: 'initialize',
        params,
        signal: until,
        hold: undefined,
        asked: 0,
        conversation: unsettled,
      });
      try {
        return await connection.request({ jsonrpc: '2.0', id, method: 'initialize', params }, options);
      } finally {
        running.delete(id);
      }
    };
    const reply = await whileBusy(start, until, () => repeatIfBroken(connection, greet));
    // An empty one names no session.
    const sessionId = reply.http?.header(httpHeaders.sessionId.key) || undefined;
    // Whoever has the id has the session, so it must not show in what the server says back.
    if (sessionId !== undefined) context.learnSecret(sessionId, 'server');
    const facts = readInitializeResult(context, resultOf(context, reply));
    const next = handshakeOf(facts, sessionId);
    ({ conversation } = next);
    setup.serve(served, acceptsBatches(facts.revision));
    await whileBusy(start, until, () =>
      connection.send(
        { jsonrpc: '2.0', method: notifications.initialized.method },
        { headers: headersOf(next), signal: until },
      ),
    );
    settled = next;
    isOutdated = false;
    // Not before, since whoever reads the old one renews the session where this did not come to its end.
    listening?.abort();
    listening = new AbortController();
    void listenIn(next, listening.signal);
    for (const listener of renewals) listener();
    return next;
  }

  /**
   * Reads what the server sends by itself. Where it has dropped the session, that is renewed for whoever only listens, as
   * often as it takes. It never rejects.
   */
  async function listenIn(handshake: Handshake, until: AbortSignal): Promise<void> {
    const end = await connection.listen?.({
      headers: headersOf(handshake),
      signal: until,
      onGap(what) {
        for (const listener of gapListeners) listener(what);
      },
    });
    if (end !== 'gone' || handshake.sessionId === undefined) return;
    const isWanted = (): boolean => !over.signal.aborted && !isOutdated && settled === handshake;
    if (context.clock.now() - renewedAt >= renewalBackOff.maxMs) inARow = 0;
    for (let failures = inARow; isWanted(); failures += 1) {
      if (failures > 0) {
        await within(context.clock, backOffMs(renewalBackOff, failures - 1, context.random), connection.closed);
      }
      try {
        if (isWanted()) await replace(handshake);
      } catch {
        // It is tried again.
      }
    }
    inARow += 1;
    renewedAt = context.clock.now();
    // Whoever listens asks for lists when he comes back, which finds out what the server is now.
    if (isOutdated) for (const listener of renewals) listener();
  }

  async function send(method: MethodName, params: JsonObject, options: SendOptions): Promise<JsonObject> {
    const used = settled ?? first;
    try {
      return toModernResult(method, resultOf(context, await attempt(method, params, options, used)));
    } catch (error) {
      if (!isSessionLost(used, error)) throw toModernError(method, params, error);
    }
    const renewed = await untilAborted(options.signal, replace(used)).catch((error: unknown) => {
      // The session was lost before the request got anywhere.
      throw markRefused(error);
    });
    try {
      return toModernResult(method, resultOf(context, await attempt(method, params, options, renewed)));
    } catch (error) {
      throw toModernError(method, params, error);
    }
  }

  function attempt(method: MethodName, params: JsonObject, options: SendOptions, used: Handshake): Promise<Reply> {
    const { signal, timeLeftMs, isRepeatable = method !== 'tools/call' } = options;
    const once = (): Promise<Reply> => sendOnce(method, params, { ...options, isRepeatable }, used);
    if (!isRepeatable || connection.kind === 'duplex' || timeLeftMs === undefined) return once();
    return repeat(context, { signal, timeLeftMs, over: over.signal }, once);
  }

  async function sendOnce(
    method: MethodName,
    params: JsonObject,
    options: SendOptions,
    used: Handshake,
  ): Promise<Reply> {
    const id = nextId();
    const meta = { ...callerMeta(options.meta), ...(options.wantsProgress ? { [metaKeys.progressToken]: id } : {}) };
    const request: Request = {
      jsonrpc: '2.0',
      id,
      method,
      params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta },
    };
    const { signal, hold } = options;
    running.set(id, { method, params, signal, hold, asked: 0, conversation: used.conversation });
    try {
      const reply = await connection.request(request, {
        signal: options.signal,
        headers: headersOf(used),
        onNotification: options.onNotification,
        isRepeatable: options.isRepeatable === true,
        isResumable: true,
        hold: options.hold,
        onSentAs: options.onSentAs,
      });
      if (used.sessionId === undefined || !saysSessionIsGone(reply, id)) return reply;
      if (options.isRepeatable === true || reply.response.id !== id) throw sessionLost(method);
      // It read the request before it said so, and a tool may say the same of a session of its own.
      replace(used).catch(() => {
        // The next call finds the same.
      });
      return reply;
    } catch (error) {
      if (signal.aborted) cancelRequest(context, connection, { requestId: id, signal, headers: headersOf(used) });
      throw error;
    } finally {
      running.delete(id);
      served.ended(id);
    }
  }

  /** Calls that lose the same session share one new handshake. */
  function replace(lost: Handshake): Promise<Handshake> {
    if (settled !== undefined && settled !== lost) return Promise.resolve(settled);
    lost.drop();
    renewal ??= withDeadline(
      context,
      { what: 'a new initialize', totalMs: setup.startTimeoutMs, totalOption: 'startTimeoutMs' },
      ({ signal, hold, leftMs }) => shakeHands({ signal, hold, timeLeftMs: leftMs }),
    )
      .catch((error: unknown) => {
        isOutdated = contradicts(error);
        throw error;
      })
      .finally(() => {
        renewal = undefined;
      });
    return renewal;
  }

  function isSessionLost(used: Handshake, error: unknown): boolean {
    return used.sessionId !== undefined && error instanceof ClientError && error.status === 404;
  }

  function sessionLost(what: string): ClientError {
    return context.fail('http-status', `it answered ${what} with HTTP 404, because it has dropped the session.`, {
      status: 404,
    });
  }

  function respond(response: Response, { headers }: Conversation): Promise<void> {
    return connection.send(response, { headers });
  }

  function handshakeOf(facts: LegacyFacts, sessionId: string | undefined): Handshake {
    const over = new AbortController();
    const headers = headersOf({ facts, sessionId });
    return {
      facts,
      sessionId,
      conversation: { revision: facts.revision, headers, over: over.signal },
      drop: () => over.abort(context.fail('aborted', 'it dropped the session in which it asked.')),
    };
  }

  function close(): Promise<void> {
    const last = settled ?? first;
    return connection.close(last.sessionId === undefined ? undefined : headersOf(last));
  }
}

/** No revision names it; the official SDKs answer with it. */
const SESSION_NOT_FOUND = -32001;

/** What was asked for may be called a session, too. */
const codesOfWhatWasAskedFor: ReadonlySet<number> = new Set([
  errorCodes.methodNotFound.code,
  errorCodes.invalidParams.code,
  legacyResourceNotFound,
]);

function isOfSession({ code, message }: ErrorResponse['error']): boolean {
  return code === SESSION_NOT_FOUND || (/session/i.test(message) && !codesOfWhatWasAskedFor.has(code));
}

/**
 * Answers whether HTTP 404 tells of the session, and not of what was asked for: an error with the id of the request
 * counts only where it has the code that SDKs have for a session, or speaks of one.
 */
function saysSessionIsGone({ response, http }: Reply, id: MessageId): boolean {
  if (http?.status !== 404 || !('error' in response)) return false;
  return response.id !== id || isOfSession(response.error);
}

function headersOf({ facts, sessionId }: Pick<Handshake, 'facts' | 'sessionId'>): HeaderFields {
  return {
    ...(sendsVersionHeader(facts.revision) ? { [httpHeaders.protocolVersion.key]: facts.revision } : {}),
    ...(sessionId === undefined ? {} : { [httpHeaders.sessionId.key]: sessionId }),
  };
}
