import { untilAborted } from '../upstream/until-aborted.ts';
import { type Call, frozenOf, placeOf, type Stage, targetOf } from './call.ts';
import { toFailure } from './failure.ts';
import { sendTo } from './operation.ts';
import { failed, type Outcome } from './outcome.ts';
import type { PipelineContext } from './pipeline.ts';

/**
 * Sends the frozen operation to its one server and relays progress and cancellation. It waits at most the caller's deadline, the server's
 * and the host's, whichever is shortest, whatever the progress; reaching the server counts. Nothing is sent twice.
 */
export function route({ surroundings, limits }: PipelineContext): Stage {
  return async (call) => {
    const { upstream } = targetOf(call);
    const timeoutMs = deadlineOf(call, limits.callTimeoutMs);
    const deadline = new AbortController();
    const cancel = surroundings.after(timeoutMs, () => deadline.abort());
    const caller = call.options.signal;
    const signal = caller === undefined ? deadline.signal : AbortSignal.any([deadline.signal, caller]);
    try {
      const client = await upstream.client(signal);
      const result = await untilAborted(signal, sendTo(client, frozenOf(call), optionsOf(call, signal, timeoutMs)));
      return { kind: 'completed', result };
    } catch (error) {
      if (caller?.aborted === true) return cancelled(call);
      if (deadline.signal.aborted) return late(call, timeoutMs);
      // The lists may not hold any more for a server that was lost or restarted.
      upstream.markStale();
      return toFailure(call, error);
    } finally {
      cancel();
    }
  };
}

function deadlineOf({ options, target }: Call, callTimeoutMs: number): number {
  const own = options.timeoutMs;
  const limits = [
    callTimeoutMs,
    target?.upstream.timeoutMs ?? Infinity,
    own === undefined || Number.isNaN(own) ? Infinity : own,
  ];
  return Math.max(1, Math.min(...limits));
}

function optionsOf({ options }: Call, signal: AbortSignal, timeoutMs: number): Parameters<typeof sendTo>[2] {
  const { onProgress, meta } = options;
  return {
    signal,
    timeoutMs,
    maxTimeoutMs: timeoutMs,
    resetTimeoutOnProgress: false,
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(meta === undefined ? {} : { meta }),
  };
}

function cancelled(call: Call): Outcome {
  const message = `The caller gave the call up; MCP server "${targetOf(call).upstream.name}" was told and may have done part of it.`;
  return failed({ reason: 'cancelled', message, ...placeOf(call) });
}

function late(call: Call, timeoutMs: number): Outcome {
  const message = `MCP server "${targetOf(call).upstream.name}" did not answer within ${timeoutMs} ms; it may have done part of the call.`;
  return failed({ reason: 'timeout', message, ...placeOf(call) });
}
