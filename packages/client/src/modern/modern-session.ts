import {
  encodeHeaderValue,
  errorCodes,
  httpHeaders,
  type JsonObject,
  legacyRevisions,
  metaKeys,
  methodOf,
  type MethodName,
  modernRevisions,
  type ModernRevision,
  type Request,
} from '@switchyard/protocol';
import { repeat } from '../session/repeat.ts';
import { callerMeta } from '../session/caller-meta.ts';
import { cancelRequest } from '../session/cancel-request.ts';
import type { ClientError } from '../peer/client-error.ts';
import type { Connection, HeaderFields, Reply } from '../message/connection.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { resultOf } from '../session/result-of.ts';
import type { ClientFacts, SendOptions, ServerFacts, Session } from '../session/session.ts';
import { mutualRevision, offeredRevisions } from './modern-error.ts';
import { createToolHeaders } from './tool-headers.ts';
import type { Hold } from '../timing/hold.ts';

/** What a modern conversation needs. */
export interface ModernSetup {
  readonly context: PeerContext;
  readonly connection: Connection;
  readonly client: ClientFacts;
  /** Answers an id that this client never used before. */
  readonly nextId: () => number;
  /** As {@link SendOptions.hold}, for the start. */
  readonly hold?: Hold | undefined;
}

/** The sending half of a modern session, which needs to know nothing about the server yet. */
interface ModernRequests {
  send(method: MethodName, params: JsonObject, options: SendOptions): Promise<JsonObject>;
}

/**
 * Creates the requests of a modern conversation: each carries all of its context in `_meta`, and over HTTP the headers
 * that mirror it. A server that wants another revision which both sides speak is asked again, once, under a new id; one
 * that wants the revision which it refused contradicts itself, and gets only what is repeatable again. A request's
 * progress token is its id.
 *
 * Spec: basic/index#meta, basic/transports/streamable-http#request-metadata, basic/versioning (2026-07-28).
 */
export function createModernRequests(setup: ModernSetup): ModernRequests {
  const { context, connection, client, nextId } = setup;
  let revision: ModernRevision = modernRevisions[0];
  const over = new AbortController();
  void connection.closed.then((reason) => over.abort(reason ?? context.fail('closed', 'the client was closed.')));

  return {
    async send(method, params, options) {
      const { isRepeatable = method !== 'tools/call' } = options;
      let used = revision;
      try {
        return resultOf(context, await attempt(method, params, options));
      } catch (error) {
        const offered = offeredRevisions(error);
        if (offered === undefined) throw error;
        const mutual = mutualRevision(offered);
        // What was refused for its revision was not executed, but the code alone does not say that this was the reason.
        const mayRepeat = isRepeatable || !offered.includes(used);
        if (mutual === undefined || !mayRepeat) throw refusal(method, used, offered, error);
        used = revision = mutual;
      }
      try {
        return resultOf(context, await attempt(method, params, options));
      } catch (error) {
        const offered = offeredRevisions(error);
        throw offered === undefined ? error : refusal(method, used, offered, error);
      }
    },
  };

  function refusal(method: MethodName, used: ModernRevision, offered: readonly string[], cause: unknown): ClientError {
    if (!offered.includes(used)) return versionError(context, offered, cause);
    return context.fail(
      'version',
      `it refused ${method} with the error ${errorCodes.unsupportedProtocolVersion.code}, as if it did not speak revision ` +
        `${used}, which the request had, and names ${used} among those that it speaks. The two contradict each other: ` +
        'have the server keep that code for revisions that it does not speak.',
      { cause, mayHaveRun: true },
    );
  }

  function attempt(method: MethodName, params: JsonObject, options: SendOptions): Promise<Reply> {
    const { signal, timeLeftMs, isRepeatable = method !== 'tools/call' } = options;
    if (!isRepeatable || connection.kind === 'duplex' || timeLeftMs === undefined) {
      return sendOnce(method, params, options, isRepeatable);
    }
    return repeat(context, { signal, timeLeftMs, over: over.signal }, () =>
      sendOnce(method, params, options, isRepeatable),
    );
  }

  async function sendOnce(
    method: MethodName,
    params: JsonObject,
    options: SendOptions,
    isRepeatable: boolean,
  ): Promise<Reply> {
    const id = nextId();
    const { signal, onNotification, hold, onSentAs } = options;
    const meta: { [key: string]: unknown } = {
      ...callerMeta(options.meta),
      [metaKeys.protocolVersion]: revision,
      [metaKeys.clientCapabilities]: client.capabilities,
      [metaKeys.clientInfo]: client.info,
    };
    if (options.logLevel !== undefined) meta[metaKeys.logLevel] = options.logLevel;
    if (options.wantsProgress) meta[metaKeys.progressToken] = id;
    const request: Request = { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
    const headers = connection.kind === 'http' ? headersOf(method, params, options) : undefined;
    try {
      return await connection.request(request, { signal, onNotification, isRepeatable, hold, onSentAs, headers });
    } catch (error) {
      if (signal.aborted && connection.kind === 'duplex' && options.leavesSilently !== true) {
        cancelRequest(context, connection, { requestId: id, signal });
      }
      throw error;
    }
  }

  function headersOf(method: MethodName, params: JsonObject, options: SendOptions): HeaderFields {
    const source = methodOf(method)?.nameFrom;
    const name = source === undefined ? undefined : params[source];
    return {
      ...options.argumentHeaders,
      [httpHeaders.protocolVersion.key]: revision,
      [httpHeaders.method.key]: method,
      ...(typeof name === 'string' ? { [httpHeaders.name.key]: encodeName(name) } : {}),
    };
  }

  function encodeName(name: string): string {
    try {
      return encodeHeaderValue(name);
    } catch (error) {
      throw context.fail('invalid-argument', `the name ${JSON.stringify(excerpt(name))} cannot be sent in a header.`, {
        cause: error,
      });
    }
  }
}

/**
 * Creates a modern session for a server that is known to be modern. Its own requests are not served: there are none.
 */
export function createModernSession(setup: ModernSetup, requests: ModernRequests, facts: ServerFacts): Session {
  const { context, connection } = setup;
  return {
    era: 'modern',
    kind: connection.kind,
    facts,
    toolHeaders: connection.kind === 'http' ? createToolHeaders(context) : undefined,
    send: (method, params, options) => requests.send(method, params, options),
    discover: (options) => requests.send('server/discover', {}, options),
    principal: () => connection.principal?.(),
    closed: connection.closed,
    close: () => connection.close(),
  };
}

/** Answers the error for a server with which no revision is shared; it lists both sides. */
export function versionError(context: PeerContext, offered: readonly string[], cause: unknown): ClientError {
  const theirs = offered.slice(0, 20).map((version) => JSON.stringify(excerpt(version, 40)));
  return context.fail(
    'version',
    `no protocol version is shared. The server offers ${theirs.length === 0 ? 'none' : theirs.join(', ')} to requests ` +
      `with metadata; this client speaks ${modernRevisions.join(', ')} that way, and ${legacyRevisions.join(', ')} after ` +
      'initialize. Update one of the two.',
    { cause },
  );
}
