import {
  assertKnownOptions,
  type ClientCapabilities,
  type CreateTaskResult,
  extensions,
  type JsonObject,
  type KnownOptions,
} from '@switchyard/protocol';
import type { CallOptions } from '../call/call-options.ts';
import { assertMilliseconds } from '../timing/assert-limits.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { SeenTask } from './task-state.ts';

/** The call that a server turned into a task. */
export interface TaskCall {
  /** The name of the tool. */
  readonly name: string;
  readonly args: JsonObject;
}

/** How a client takes tasks. Durations are in milliseconds. */
export interface TasksOptions {
  /**
   * Told of each task as it is created, before it is looked at for the first time: whoever keeps `task.taskId` can go on
   * with `client.task` after a restart. The id opens the task where nobody is authenticated; keep it like a credential.
   */
  readonly onCreated?: (task: CreateTaskResult, call: TaskCall) => void;
  /**
   * What becomes of a task whose `callTool` is given up by its signal or its time limit: `cancel`, the default, tells
   * the server; `abandon` lets it go on, for a caller who kept the id.
   */
  readonly whenGivenUp?: 'cancel' | 'abandon';
  /** Polls are no closer than this, whatever the server says. Default 100. */
  readonly minPollMs?: number;
  /** Polls are no farther apart than this. Default 300,000. */
  readonly maxPollMs?: number;
}

/** What may be given where a task is waited for. */
export interface TaskOptions extends Pick<CallOptions, 'signal' | 'timeoutMs' | 'maxTimeoutMs' | 'meta'> {
  /** Takes the task as it is, at each look that shows another state. It may be shown text of the server. */
  readonly onUpdate?: (task: SeenTask) => void;
  /**
   * Leaves requests for input to the caller, who sees them in `onUpdate` and answers them with `answer` of the handle.
   * Default: the handlers of `input` answer.
   */
  readonly leavesInput?: boolean;
}

/** {@link TasksOptions} with their defaults. */
export interface TasksRules {
  readonly onCreated: ((task: CreateTaskResult, call: TaskCall) => void) | undefined;
  readonly whenGivenUp: 'cancel' | 'abandon';
  readonly minPollMs: number;
  readonly maxPollMs: number;
}

const tasksOptions: KnownOptions<TasksOptions> = {
  onCreated: true,
  whenGivenUp: true,
  minPollMs: true,
  maxPollMs: true,
};

const taskOptions: KnownOptions<TaskOptions> = {
  signal: true,
  timeoutMs: true,
  maxTimeoutMs: true,
  meta: true,
  onUpdate: true,
  leavesInput: true,
};

const MIN_POLL_MS = 100;
const MAX_POLL_MS = 300_000;
/** How often a task is looked at whose server does not say. */
const DEFAULT_POLL_MS = 1000;

/**
 * Reads the options. Throws a `ClientError` with code `invalid-argument` for those that cannot be meant, and a
 * `TypeError` for those that there are not.
 */
export function readTasksOptions(context: PeerContext, options: TasksOptions | true): TasksRules {
  if (options !== true) assertKnownOptions('connect, tasks', options, tasksOptions);
  const { onCreated, whenGivenUp = 'cancel', minPollMs, maxPollMs } = options === true ? {} : options;
  assertMilliseconds(context, 'tasks.minPollMs', minPollMs);
  assertMilliseconds(context, 'tasks.maxPollMs', maxPollMs);
  if (whenGivenUp !== 'cancel' && whenGivenUp !== 'abandon') {
    throw context.fail('invalid-argument', 'tasks.whenGivenUp must be "cancel" or "abandon".');
  }
  const atLeast = minPollMs ?? MIN_POLL_MS;
  return { onCreated, whenGivenUp, minPollMs: atLeast, maxPollMs: Math.max(atLeast, maxPollMs ?? MAX_POLL_MS) };
}

/**
 * Throws a `ClientError` with code `invalid-argument` for limits that cannot be meant, and a `TypeError` for options that
 * there are not.
 */
export function assertTaskOptions(context: PeerContext, options: TaskOptions): void {
  assertKnownOptions('options of a task', options, taskOptions);
  const { timeoutMs, maxTimeoutMs } = options;
  assertMilliseconds(context, 'timeoutMs', timeoutMs);
  assertMilliseconds(context, 'maxTimeoutMs', maxTimeoutMs);
}

/**
 * Answers how long to wait until the next look at a task: as its server asked, within bounds; a second where it said
 * nothing that can be meant.
 *
 * Spec: SEP-2663, task polling.
 */
export function pollIntervalOf(pollIntervalMs: number | undefined, { minPollMs, maxPollMs }: TasksRules): number {
  const asked = pollIntervalMs !== undefined && pollIntervalMs >= 0 ? pollIntervalMs : DEFAULT_POLL_MS;
  return Math.min(Math.max(asked, minPollMs), maxPollMs);
}

/** Answers capabilities that declare the extension. Spec: SEP-2663, capability negotiation. */
export function withTasks(capabilities: ClientCapabilities = {}): ClientCapabilities {
  return { ...capabilities, extensions: { ...capabilities.extensions, [extensions.tasks]: {} } };
}
