import type { CreateTaskResult, DetailedTask, JsonObject } from '@switchyard/protocol';
import { withDeadline } from '../timing/deadline.ts';
import type { InputOrigin } from '../input/input-answerer.ts';
import { createAlarm } from './alarm.ts';
import type { TaskInputs } from './task-inputs.ts';
import type { TaskRequests } from './task-requests.ts';
import { describeTask, hasEnded, type SeenTask } from './task-state.ts';
import { pollIntervalOf, type TaskOptions } from './tasks-options.ts';

/** A task that is waited for. */
export interface WatchedTask {
  readonly taskId: string;
  /** How it was created; absent for one whose id was kept. */
  readonly created: CreateTaskResult | undefined;
  /** The params of the call that it stands for, where they are known. */
  readonly params: JsonObject | undefined;
  readonly inputs: TaskInputs;
  /** Told of each look. */
  readonly onLook: (task: DetailedTask) => void;
}

/** A task that will not change any more. */
export type EndedTask = Extract<DetailedTask, { status: 'completed' | 'failed' | 'cancelled' }>;

/**
 * Looks at a task until it has ended, as often as its server asks, and earlier where a notification spoke of it.
 * Requests for input are answered while the looks go on, each key once, and the total limit stands still while somebody
 * thinks; what was answered is sent, and the looks go on. Rejects with code `timeout` after `totalMs`, or when the
 * task's own time is long over and it has not ended; with `aborted`; and as the requests and the answerer do.
 *
 * Spec: SEP-2663, task polling, task update requests.
 */
export async function observeTask(
  requests: TaskRequests,
  watched: WatchedTask,
  { totalMs, ...options }: TaskOptions & { readonly totalMs: number },
): Promise<EndedTask> {
  const { context, caller, rules, news } = requests;
  const { taskId, created, inputs } = watched;
  const { clock } = context;
  const alarm = createAlarm(clock);
  const asking = new AbortController();
  const begunAt = clock.now();
  let failed: { readonly error: unknown } | undefined;
  let hasNews = false;
  let rounds = 0;
  let told = '';
  // The task that was just created has nothing to show before its first interval is over, unless it says so itself.
  let lookAt = begunAt + (created?.status === 'working' ? intervalOf(created) : 0);
  let lastLookAt = -Infinity;
  const stopFollowing = news.follow(taskId, () => {
    hasNews = true;
    alarm.ring();
  });
  const what = describeTask(taskId);
  try {
    return await withDeadline(context, { what, signal: options.signal, totalMs }, async ({ signal, hold }) => {
      for (;;) {
        signal.throwIfAborted();
        if (failed !== undefined) throw failed.error;
        const now = clock.now();
        if (hasNews) lookAt = Math.min(lookAt, Math.max(now, lastLookAt + rules.minPollMs));
        hasNews = false;
        if (await sendAnswers(signal)) continue;
        if (now < lookAt) await alarm.wait(lookAt - now, signal);
        else {
          lastLookAt = now;
          const task = await requests.get(taskId, { ...options, signal });
          show(task);
          if (hasEnded(task)) return task;
          lookAt = clock.now() + intervalOf(task);
          assertInTime(task);
          if (task.status === 'input_required' && options.leavesInput !== true) ask(task.inputRequests, hold);
        }
      }
    });
  } finally {
    stopFollowing();
    asking.abort(context.fail('aborted', `${what} is not waited for any more.`));
  }

  function intervalOf({ pollIntervalMs }: SeenTask): number {
    return pollIntervalOf(pollIntervalMs, rules);
  }

  function show(task: DetailedTask): void {
    watched.onLook(task);
    const { status, lastUpdatedAt, statusMessage } = task;
    const asked = task.status === 'input_required' ? Object.keys(task.inputRequests) : [];
    const state = JSON.stringify([status, lastUpdatedAt, statusMessage, asked]);
    if (state === told) return;
    told = state;
    context.callBack('onUpdate', () => options.onUpdate?.(task));
  }

  /** A server may end a task whose time is over; one that neither ends nor forgets it is not waited for. */
  function assertInTime({ ttlMs, pollIntervalMs }: DetailedTask): void {
    if (ttlMs === null || clock.now() - begunAt <= ttlMs + 2 * pollIntervalOf(pollIntervalMs, rules)) return;
    throw context.fail(
      'timeout',
      `${what} did not end within the ${ttlMs} ms that its server keeps it, so it is not waited for any more.`,
    );
  }

  function ask(
    asked: Extract<DetailedTask, { status: 'input_required' }>['inputRequests'],
    hold: <T>(work: () => Promise<T>) => Promise<T>,
  ): void {
    const fresh = inputs.take(asked);
    const keys = Object.keys(fresh);
    if (keys.length === 0) return;
    rounds += 1;
    const origin: InputOrigin = {
      revision: requests.revision(),
      method: 'tools/call',
      params: watched.params,
      round: rounds,
    };
    hold(() => caller.input.answer(fresh, origin, asking.signal)).then(
      (responses) => {
        inputs.answered(responses);
        alarm.ring();
      },
      (error: unknown) => {
        inputs.giveBack(keys);
        failed ??= { error };
        alarm.ring();
      },
    );
  }

  async function sendAnswers(signal: AbortSignal): Promise<boolean> {
    const responses = inputs.takeAnswers();
    if (responses === undefined) return false;
    try {
      await requests.update(taskId, responses, { ...options, signal });
    } catch (error) {
      inputs.answered(responses);
      throw error;
    }
    return true;
  }
}
