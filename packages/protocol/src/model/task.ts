import {
  integer,
  jsonObject,
  object,
  oneOf,
  record,
  type Shape,
  type Shaped,
  string,
  unknown,
  variant,
} from '../shape.ts';
import { inputRequest } from './input-request.ts';

const integerOrNull: Shape<number | null> = (value) => (value === null ? undefined : integer(value));

const fields = { taskId: string, createdAt: string, lastUpdatedAt: string, ttlMs: integerOrNull };
const optionalFields = { statusMessage: string, pollIntervalMs: integer };

/** The states of a task; the last three are final. Spec: extensions/tasks/overview#task-status. */
export const taskStatuses = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;
const taskStatus = oneOf(...taskStatuses);
/** One of {@link taskStatuses}. */
export type TaskStatus = Shaped<typeof taskStatus>;

/**
 * What is known of work that goes on after its request was answered. `createdAt` and `lastUpdatedAt` are ISO 8601;
 * `ttlMs` counts from the creation, and `null` stands for no end. Spec: SEP-2663, tasks.
 */
export const task = object({ ...fields, status: taskStatus }, optionalFields);
/** See {@link task}. */
export type Task = Shaped<typeof task>;

/** The result that stands for a task, in place of the request's own. Spec: SEP-2663, task creation. */
export const createTaskResult = object(
  { ...fields, status: taskStatus, resultType: oneOf('task') },
  { ...optionalFields, _meta: jsonObject },
);
/** See {@link createTaskResult}. */
export type CreateTaskResult = Shaped<typeof createTaskResult>;

const taskError = object({ code: integer, message: string }, { data: unknown });

function inState<const S extends TaskStatus>(status: S): { readonly status: Shape<S> } & typeof fields {
  return { ...fields, status: oneOf(status) };
}

/**
 * A task with what its state adds: the requests for input that wait, by names that are unique over its life; the result
 * that the request would have had; or its error. Spec: SEP-2663, task status.
 */
export const detailedTask = variant('status', {
  working: object(inState('working'), optionalFields),
  input_required: object({ ...inState('input_required'), inputRequests: record(inputRequest) }, optionalFields),
  completed: object({ ...inState('completed'), result: jsonObject }, optionalFields),
  failed: object({ ...inState('failed'), error: taskError }, optionalFields),
  cancelled: object(inState('cancelled'), optionalFields),
});
/** See {@link detailedTask}. */
export type DetailedTask = Shaped<typeof detailedTask>;
