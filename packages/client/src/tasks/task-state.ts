import type { CallToolResult, CreateTaskResult, DetailedTask, JsonObject } from '@switchyard/protocol';
import { readResult } from '../call/read-result.ts';
import { ClientError } from '../peer/client-error.ts';
import { maskedExcerpt, quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { resultOf } from '../session/result-of.ts';

/** A task as it was created, or as it was last seen. All of it is text of the server. */
export type SeenTask = CreateTaskResult | DetailedTask;

/** Answers a task for messages: the beginning of its id, since the whole of it may open the task. */
export function describeTask(taskId: string): string {
  return `the task ${quoted(taskId.length > 8 ? `${taskId.slice(0, 8)}…` : taskId)}`;
}

/** Answers whether a task has ended, with all that its end holds. */
export function hasEnded(
  task: SeenTask,
): task is Extract<DetailedTask, { status: 'completed' | 'failed' | 'cancelled' }> {
  return !('resultType' in task && task.resultType === 'task') && isFinal(task.status);
}

function isFinal(status: SeenTask['status']): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/**
 * Answers the result of the call that an ended task stands for, `isError` included. Throws the `ProtocolError` of a
 * failed one, and a `ClientError`: `aborted` for a cancelled one, `invalid-response` for a result that is none.
 *
 * Spec: SEP-2663, task status.
 */
export function outcomeOf(
  context: PeerContext,
  task: Extract<DetailedTask, { status: 'completed' | 'failed' | 'cancelled' }>,
): CallToolResult {
  if (task.status === 'completed') return readResult(context, 'tools/call', task.result);
  if (task.status === 'failed') {
    const { code, message, data } = task.error;
    const error = { code, message, ...(data === undefined ? {} : { data }) };
    // An error response carries it, so that an error by way of a task reads as one without.
    resultOf(context, { response: { jsonrpc: '2.0', id: 0, error } });
  }
  const said = task.statusMessage === undefined ? '' : ` It says: ${maskedExcerpt(context, task.statusMessage)}`;
  throw context.fail('aborted', `${describeTask(task.taskId)} was cancelled before it was done.${said}`);
}

/**
 * Answers what `tasks/get` said. Throws a `ClientError` with code `invalid-response` for another task than the one that
 * was asked for.
 */
export function readTask(context: PeerContext, taskId: string, received: JsonObject): DetailedTask {
  const task = received as object as DetailedTask;
  if (task.taskId === taskId) return task;
  throw context.fail(
    'invalid-response',
    `it was asked for ${describeTask(taskId)} and answered another one, ${describeTask(task.taskId)}.`,
  );
}

/** Answers the error for whoever stopped waiting for a task by a signal. */
export function abortedBy(context: PeerContext, taskId: string, { reason }: AbortSignal): ClientError {
  if (reason instanceof ClientError) return reason;
  const cause: unknown = reason;
  return context.fail('aborted', `${describeTask(taskId)} is not waited for any more: the caller aborted that.`, {
    cause,
  });
}
