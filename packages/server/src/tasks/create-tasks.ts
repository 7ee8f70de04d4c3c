import { clip, type ErrorBody, extensions, type Logger, type Principal, ProtocolError } from '@switchyard/protocol';
import type { RecordStore } from '@switchyard/stores';

import { assertScopes } from '../authorization/assert-scopes.ts';
import type { RequestContext } from '../dispatch/request-context.ts';
import { createCallerCounts } from '../limits/caller-counts.ts';
import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import { declaresExtension, missingExtension } from '../extension.ts';
import type { ChangeHub } from '../subscriptions/change-hub.ts';
import { ended, LEASE_MS } from './task-changes.ts';
import type { TaskOptions } from './task-handle.ts';
import { createTaskMethods, type TaskMethods } from './task-methods.ts';
import type { TaskRecord } from './task-record.ts';
import { MAX_STATUS_CHARS, stoppedEnd, TaskRun } from './task-run.ts';
import { createTaskStore } from './task-store.ts';
import { TaskWatch } from './task-watch.ts';
import { type TasksOptions, toWholeMilliseconds } from './tasks-options.ts';

/** Most tasks of one subscription. */
const MAX_WATCHED = 100;
/** How often a running task looks into a store that other processes share and no bus tells of, in milliseconds. */
const POLL_MS = 1_000;

/** The tasks of one endpoint: those of every instance in the store, and the handlers that run here. */
export interface Tasks {
  /** Serves `tasks/get`, `tasks/update` and `tasks/cancel`. */
  readonly methods: TaskMethods;
  /** Stores a new task and answers its run, which begins when the caller is about to get its id. */
  start(begun: TaskBegin): Promise<StartedTask>;
  /** What a subscriber who asked for these tasks is told. Rejects with -32021 when the client did not declare the extension. */
  watch(ids: readonly string[], context: RequestContext): Promise<TaskWatch>;
  /** Ends what runs here: the tasks have failed, and there are no new ones. Settles when that is recorded. */
  end(): Promise<void>;
}

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

/** What tasks are made of. */
export interface TasksSite {
  readonly records: RecordStore;
  /** Whether other processes may share the store. */
  readonly isShared: boolean;
  /** Whether the hub hears of what other processes change. */
  readonly hasBus: boolean;
  readonly changes: ChangeHub;
  readonly options: Required<TasksOptions>;
  readonly audience: string;
  readonly epochNow: () => number;
  /** It must not throw. */
  readonly logger: Logger;
  readonly toErrorBody: (thrown: unknown) => ErrorBody;
}

/** Makes the tasks of an endpoint. */
export function createTasks(site: TasksSite): Tasks {
  const { changes, options, epochNow, logger } = site;
  const announce = (key: string, by: 'run' | 'caller'): void => changes.announce({ task: key, by });
  const runs = new Map<string, TaskRun>();
  const store = createTaskStore(site.records, {
    audience: site.audience,
    epochNow,
    isHere: (key) => runs.has(key),
    onLapsed: (key) => announce(key, 'run'),
  });
  const running = createCallerCounts({
    max: options.maxRunning,
    maxOfOne: options.maxRunningPerCaller,
    boundsAnonymous: true,
  });
  let listening: Promise<(() => void) | undefined> | undefined;
  let hasEnded = false;

  /** Hears what callers did to the tasks that run here, while any does. Answers `undefined` when the bus does not answer. */
  function listen(): Promise<(() => void) | undefined> {
    listening ??= changes
      .listen((change) => {
        if ('task' in change && change.by === 'caller') runs.get(change.task)?.look();
        else if ('anything' in change) for (const run of runs.values()) run.look();
      })
      .catch((err: unknown) => {
        listening = undefined;
        logger.error({ err }, 'tasks do not hear of changes by other instances; they look into the store instead');
        return undefined;
      });
    return listening;
  }

  function close(key: string): void {
    runs.delete(key);
    if (runs.size > 0) return;
    const last = listening;
    listening = undefined;
    void last?.then((stop) => stop?.());
  }

  return {
    methods: createTaskMethods({ store, epochNow, announce: (key) => announce(key, 'caller') }),

    async start({ principal, tool, scopes, options: given }) {
      if (hasEnded) throw stopping();
      const release = running.take(principal);
      if (release === 'all') throw busy(`${options.maxRunning} tasks are running`);
      if (release === 'own') throw busy(`${options.maxRunningPerCaller} tasks of the caller are running`);
      try {
        const kept = principal === undefined ? 0 : await store.count(principal, options.maxKeptPerCaller);
        if (kept >= options.maxKeptPerCaller)
          throw busy(`${kept} tasks of the caller are kept; they go when their time is over`);
        const record = firstRecord(tool, scopes, given, options, epochNow());
        const id = options.createId();
        const key = store.keyOf(principal, id);
        if (key === undefined)
          throw new TypeError('tasks.createId must answer 1 to 128 characters of A-Z a-z 0-9 _ and -');
        const hears = await listen();
        const run = new TaskRun({
          id,
          key,
          about: { name: clip(tool, MAX_LOGGED_CHARS), subject: principal?.subject, tenant: principal?.tenant },
          store,
          epochNow,
          logger,
          pollMs: site.isShared && !(site.hasBus && hears !== undefined) ? POLL_MS : undefined,
          cancelGraceMs: options.cancelGraceMs,
          toErrorBody: site.toErrorBody,
          onChanged: () => announce(key, 'run'),
          onSettled: release,
          onClosed: () => close(key),
        });
        runs.set(key, run);
        try {
          await store.create(key, record);
        } catch (error) {
          close(key);
          throw error;
        }
        if (hasEnded) {
          // Nobody has its id, and its run ended before there was a record to say so.
          await store.change(key, ended(stoppedEnd, undefined, epochNow()));
          throw stopping();
        }
        return { run, record };
      } catch (error) {
        release();
        throw error;
      }
    },

    async watch(ids, context) {
      if (!declaresExtension(context.capabilities, extensions.tasks)) throw missingExtension(extensions.tasks);
      const asked = new Set(ids);
      if (asked.size > MAX_WATCHED)
        throw new ProtocolError(
          'invalidParams',
          `A subscription names at most ${MAX_WATCHED} tasks, not ${asked.size}: open several`,
        );
      const found = new Map<string, string>();
      for (const id of asked) {
        const key = store.keyOf(context.principal, id);
        const record = key === undefined ? undefined : await store.read(key);
        if (key === undefined || record === undefined) continue;
        assertScopes(context.principal, record.scopes ?? []);
        found.set(key, id);
      }
      return new TaskWatch(store, found, (err) => logger.error({ err }, 'a watched task could not be read'));
    },

    async end() {
      hasEnded = true;
      await Promise.all(Array.from(runs.values(), (run) => run.shutDown()));
    },
  };
}

function firstRecord(
  tool: string,
  scopes: readonly string[] | undefined,
  { ttlMs, pollIntervalMs, statusMessage }: TaskOptions,
  options: Required<TasksOptions>,
  now: number,
): TaskRecord {
  return {
    tool,
    ...(scopes === undefined || scopes.length === 0 ? {} : { scopes }),
    ...(statusMessage === undefined ? {} : { statusMessage: clip(statusMessage, MAX_STATUS_CHARS) }),
    createdAt: now,
    lastUpdatedAt: now,
    ttlMs: toWholeMilliseconds('the ttlMs of a task', ttlMs ?? options.ttlMs, options.maxTtlMs),
    pollIntervalMs: toWholeMilliseconds(
      'the pollIntervalMs of a task',
      pollIntervalMs ?? options.pollIntervalMs,
      options.maxTtlMs,
    ),
    aliveUntil: now + LEASE_MS,
    asks: {},
  };
}

function busy(why: string): ProtocolError {
  return new ProtocolError('internalError', `Busy: ${why}; this one was not begun`, { status: 503 });
}

function stopping(): ProtocolError {
  return new ProtocolError('internalError', 'The server is shutting down; the task was not begun', { status: 503 });
}
