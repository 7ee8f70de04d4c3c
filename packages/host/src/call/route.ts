import type { Client } from '@switchyard/client';
import type { Surroundings } from '../surroundings.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type Call, frozenOf, type Stage, resolutionOf } from './call.ts';
import { effectOf } from './effect.ts';
import { toFailure, unanswered } from './failure.ts';
import { sendTo } from './operation.ts';
import type { Outcome } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';

/** A timer may go off a little early by the clock that is read beside it. */
const TIMER_ERROR_MS = 2;

/**
 * Sends the frozen operation to its one server and relays progress and cancellation. It waits at most the caller's
 * deadline, the server's and the host's, whichever is shortest, whatever the progress; reaching the server counts.
 * Nothing is sent twice.
 */
export function route({ surroundings, limits }: PipelineContext): Stage {
  const { now, after } = surroundings;
  return async (call) => {
    const { upstream } = resolutionOf(call);
    const { signal } = call.options;
    const timeoutMs = deadlineOf(call, limits.callTimeoutMs);
    const startedAt = now();
    const leftMs = (): number => startedAt + timeoutMs - now();
    try {
      const client = upstream.connected ?? (await reach(upstream, signal, after, timeoutMs));
      // The client keeps the deadline from here on, so that a call has one timer.
      return { kind: 'completed', result: await sendTo(client, frozenOf(call), optionsOf(call, leftMs())) };
    } catch (error) {
      if (signal?.aborted === true) return cancelled(call);
      if (leftMs() < TIMER_ERROR_MS) return late(call, timeoutMs);
      // The lists may not hold any more for a server that was lost or restarted.
      upstream.markStale();
      return toFailure(call, error);
    }
  };
}

/**
 * Answers the client of a server that has to be reached first. Rejects as {@link Upstream.client} does, after
 * `timeoutMs` at the latest.
 */
async function reach(
  upstream: Upstream,
  caller: AbortSignal | undefined,
  after: Surroundings['after'],
  timeoutMs: number,
): Promise<Client> {
  const deadline = new AbortController();
  const cancel = after(timeoutMs, () => deadline.abort());
  try {
    return await upstream.client(caller === undefined ? deadline.signal : AbortSignal.any([deadline.signal, caller]));
  } finally {
    cancel();
  }
}

function deadlineOf({ options, resolution }: Call, callTimeoutMs: number): number {
  const own = options.timeoutMs;
  const limits = [
    callTimeoutMs,
    resolution?.upstream.timeoutMs ?? Infinity,
    own === undefined || Number.isNaN(own) ? Infinity : own,
  ];
  return Math.max(1, Math.min(...limits));
}

function optionsOf({ options }: Call, leftMs: number): Parameters<typeof sendTo>[2] {
  const { signal, onProgress, meta } = options;
  const timeoutMs = Math.max(1, leftMs);
  return {
    ...(signal === undefined ? {} : { signal }),
    timeoutMs,
    maxTimeoutMs: timeoutMs,
    resetTimeoutOnProgress: false,
    ...(onProgress === undefined ? {} : { onProgress }),
    ...(meta === undefined ? {} : { meta }),
  };
}

function cancelled(call: Call): Outcome {
  const effect = effectOf(call);
  const told = effect?.effect === 'none' ? '' : `; MCP server "${resolutionOf(call).upstream.name}" was told`;
  return unanswered(call, { reason: 'cancelled', message: `The caller gave the call up${told}.` }, effect);
}

function late(call: Call, timeoutMs: number): Outcome {
  const message = `MCP server "${resolutionOf(call).upstream.name}" did not answer within ${timeoutMs} ms.`;
  return unanswered(call, { reason: 'timeout', message });
}
