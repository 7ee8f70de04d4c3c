import { type Deadline, type DeadlineLimits, withDeadline } from '../timing/deadline.ts';
import type { InputAnswerer } from '../input/input-answerer.ts';
import type { SessionKeeper } from '../negotiate/session-keeper.ts';
import { ClientError, withEffect } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { Session } from '../session/session.ts';
import { type Call, RunningCall } from './call.ts';
import { assertCallOptions, type CallOptions } from './call-options.ts';

/** The time limits of a client, in milliseconds. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
}

/** Who answers a server that asks before it answers. */
interface Rounds {
  readonly input: InputAnswerer;
  /** How often one request may ask. */
  readonly maxRounds: number;
}

/** Runs calls under their options. */
export interface Caller {
  readonly context: PeerContext;
  /** Answers what the server asks for. */
  readonly input: InputAnswerer;
  /** What holds for a call that sets no limits of its own. */
  readonly limits: CallLimits;
  /**
   * Runs `work` within the total limit, on the live session. Every request of it has the idle limit. Rejects with a
   * `ClientError` or the peer's `ProtocolError`.
   */
  run<T>(what: string, options: CallOptions | undefined, work: (call: Call) => Promise<T>): Promise<T>;
}

/** Creates what a client's methods run through. */
export function createCaller(context: PeerContext, keeper: SessionKeeper, limits: CallLimits, rounds: Rounds): Caller {
  const surroundings = { context, keeper, ...rounds };
  return { context, input: rounds.input, limits, run };

  async function run<T>(what: string, options: CallOptions = {}, work: (call: Call) => Promise<T>): Promise<T> {
    assertCallOptions(context, options);
    const { signal, timeoutMs: idleMs = limits.timeoutMs, maxTimeoutMs: totalMs = limits.maxTimeoutMs } = options;
    const deadlines = { what, signal, idleMs, totalMs };
    const session = keeper.live();
    return session === undefined
      ? runOnceOpen(deadlines, runOn)
      : withDeadline(context, deadlines, (deadline) => runOn(session, deadline));

    async function runOn(live: Session, deadline: Deadline): Promise<T> {
      const call = new RunningCall(surroundings, { deadline, options, session: live });
      try {
        return await work(call);
      } finally {
        call.end();
      }
    }
  }

  async function runOnceOpen<T>(
    deadlines: DeadlineLimits,
    runOn: (session: Session, deadline: Deadline) => Promise<T>,
  ): Promise<T> {
    let isUnderWay = false;
    try {
      return await withDeadline(context, deadlines, async (deadline) => {
        const session = await keeper.session(deadline.signal);
        isUnderWay = true;
        return runOn(session, deadline);
      });
    } catch (error) {
      // Without a session nothing was sent, whatever became of the start.
      throw !isUnderWay && error instanceof ClientError ? withEffect(error, false) : error;
    }
  }
}
