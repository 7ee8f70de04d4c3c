import type { DetailedTask, JsonObject, Revision } from '@switchyard/protocol';
import type { Call } from '../call/call.ts';
import type { Caller } from '../call/caller.ts';
import { ClientError } from '../peer/client-error.ts';
import { pause } from '../timing/pause.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { TaskNews } from './task-news.ts';
import { abortedBy, readTask } from './task-state.ts';
import type { TaskOptions, TasksRules } from './tasks-options.ts';

/** What a request about a task may be given. */
type RequestOptions = Pick<TaskOptions, 'signal' | 'timeoutMs' | 'maxTimeoutMs' | 'meta'>;

/** The requests about tasks of one client, and what they need. */
export interface TaskRequests {
  readonly context: PeerContext;
  readonly caller: Caller;
  readonly rules: TasksRules;
  readonly news: TaskNews;
  revision(): Revision;
  /** Asks what a task is now. */
  get(taskId: string, options: RequestOptions): Promise<DetailedTask>;
  /** Answers requests for input of a task. */
  update(
    taskId: string,
    inputResponses: { readonly [key: string]: JsonObject },
    options: RequestOptions,
  ): Promise<void>;
  /** Asks for a task to be given up. */
  cancel(taskId: string, options: RequestOptions): Promise<void>;
}

/** How often in a row a task is asked for that cannot be reached. */
const MAX_OUTAGES = 5;
const FIRST_DELAY_MS = 1000;

/**
 * Creates the requests. A task outlives its connection, so a server that cannot be reached, or that is busy, is asked
 * again, five times, each time after twice as long, or when it says; every request about a task may be repeated. They
 * reject as `Caller.run` does: -32602 is a task that is unknown, over, or somebody else's.
 *
 * Spec: SEP-2663, task polling, task update requests, task cancellation.
 */
export function createTaskRequests(
  site: Pick<TaskRequests, 'context' | 'caller' | 'rules' | 'news' | 'revision'> & {
    /** Aborts when the client is closed. */
    readonly closing: AbortSignal;
  },
): TaskRequests {
  const { context, caller, rules, closing } = site;
  return {
    ...site,
    get: async (taskId, options) => readTask(context, taskId, await persistently('tasks/get', { taskId }, options)),
    async update(taskId, inputResponses, options) {
      await persistently('tasks/update', { taskId, inputResponses }, options);
    },
    async cancel(taskId, options) {
      await persistently('tasks/cancel', { taskId }, options);
    },
  };

  async function persistently(
    method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
    params: { readonly taskId: string; readonly inputResponses?: JsonObject },
    { signal, timeoutMs, maxTimeoutMs, meta }: RequestOptions,
  ): Promise<JsonObject> {
    const { taskId } = params;
    const options = {
      ...(signal === undefined ? {} : { signal }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxTimeoutMs === undefined ? {} : { maxTimeoutMs }),
      ...(meta === undefined ? {} : { meta }),
    };
    for (let outages = 1; ; outages += 1) {
      try {
        return (await caller.run(method, options, async (call) => {
          assertHasTasks(call.session);
          return call.request(method, params);
        })) as object as JsonObject;
      } catch (error) {
        if (closing.aborted) throw closing.reason;
        if (outages > MAX_OUTAGES || !isOutage(error)) throw error;
        const delayMs = Math.max(error.retryAfterMs ?? 0, FIRST_DELAY_MS * 2 ** (outages - 1));
        await rest(Math.min(delayMs, rules.maxPollMs), taskId, signal);
      }
    }
  }

  function assertHasTasks({ era, facts }: Call['session']): void {
    if (era !== 'legacy') return;
    throw context.fail(
      'invalid-argument',
      `it speaks revision ${facts.revision}, which has no such tasks; nothing was sent. Only a server of a modern ` +
        'revision knows the tasks that it made.',
    );
  }

  async function rest(ms: number, taskId: string, signal: AbortSignal | undefined): Promise<void> {
    await withAnySignal([signal, closing], async (either) => {
      try {
        await pause(context.clock, ms, either);
      } catch {
        throw abortedBy(context, taskId, either);
      }
    });
  }
}

/** Whether the server could not be asked, or was too busy to answer. */
function isOutage(error: unknown): error is ClientError {
  if (!(error instanceof ClientError)) return false;
  if (error.code === 'http-status') return error.status === 429 || (error.status ?? 0) >= 500;
  return ['connect-failed', 'closed', 'start-failed', 'circuit-open'].includes(error.code);
}
