import {
  describeMisfit,
  type JsonObject,
  type Method,
  type MethodName,
  methods,
  type ResultOf,
} from '@switchyard/protocol';
import type { HeaderFields } from '../connection.ts';
import { withDeadline } from '../deadline.ts';
import type { SessionKeeper } from '../negotiate/session-keeper.ts';
import type { PeerContext } from '../peer-context.ts';
import type { SendOptions, Session } from '../session.ts';
import { assertCallOptions, type CallOptions } from './call-options.ts';
import { createRelay } from './create-relay.ts';
import { readResult } from './read-result.ts';

/** The time limits of a client, in milliseconds. */
interface CallLimits {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

/** One call of the caller, which may take several requests, one after the other. */
export interface Call {
  readonly session: Session;
  /** Sends one request under the call's options and answers its complete, checked result. */
  request<M extends MethodName>(method: M, params: JsonObject, argumentHeaders?: HeaderFields): Promise<ResultOf<M>>;
  /** As `server/discover`, asked or remembered. */
  discover(): Promise<ResultOf<'server/discover'>>;
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

  async function run<T>(what: string, options: CallOptions = {}, work: (call: Call) => Promise<T>): Promise<T> {
    assertCallOptions(context, options);
    const { timeoutMs: idleMs = limits.timeoutMs, maxTimeoutMs: totalMs = limits.maxTimeoutMs } = options;
    return withDeadline(context, { what, signal: options.signal, idleMs, totalMs }, async (deadline) => {
      const session = await keeper.session(deadline.signal);
      const send: SendOptions = {
        signal: deadline.signal,
        wantsProgress: options.resetTimeoutOnProgress === true || options.onProgress !== undefined,
        logLevel: options.logLevel,
        meta: options.meta,
        onNotification: createRelay(context, options, () => {
          if (options.resetTimeoutOnProgress !== false) deadline.extend();
        }),
      };
      return work({
        session,
        async request(method, params, argumentHeaders) {
          assertParams(context, method, params);
          return deadline.step(method, async () =>
            readResult(context, method, await session.send(method, params, { ...send, argumentHeaders })),
          );
        },
        discover: () =>
          deadline.step('server/discover', async () =>
            readResult(context, 'server/discover', await session.discover(send)),
          ),
      });
    });
  }
}

function assertParams(context: PeerContext, name: MethodName, params: JsonObject): void {
  const method: Method = methods[name];
  const misfit = method.params(params);
  if (misfit !== undefined) throw context.fail('invalid-argument', `${name}: ${describeMisfit('params', misfit)}.`);
}
