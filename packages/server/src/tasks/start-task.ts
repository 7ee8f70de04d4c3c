import { clip, type ErrorBody, type Logger, type Principal, type ProtocolError, toLimit } from '@switchyard/protocol';

import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import { signOfLife } from '../effects/lease.ts';
import type { TaskOptions } from '../handler/task-handle.ts';
import { busy } from '../limits/busy.ts';
import { createCallerCounts } from '../limits/caller-counts.ts';
import { callerKey } from '../limits/caller-key.ts';
import type { RunningTasks } from './running-tasks.ts';
import { ended } from './task-changes.ts';
import type { TaskRecord } from './task-record.ts';
import { MAX_STATUS_CHARS, stoppedEnd, TaskRun } from './task-run.ts';
import type { TaskStore } from './task-store.ts';
import { type TasksOptions, toPollInterval } from './tasks-options.ts';

/** How often a running task looks into a store that other processes share and no bus tells of, in milliseconds. */
const POLL_MS = 1_000;

/** What a task is made of. */
export interface TaskBegin {
  readonly principal: Principal | undefined;
  readonly tool: string;
  /** What the caller had to be allowed, and has to be for each look at the task. */
  readonly scopes: readonly string[] | undefined;
  readonly options: TaskOptions;
}

/** A task that is stored. */
export interface StartedTask {
  readonly run: TaskRun;
  readonly record: TaskRecord;
}

/** What starting tasks needs. */
export interface StartSite {
  readonly store: TaskStore;
  readonly running: RunningTasks;
  /** Whether other processes may share the store. */
  readonly isShared: boolean;
  /** Whether the hub hears of what other processes change. */
  readonly hasBus: boolean;
  readonly options: Required<TasksOptions>;
  readonly epochNow: () => number;
  /** It must not throw. */
  readonly logger: Logger;
  readonly toErrorBody: (thrown: unknown) => ErrorBody;
  /** Told the key of a task when whoever looks at it sees something new. */
  readonly onChanged: (key: string) => void;
}

/**
 * Makes the function that stores a new task and answers its run, which begins when the caller is about to get its id.
 * It rejects with -32603, status 503 with `Retry-After`, for a task that is one too many and once the server stops, and
 * with StoreError.
 */
export function createStartTask(site: StartSite): (begun: TaskBegin) => Promise<StartedTask> {
  const { store, running, options, epochNow } = site;
  const { maxRunning, maxRunningPerCaller, maxKeptPerCaller } = options;
  const counts = createCallerCounts({ max: maxRunning, maxOfOne: maxRunningPerCaller, boundsAnonymous: true });
  /** How many tasks each caller is beginning here, which the store may not count yet. */
  const beginning = new Map<string, number>();

  function takePlace(principal: Principal | undefined): () => void {
    const release = counts.take(principal);
    if (release === 'all') throw oneTooMany(`${maxRunning} tasks are running`);
    if (release === 'own') throw oneTooMany(`${maxRunningPerCaller} tasks of the caller are running`);
    return release;
  }

  /** Stores a task unless its caller has too many by then, those included that are being stored meanwhile. */
  async function withFewKept<T>(principal: Principal | undefined, store: () => Promise<T>): Promise<T> {
    if (principal === undefined) return store();
    const caller = callerKey(principal);
    const others = beginning.get(caller) ?? 0;
    beginning.set(caller, others + 1);
    try {
      const kept = others + (await site.store.count(principal, maxKeptPerCaller));
      if (kept >= maxKeptPerCaller)
        throw oneTooMany(`${maxKeptPerCaller} tasks of the caller are kept; they go when their time is over`);
      return await store();
    } finally {
      const left = (beginning.get(caller) ?? 1) - 1;
      if (left === 0) beginning.delete(caller);
      else beginning.set(caller, left);
    }
  }

  function newPlace(principal: Principal | undefined): { readonly id: string; readonly key: string } {
    const id = options.createId();
    const key = store.keyOf(principal, id);
    if (key === undefined) throw new TypeError('tasks.createId must answer 1 to 128 characters of A-Z a-z 0-9 _ and -');
    // Its place would be taken from the task that runs: nobody could cancel that any more, and it would count as gone.
    if (running.has(key)) throw new TypeError('tasks.createId answered the id of a task that runs');
    return { id, key };
  }

  async function openRun({ principal, tool }: TaskBegin, onSettled: () => void): Promise<TaskRun> {
    const { id, key } = newPlace(principal);
    const hears = await running.reserve(key);
    const run = new TaskRun({
      id,
      key,
      about: { name: clip(tool, MAX_LOGGED_CHARS), subject: principal?.subject, tenant: principal?.tenant },
      store,
      epochNow,
      logger: site.logger,
      toErrorBody: site.toErrorBody,
      pollMs: site.isShared && !(site.hasBus && hears) ? POLL_MS : undefined,
      cancelGraceMs: options.cancelGraceMs,
      onChanged: () => site.onChanged(key),
      onSettled,
      onClosed: () => running.remove(key),
    });
    running.add(key, run);
    return run;
  }

  async function storeFirst({ key }: TaskRun, record: TaskRecord): Promise<void> {
    try {
      await store.create(key, record);
      if (!running.hasEnded) return;
      // Nobody has its id, and its run ended before there was a record to say so.
      await store.change(key, ended(stoppedEnd, undefined, epochNow()));
      throw stopping();
    } catch (error) {
      running.remove(key);
      throw error;
    }
  }

  return async (begun) => {
    if (running.hasEnded) throw stopping();
    const release = takePlace(begun.principal);
    try {
      return await withFewKept(begun.principal, async () => {
        const record = firstRecord(begun, options, epochNow());
        const run = await openRun(begun, release);
        await storeFirst(run, record);
        return { run, record };
      });
    } catch (error) {
      release();
      throw error;
    }
  };
}

function firstRecord(
  { tool, scopes, options: given }: TaskBegin,
  options: Required<TasksOptions>,
  now: number,
): TaskRecord {
  const { ttlMs = options.ttlMs, pollIntervalMs = options.pollIntervalMs, statusMessage } = given;
  return {
    tool,
    ...(scopes === undefined || scopes.length === 0 ? {} : { scopes }),
    ...(statusMessage === undefined ? {} : { statusMessage: clip(statusMessage, MAX_STATUS_CHARS) }),
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: toLimit('the ttlMs of a task', ttlMs, 1, options.maxTtlMs),
    pollIntervalMs: toPollInterval('the pollIntervalMs of a task', pollIntervalMs),
    ...signOfLife(now),
    asks: {},
  };
}

function oneTooMany(why: string): ProtocolError {
  return busy(`Busy: ${why}; this one was not begun`);
}

function stopping(): ProtocolError {
  return busy('The server is shutting down; the task was not begun');
}
