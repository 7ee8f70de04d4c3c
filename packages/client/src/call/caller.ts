import { describeMisfit, type JsonObject, methodOf, type MethodName } from '@switchyard/protocol';
import type { HeaderFields } from '../connection.ts';
import { withDeadline } from '../deadline.ts';
import type { SessionKeeper } from '../negotiate/session-keeper.ts';
import type { PeerContext } from '../peer-context.ts';
import type { SendOptions, Session } from '../session.ts';
import { assertCallOptions, type CallOptions } from './call-options.ts';
import { readResult } from './read-result.ts';
import { createRelay } from './relay-notification.ts';

/** The time limits of a client, in milliseconds. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

/** One call of the caller, which may take several requests. */
export interface Call {
  readonly session: Session;
  readonly signal: AbortSignal;
  /** Sends one request under the call's options and answers its complete, checked result. */
  request(
    method: MethodName,
    params: JsonObject,
    extra?: { readonly argumentHeaders?: HeaderFields },
  ): Promise<JsonObject>;
  /** As `server/discover`, asked or remembered. */
  discover(): Promise<JsonObject>;
}

/** Runs calls under their options. */
export interface Caller {
  readonly context: PeerContext;
  /**
   * Runs `work` within the total limit, on the live session. Every request of it has the idle limit. Rejects with a
   * `ClientError` or the peer's `ProtocolError`.
   */
  run<T>(what: string, options: CallOptions | undefined, work: (call: Call) => Promise<T>): Promise<T>;
}

/** Creates what a client's methods run through. */
export function createCaller(context: PeerContext, keeper: SessionKeeper, limits: CallLimits): Caller {
  return { context, run };

  function run<T>(what: string, options: CallOptions = {}, work: (call: Call) => Promise<T>): Promise<T> {
    return withOptions(what, options, async (signal) => {
      const session = await keeper.session(signal);
      return work({
        session,
        signal,
        request: (method, params, extra) => request(session, signal, options, method, params, extra?.argumentHeaders),
        discover: () =>
          oneRequest('server/discover', signal, options, async (send) =>
            readResult(context, 'server/discover', await session.discover(send)),
          ),
      });
    });
  }

  async function withOptions<T>(
    what: string,
    options: CallOptions,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    assertCallOptions(context, options);
    const totalMs = options.maxTimeoutMs ?? limits.maxTimeoutMs;
    return withDeadline(context, { what, signal: options.signal, totalMs }, ({ signal }) => work(signal));
  }

  async function request(
    session: Session,
    signal: AbortSignal,
    options: CallOptions,
    method: MethodName,
    params: JsonObject,
    argumentHeaders: HeaderFields | undefined,
  ): Promise<JsonObject> {
    const misfit = methodOf(method)?.params(params);
    if (misfit !== undefined) throw context.fail('invalid-argument', `${method}: ${describeMisfit('params', misfit)}.`);
    return oneRequest(method, signal, options, async (send) =>
      readResult(context, method, await session.send(method, params, { ...send, argumentHeaders })),
    );
  }

  function oneRequest<T>(
    method: MethodName,
    signal: AbortSignal,
    options: CallOptions,
    send: (options: SendOptions) => Promise<T>,
  ): Promise<T> {
    const idleMs = options.timeoutMs ?? limits.timeoutMs;
    const wantsProgress = options.resetTimeoutOnProgress === true || options.onProgress !== undefined;
    return withDeadline(context, { what: method, signal, idleMs }, (deadline) =>
      send({
        signal: deadline.signal,
        wantsProgress,
        logLevel: options.logLevel,
        meta: options.meta,
        onNotification: createRelay(context, options, () => {
          if (options.resetTimeoutOnProgress !== false) deadline.extend();
        }),
      }),
    );
  }
}
