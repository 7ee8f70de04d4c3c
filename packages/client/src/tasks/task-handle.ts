import type { CallToolResult, CreateTaskResult, DetailedTask, JsonObject, TaskStatus } from '@switchyard/protocol';
import { ClientError, withEffect } from '../peer/client-error.ts';
import { withDeadline } from '../timing/deadline.ts';
import type { ResultWait } from '../trust/result-size.ts';
import { createTaskObserver, type EndedTask } from './observe-task.ts';
import { createTaskInputs } from './task-inputs.ts';
import type { TaskRequests } from './task-requests.ts';
import { describeTask, outcomeOf, type SeenTask } from './task-state.ts';
import { assertTaskOptions, type TaskOptions } from './tasks-options.ts';

/** A call that a server turned into a task. It needs no closing, and outlives connection, client and process. */
export interface TaskHandle {
  /** What to keep, to go on with `client.task` later. Where nobody is authenticated the id alone opens the task. */
  readonly taskId: string;
  /** The state that was seen last; `undefined` for a kept id that was not looked at yet. */
  readonly status: TaskStatus | undefined;
  /** The task as it was created or seen last; text of the server. */
  readonly task: SeenTask | undefined;
  /** Looks at the task once. */
  look(options?: TaskOptions): Promise<DetailedTask>;
  /**
   * Waits for the end of the task and answers what the call came to, `isError` included. Looks are as far apart as the
   * server asks; requests for input are answered by the handlers of `input` meanwhile, each once. Rejects with the
   * `ProtocolError` of a failed task, with code `aborted` for a cancelled one, and with `timeout` after `maxTimeoutMs`;
   * the task goes on then, and `result` may be called again. Several may wait at a time: they share the looks, and each
   * has his own signal, total limit and `onUpdate`.
   */
  result(options?: TaskOptions): Promise<CallToolResult>;
  /**
   * Answers requests for input by hand, for a caller who set `leavesInput`: bare answers by the keys of the requests.
   * Where that fails nothing counts as answered.
   */
  answer(inputResponses: { readonly [key: string]: JsonObject }, options?: TaskOptions): Promise<void>;
  /**
   * Asks for the task to be given up. The server decides whether and when it does: `result` says what became of it, and
   * need not be called.
   */
  cancel(options?: TaskOptions): Promise<void>;
}

/** What a handle is made of. */
export interface TaskHandleSetup {
  readonly requests: TaskRequests;
  readonly taskId: string;
  readonly created?: CreateTaskResult;
  /** The params of the call. */
  readonly params?: JsonObject;
  /** Checks the result as that of a call. */
  readonly check: (result: CallToolResult, waiting: ResultWait) => Promise<CallToolResult>;
  /** Aborts when the client is closed. */
  readonly closing: AbortSignal;
}

/**
 * Creates the handle of a task.
 *
 * Spec: SEP-2663.
 */
export function createTaskHandle({ requests, check, closing, ...setup }: TaskHandleSetup): TaskHandle {
  const { context } = requests;
  const { taskId, created, params } = setup;
  let seen: SeenTask | undefined = created;
  let ended: EndedTask | undefined;
  const inputs = createTaskInputs(context, taskId);
  const observer = createTaskObserver(requests, {
    taskId,
    created,
    params,
    inputs,
    closing,
    onLook: (task) => (seen = task),
  });

  return {
    taskId,
    get status() {
      return seen?.status;
    },
    get task() {
      return seen;
    },
    async look(options = {}) {
      assertTaskOptions(context, options);
      const task = await requests.get(taskId, options);
      seen = task;
      return task;
    },
    async result(options = {}) {
      assertTaskOptions(context, options);
      ended ??= await observer.wait(options).catch(failOfTask);
      return checked(outcomeOf(context, ended), options);
    },
    async answer(inputResponses, options = {}) {
      assertTaskOptions(context, options);
      const keys = Object.keys(inputResponses);
      observer.withdraw(keys);
      inputs.claim(keys);
      try {
        await requests.update(taskId, inputResponses, options);
      } catch (error) {
        inputs.giveBack(keys);
        throw error;
      }
    },
    async cancel(options = {}) {
      assertTaskOptions(context, options);
      await requests.cancel(taskId, options);
    },
  };

  /** To keep a large result elsewhere may take as long again as the wait for it. */
  function checked(outcome: CallToolResult, options: TaskOptions): Promise<CallToolResult> {
    const { signal, maxTimeoutMs: totalMs = requests.caller.limits.maxTimeoutMs } = options;
    const limits = { what: describeTask(taskId), signal, totalMs };
    return withDeadline(context, limits, (deadline) => check(outcome, deadline)).catch(failOfTask);
  }
}

/** Why a task cannot be looked at says nothing about the call that it stands for, which the server took. */
function failOfTask(error: unknown): never {
  throw error instanceof ClientError ? withEffect(error, true) : error;
}
