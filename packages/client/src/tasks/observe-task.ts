import { type CreateTaskResult, type DetailedTask, type JsonObject, ProtocolError } from '@switchyard/protocol';
import { withDeadline } from '../timing/deadline.ts';
import type { Hold } from '../timing/hold.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import { withAnySignal } from '../timing/with-any-signal.ts';
import { createAlarm } from './alarm.ts';
import type { TaskInputs } from './task-inputs.ts';
import { createTaskQuestions } from './task-questions.ts';
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
  /** Aborts when nobody may wait any more. */
  readonly closing: AbortSignal;
}

/** A task that will not change any more. */
export type EndedTask = Extract<DetailedTask, { status: 'completed' | 'failed' | 'cancelled' }>;

/** Looks at one task for as long as somebody waits for it. */
export interface TaskObserver {
  /**
   * Waits for the end of the task. Everybody who waits shares the looks, and has his own signal, his own total limit and
   * his own `onUpdate`. Rejects with code `timeout` after `maxTimeoutMs`, or when the task's own time is long over and it
   * has not ended; with `aborted`; and as the requests and the answerer do.
   */
  wait(options: TaskOptions): Promise<EndedTask>;
  /** Takes questions out of the hands of whoever is asked, since the caller answers them himself. */
  withdraw(keys: readonly string[]): void;
}

/** Somebody who waits. */
interface Waiter {
  readonly options: TaskOptions;
  readonly hold: Hold;
  /** The state that he was told last. */
  told: string;
}

/** The looks that are under way. */
interface Observation {
  readonly end: Promise<EndedTask>;
  readonly giveUp: () => void;
}

/**
 * Creates the observer of one task. While somebody waits it looks as often as the server asks, and earlier where a
 * notification spoke of the task. Requests for input are answered while the looks go on, unless one of those who wait
 * leaves them to himself; all total limits stand still while somebody thinks. A look has the longest of the limits of
 * those who wait, and the `meta` of the first of them.
 *
 * Spec: SEP-2663, task polling, task update requests.
 */
export function createTaskObserver(requests: TaskRequests, watched: WatchedTask): TaskObserver {
  const { context, caller, rules, news } = requests;
  const { taskId, created, params, inputs, closing } = watched;
  const { clock } = context;
  const { limits } = caller;
  const what = describeTask(taskId);
  const alarm = createAlarm(clock);
  const waiters = new Set<Waiter>();
  let observation: Observation | undefined;
  let failed: { readonly error: unknown } | undefined;
  const questions = createTaskQuestions({
    requests,
    taskId,
    params,
    inputs,
    onAsked: (thinking) => waiters.forEach(({ hold }) => void hold(() => thinking)),
    onAnswers: () => alarm.ring(),
    onFailure(error) {
      failed ??= { error };
      alarm.ring();
    },
  });

  return {
    wait(options) {
      const totalMs = options.maxTimeoutMs ?? limits.maxTimeoutMs;
      return withAnySignal([options.signal, closing], (either) =>
        withDeadline(context, { what, signal: either, totalMs }, async ({ signal, hold }) => {
          const waiter: Waiter = { options, hold, told: '' };
          waiters.add(waiter);
          for (const thinking of questions.pending()) void hold(() => thinking);
          observation ??= begin();
          const shared = observation;
          try {
            return await untilAborted(signal, shared.end);
          } finally {
            waiters.delete(waiter);
            if (waiters.size === 0) shared.giveUp();
          }
        }),
      );
    },
    withdraw: (keys) => questions.withdraw(keys),
  };

  function begin(): Observation {
    const controller = new AbortController();
    failed = undefined;
    const own: Observation = {
      end: untilEnded(controller.signal).finally(forget),
      giveUp() {
        forget();
        controller.abort(context.fail('aborted', `${what} is not waited for any more.`));
      },
    };
    return own;

    function forget(): void {
      if (observation !== own) return;
      observation = undefined;
      // Whoever waits again is asked again.
      questions.withdraw();
    }
  }

  async function untilEnded(signal: AbortSignal): Promise<EndedTask> {
    const begunAt = clock.now();
    let hasNews = false;
    // The task that was just created has nothing to show before its first interval is over, unless it says so itself.
    let lookAt = begunAt + (created?.status === 'working' ? intervalOf(created) : 0);
    let lastLookAt = -Infinity;
    const stopFollowing = news.follow(taskId, () => {
      hasNews = true;
      alarm.ring();
    });
    try {
      for (;;) {
        signal.throwIfAborted();
        if (failed !== undefined) throw failed.error;
        const now = clock.now();
        if (hasNews) lookAt = Math.min(lookAt, Math.max(now, lastLookAt + rules.minPollMs));
        hasNews = false;
        // Answers of an earlier wait are sent when a look has shown that they are still asked for.
        const sent = lastLookAt > -Infinity ? await sendAnswers(signal) : false;
        if (typeof sent === 'object') return sent;
        if (sent) continue;
        if (now < lookAt) await alarm.wait(lookAt - now, signal);
        else {
          lastLookAt = now;
          const task = await requests.get(taskId, { ...lookOptions(), signal });
          signal.throwIfAborted();
          show(task);
          if (hasEnded(task)) return task;
          lookAt = clock.now() + intervalOf(task);
          assertInTime(task, begunAt);
          takeQuestions(task);
        }
      }
    } finally {
      stopFollowing();
    }
  }

  function intervalOf({ pollIntervalMs }: SeenTask): number {
    return pollIntervalOf(pollIntervalMs, rules);
  }

  function lookOptions(): Pick<TaskOptions, 'timeoutMs' | 'maxTimeoutMs' | 'meta'> {
    const given = [...waiters].map(({ options }) => options);
    const meta = given.find((options) => options.meta !== undefined)?.meta;
    return {
      timeoutMs: Math.max(...given.map(({ timeoutMs = limits.timeoutMs }) => timeoutMs)),
      maxTimeoutMs: Math.max(...given.map(({ maxTimeoutMs = limits.maxTimeoutMs }) => maxTimeoutMs)),
      ...(meta === undefined ? {} : { meta }),
    };
  }

  function show(task: DetailedTask): void {
    watched.onLook(task);
    const { status, lastUpdatedAt, statusMessage } = task;
    const asked = task.status === 'input_required' ? Object.keys(task.inputRequests) : [];
    const state = JSON.stringify([status, lastUpdatedAt, statusMessage, asked]);
    for (const waiter of waiters) {
      if (state === waiter.told) continue;
      waiter.told = state;
      context.callBack('onUpdate', () => waiter.options.onUpdate?.(task));
    }
  }

  /** A server may end a task whose time is over; one that neither ends nor forgets it is not waited for. */
  function assertInTime({ ttlMs, pollIntervalMs }: DetailedTask, begunAt: number): void {
    if (ttlMs === null || clock.now() - begunAt <= ttlMs + 2 * pollIntervalOf(pollIntervalMs, rules)) return;
    throw context.fail(
      'timeout',
      `${what} did not end within the ${ttlMs} ms that its server keeps it, so it is not waited for any more.`,
    );
  }

  function takeQuestions(task: DetailedTask): void {
    if ([...waiters].some(({ options }) => options.leavesInput === true)) questions.withdraw();
    else questions.see(task.status === 'input_required' ? task.inputRequests : {});
  }

  /** Answers whether there was something to send; or the task, where it ended while somebody thought. */
  async function sendAnswers(signal: AbortSignal): Promise<boolean | EndedTask> {
    const responses = inputs.takeAnswers();
    if (responses === undefined) return false;
    try {
      await requests.update(taskId, responses, { ...lookOptions(), signal });
      return true;
    } catch (error) {
      inputs.answered(responses);
      if (!(error instanceof ProtocolError)) throw error;
      const task = await requests.get(taskId, { ...lookOptions(), signal });
      if (!hasEnded(task)) throw error;
      show(task);
      return task;
    }
  }
}
