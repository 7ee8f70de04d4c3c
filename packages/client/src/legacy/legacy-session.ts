import type { ServerAsking } from '../input/server-asking.ts';
import {
  acceptsBatches,
  httpHeaders,
  type JsonObject,
  type LegacyRevision,
  type MessageId,
  metaKeys,
  type MethodName,
  notifications,
  type Request,
  type Response,
  sendsVersionHeader,
} from '@switchyard/protocol';
import { repeatIfBroken, repeatWhereSafe } from '../session/repeat.ts';
import { callerMeta } from '../session/caller-meta.ts';
import { cancelRequest } from '../session/cancel-request.ts';
import { ClientError } from '../peer/client-error.ts';
import type { Connection, HeaderFields, Reply } from '../message/connection.ts';
import { untilAborted, withDeadline } from '../timing/deadline.ts';
import { contradicts } from '../session/era-evidence.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { resultOf } from '../session/result-of.ts';
import type { ClientFacts, SendOptions, Session } from '../session/session.ts';
import { initializeParams, type LegacyFacts, readInitializeResult } from './initialize.ts';
import { type RunningRequest, type ServedRequests, serveLegacyRequests } from './serve-legacy-requests.ts';
import { toDiscoverResult, toModernError, toModernResult } from './to-modern.ts';

/** What a legacy conversation needs. */
export interface LegacySetup {
  readonly context: PeerContext;
  readonly connection: Connection;
  readonly client: ClientFacts;
  readonly nextId: () => number;
  /** Bounds a new `initialize` after the server dropped its session, in milliseconds. */
  readonly startTimeoutMs: number;
  /** As {@link SendOptions.hold}, for the start. */
  readonly hold?: SendOptions['hold'];
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
}

/**
 * Opens a legacy session on a connection: `initialize`, then `notifications/initialized`. Results, errors and discovery
 * come out in the modern shape; requests go out in the legacy one. Over HTTP the session id and the negotiated revision
 * travel in headers; a session that the server has dropped (HTTP 404) is replaced once, and the request, which was not
 * executed, is sent again once. What the server sends by itself is read from then on. Rejects as {@link
 * readInitializeResult} and {@link Session.send} do, and leaves the connection open then.
 *
 * Spec: 2025-11-25/basic/lifecycle, 2025-11-25/basic/transports#session-management.
 */
export async function openLegacySession(setup: LegacySetup, signal: AbortSignal): Promise<Session> {
  const { context, connection, client, nextId } = setup;
  let settled: Handshake | undefined;
  let renewal: Promise<Handshake> | undefined;
  const renewals = new Set<() => void>();
  let listening: AbortController | undefined;
  let isOver = false;
  let isOutdated = false;
  void connection.closed.then(() => {
    isOver = true;
  });
  const running = new Map<MessageId, RunningRequest>();
  let revision: LegacyRevision | undefined;
  const served = serveLegacyRequests({
    context,
    respond,
    running,
    asking: setup.asking,
    revision: () => revision,
    closed: connection.closed,
  });
  setup.serve(served, false);
  const first = await shakeHands(signal, setup.hold);

  return {
    era: 'legacy',
    facts: first.facts,
    toolHeaders: undefined,
    send,
    discover: () => Promise.resolve({ ...toDiscoverResult((settled ?? first).facts) }),
    rootsChanged: (until) =>
      connection.send(
        { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
        { headers: headersOf(settled ?? first), signal: until },
      ),
    isOutdated: () => isOutdated,
    onRenewed(listener) {
      renewals.add(listener);
      return () => renewals.delete(listener);
    },
    principal: () => connection.principal?.(),
    closed: connection.closed,
    close,
  };

  async function shakeHands(until: AbortSignal, hold: SendOptions['hold']): Promise<Handshake> {
    const params = initializeParams(client);
    // Whoever a lost session was opened for is not there; the server lets it expire.
    const options = { signal: until, onNotification: () => undefined, isRepeatable: true, hold };
    const reply = await repeatIfBroken(connection, () =>
      connection.request({ jsonrpc: '2.0', id: nextId(), method: 'initialize', params }, options),
    );
    const facts = readInitializeResult(context, resultOf(context, reply));
    const next = { facts, sessionId: reply.http?.header(httpHeaders.sessionId.key) };
    revision = facts.revision;
    setup.serve(served, acceptsBatches(facts.revision));
    await connection.send(
      { jsonrpc: '2.0', method: notifications.initialized.method },
      { headers: headersOf(next), signal: until },
    );
    settled = next;
    isOutdated = false;
    listening?.abort();
    listening = new AbortController();
    void connection.listen?.({ headers: headersOf(next), signal: listening.signal });
    for (const listener of renewals) listener();
    return next;
  }

  async function send(method: MethodName, params: JsonObject, options: SendOptions): Promise<JsonObject> {
    const used = settled ?? first;
    try {
      return toModernResult(method, resultOf(context, await attempt(method, params, options, used)));
    } catch (error) {
      if (!isSessionLost(used, error)) throw toModernError(method, params, error);
    }
    const renewed = await untilAborted(options.signal, replace(used));
    try {
      return toModernResult(method, resultOf(context, await attempt(method, params, options, renewed)));
    } catch (error) {
      throw toModernError(method, params, error);
    }
  }

  function attempt(method: MethodName, params: JsonObject, options: SendOptions, used: Handshake): Promise<Reply> {
    const { signal, timeLeftMs, isRepeatable = method !== 'tools/call' } = options;
    return repeatWhereSafe(
      context,
      { isRepeatable: isRepeatable && connection.kind === 'http', signal, timeLeftMs, isOver: () => isOver },
      () => sendOnce(method, params, { ...options, isRepeatable }, used),
    );
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
    running.set(id, { method, params, signal: options.signal, hold: options.hold, asked: 0 });
    try {
      const reply = await connection.request(request, {
        signal: options.signal,
        headers: headersOf(used),
        onNotification: options.onNotification,
        isRepeatable: options.isRepeatable === true,
        isResumable: true,
        hold: options.hold,
      });
      const isGone = reply.http?.status === 404 && used.sessionId !== undefined;
      if (isGone) throw sessionLost(method);
      return reply;
    } catch (error) {
      const { signal } = options;
      if (signal.aborted) cancelRequest(context, connection, { requestId: id, signal, headers: headersOf(used) });
      throw error;
    } finally {
      running.delete(id);
    }
  }

  /** Calls that lose the same session share one new handshake. */
  function replace(lost: Handshake): Promise<Handshake> {
    if (settled !== undefined && settled !== lost) return Promise.resolve(settled);
    renewal ??= withDeadline(
      context,
      { what: 'a new initialize', totalMs: setup.startTimeoutMs, totalOption: 'startTimeoutMs' },
      (deadline) => shakeHands(deadline.signal, deadline.hold),
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

  function respond(response: Response): Promise<void> {
    return connection.send(response, settled === undefined ? {} : { headers: headersOf(settled) });
  }

  function close(): Promise<void> {
    const last = settled ?? first;
    return connection.close(last.sessionId === undefined ? undefined : headersOf(last));
  }
}

function headersOf({ facts, sessionId }: Handshake): HeaderFields {
  return {
    ...(sendsVersionHeader(facts.revision) ? { [httpHeaders.protocolVersion.key]: facts.revision } : {}),
    ...(sessionId === undefined ? {} : { [httpHeaders.sessionId.key]: sessionId }),
  };
}
