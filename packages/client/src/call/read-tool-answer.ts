import {
  type CallToolResult,
  type CreateTaskResult,
  createTaskResult,
  describeMisfit,
  type JsonObject,
} from '@switchyard/protocol';
import { readResult } from './read-result.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import { readAs } from '../peer/read-as.ts';
import type { Session } from '../session/session.ts';

/** The longest id of a task, in UTF-16 units: it travels in a header. */
const MAX_TASK_ID_CHARS = 4096;

/**
 * Reads what `tools/call` answered a caller who takes tasks: a tool's own result, or what stands for a task. Throws a
 * `ClientError` with code `invalid-response` for anything else, and for a task of a server of a revision that has none.
 *
 * Spec: SEP-2663, polymorphic results, task creation.
 */
export function readToolAnswer(
  context: PeerContext,
  { era }: Pick<Session, 'era'>,
  received: JsonObject,
): CallToolResult | CreateTaskResult {
  if (received['resultType'] !== 'task' || era === 'legacy') return readResult(context, 'tools/call', received);
  const reading = readAs(createTaskResult, received);
  if ('misfit' in reading) {
    const problem = describeMisfit('result', reading.misfit);
    throw context.fail('invalid-response', `its result of tools/call stands for a task and is invalid: ${problem}.`);
  }
  const problem = whyNoTaskId(reading.value.taskId);
  if (problem === undefined) return reading.value;
  throw context.fail('invalid-response', `its result of tools/call stands for a task whose id ${problem}.`);
}

/** Answers whether a result of `tools/call` stands for a task. */
export function standsForTask(result: CallToolResult | CreateTaskResult): result is CreateTaskResult {
  return result.resultType === 'task';
}

/** Answers in one clause what is wrong with the id of a task, or `undefined`. */
export function whyNoTaskId(taskId: unknown): string | undefined {
  if (typeof taskId !== 'string' || taskId === '') return 'is no text, or an empty one';
  return taskId.length > MAX_TASK_ID_CHARS ? `is longer than ${MAX_TASK_ID_CHARS} characters` : undefined;
}
