import {
  type CallToolResult,
  type CreateTaskResult,
  errorCodes,
  type JsonObject,
  ProtocolError,
  type Revision,
} from '@switchyard/protocol';
import type { CallOptions } from '../call/call-options.ts';
import { callTool, callToolOrTask } from '../call/call-tool.ts';
import type { Caller } from '../call/caller.ts';
import type { ResultChecks } from '../trust/result-checks.ts';
import { standsForTask, whyNoTaskId } from '../call/read-tool-answer.ts';
import { systemClock } from '../peer/clock.ts';
import { within } from '../timing/within.ts';
import { createTaskHandle, type TaskHandle, type TaskHandleSetup } from './task-handle.ts';
import type { TaskNews } from './task-news.ts';
import { createTaskRequests, type TaskRequests } from './task-requests.ts';
import { describeTask } from './task-state.ts';
import type { TaskCall, TasksRules } from './tasks-options.ts';

/** What a call came to at once: a handle where the server made a task of it, and its result where not. */
export type StartedCall =
  | { readonly task: TaskHandle; readonly result?: undefined }
  | { readonly task?: undefined; readonly result: CallToolResult };

/** The tool calls of one client, which may become tasks. */
export interface ClientTasks {
  /** As `Client.callTool`. */
  call(name: string, args: JsonObject, options: CallOptions | undefined): Promise<CallToolResult>;
  /** Waits for a task that a call came to, as {@link call} does, for what is left of the call's total limit. */
  settle(
    created: CreateTaskResult,
    call: TaskCall,
    options: CallOptions | undefined,
    leftMs: number,
  ): Promise<CallToolResult>;
  /** As `Client.startTask`. */
  start(name: string, args: JsonObject, options: CallOptions | undefined): Promise<StartedCall>;
  /** As `Client.task`. */
  handle(taskId: string): TaskHandle;
  /**
   * Nothing is waited for any more; what waits rejects with code `closed`. Resolves when the server knows of the tasks
   * that were given up, or after two seconds.
   */
  close(): Promise<void>;
}

/** Whether and how a client takes tasks. */
export interface TakingTasks {
  /** Absent: it takes none. */
  readonly rules: TasksRules | undefined;
  readonly news: TaskNews;
}

/** What the tool calls of a client are made of. */
export interface ClientTasksSetup extends TakingTasks {
  readonly caller: Caller;
  readonly checks: ResultChecks;
  readonly revision: () => Revision;
}

/** How long a server may take to hear that a task was given up. */
const CANCEL_MS = 10_000;
/** How long a client that is closed waits for that. */
const PARTING_MS = 2000;

/**
 * Creates the tool calls of a client. One that takes no tasks gets results, and `invalid-response` for what stands for a
 * task. One that does gets what the server decides, call by call.
 *
 * Spec: SEP-2663.
 */
export function createClientTasks(setup: ClientTasksSetup): ClientTasks {
  const { caller, checks, rules, news, revision } = setup;
  const { context } = caller;
  const closing = new AbortController();
  const partings = new Set<Promise<void>>();
  const requests =
    rules === undefined
      ? undefined
      : createTaskRequests({ context, caller, rules, news, revision, closing: closing.signal });

  return {
    call(name, args, options) {
      return requests === undefined
        ? caller.run('tools/call', options, (call) => callTool(context, call, { name, args, checks }))
        : callAndSettle(name, args, options);
    },
    settle: (created, call, options = {}, leftMs) => waitFor(begin(created, call), options, leftMs),
    async start(name, args, options) {
      assertTakesTasks();
      const { answer } = await send(name, args, options);
      return standsForTask(answer) ? { task: begin(answer, { name, args }) } : { result: answer };
    },
    handle(taskId) {
      const problem = whyNoTaskId(taskId);
      if (problem === undefined) return handleOf(taskId, { tool: undefined });
      throw context.fail('invalid-argument', `the id of the task ${problem}. Give one that a task was created with.`);
    },
    async close() {
      closing.abort(context.fail('closed', 'the client was closed.'));
      // What was waited for until now is given up in the turns that follow.
      await Promise.resolve();
      // Whoever closes waits in the time of the platform, also where a test has its own.
      await within(systemClock, PARTING_MS, Promise.all(partings));
    },
  };

  async function callAndSettle(name: string, args: JsonObject, options: CallOptions = {}): Promise<CallToolResult> {
    const { answer, leftMs } = await send(name, args, options);
    return standsForTask(answer) ? waitFor(begin(answer, { name, args }), options, leftMs) : answer;
  }

  async function send(
    name: string,
    args: JsonObject,
    options: CallOptions | undefined,
  ): Promise<{ readonly answer: CallToolResult | CreateTaskResult; readonly leftMs: number }> {
    return caller.run('tools/call', options, async (call) => {
      const answer = await callToolOrTask(context, call, { name, args, checks });
      return { answer, leftMs: call.totalLeftMs() };
    });
  }

  function begin(created: CreateTaskResult, call: TaskCall): TaskHandle {
    const { name, args } = call;
    context.callBack('tasks.onCreated', () => rules?.onCreated?.(created, call));
    return handleOf(created.taskId, { created, params: { name, arguments: args }, tool: name });
  }

  /** Waits under the limits of a call that has `leftMs` of its total limit left. */
  async function waitFor(task: TaskHandle, options: CallOptions, leftMs: number): Promise<CallToolResult> {
    const { signal, timeoutMs, meta } = options;
    try {
      return await task.result({
        ...(signal === undefined ? {} : { signal }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        ...(meta === undefined ? {} : { meta }),
        maxTimeoutMs: Math.max(1, leftMs),
      });
    } catch (error) {
      const goesOn = !hasEnded(task) && !isUnknown(error) && !closing.signal.aborted;
      if (goesOn && rules?.whenGivenUp !== 'abandon') cancelInBackground(task);
      throw error;
    }
  }

  function handleOf(
    taskId: string,
    {
      tool,
      ...about
    }: { readonly created?: CreateTaskResult; readonly params?: JsonObject; readonly tool: string | undefined },
  ): TaskHandle {
    const check: TaskHandleSetup['check'] = async (end, waiting) => checks.toolResult(tool, end, waiting);
    return createTaskHandle({ requests: assertTakesTasks(), taskId, closing: closing.signal, check, ...about });
  }

  function assertTakesTasks(): TaskRequests {
    if (requests !== undefined) return requests;
    throw context.fail('invalid-argument', 'this client takes no tasks. Give connect the option tasks.');
  }

  function cancelInBackground(task: TaskHandle): void {
    const parting = task
      .cancel({ timeoutMs: CANCEL_MS, maxTimeoutMs: CANCEL_MS })
      .catch((error: unknown) => {
        const shown = describeTask(task.taskId);
        context.warn('left-behind', () => `${shown} was given up, and the server may not know: ${String(error)}`);
      })
      .finally(() => partings.delete(parting));
    partings.add(parting);
  }
}

function hasEnded({ status }: TaskHandle): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Whether the server said that there is no such task. */
function isUnknown(error: unknown): boolean {
  return error instanceof ProtocolError && error.code === errorCodes.invalidParams.code;
}
