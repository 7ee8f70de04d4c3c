import type { Client } from '@switchyard/client';
import type { CallToolResult, JsonObject } from '@switchyard/protocol';
import type { TargetOptions } from './target.ts';

/** The longest wait that there is a timer for: a task takes as long as it takes, and Ctrl-C ends it. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** How long a server may take to hear that its task was given up. */
const CANCEL_MS = 5000;

/**
 * Calls a tool and waits for the task that its server makes of it, telling how that stands. Given up, the task is
 * cancelled before this rejects, since the connection does not outlive it.
 */
export async function callThrough(
  client: Client,
  name: string,
  args: JsonObject,
  { signal, onProgress, onTask }: TargetOptions,
): Promise<CallToolResult> {
  const { task, result } = await client.startTask(name, args, {
    signal,
    ...(onProgress === undefined ? {} : { onProgress }),
  });
  if (task === undefined) return result;
  if (task.task !== undefined) onTask?.(task.task);
  try {
    return await task.result({
      signal,
      maxTimeoutMs: NO_LIMIT_MS,
      ...(onTask === undefined ? {} : { onUpdate: onTask }),
    });
  } catch (error) {
    const hasEnded = task.status === 'completed' || task.status === 'failed' || task.status === 'cancelled';
    // The server may be gone, and there is nothing more to do than to say so.
    if (!hasEnded) await task.cancel({ timeoutMs: CANCEL_MS, maxTimeoutMs: CANCEL_MS }).catch(() => undefined);
    throw error;
  }
}
