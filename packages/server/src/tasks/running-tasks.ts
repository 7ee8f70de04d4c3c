import type { Logger } from '@switchyard/protocol';

import type { ChangeHub } from '../subscriptions/change-hub.ts';
import type { TaskRun } from './task-run.ts';

/** The tasks whose handlers run in this process; they hear what callers do to them in other instances. */
export interface RunningTasks {
  /** Whether this process runs the task with this key, or is about to. */
  has(key: string): boolean;
  /** Keeps the place of a task that is about to run, and answers whether it will hear of other instances. */
  reserve(key: string): Promise<boolean>;
  add(key: string, run: TaskRun): void;
  remove(key: string): void;
  /** True once `shutDown` was called. */
  readonly hasEnded: boolean;
  /** Ends every run; settles when their ends are stored. */
  shutDown(): Promise<void>;
}

/** Makes the place of the tasks that run here. `logger` must not throw. */
export function createRunningTasks(changes: Pick<ChangeHub, 'listen'>, logger: Logger): RunningTasks {
  /** `undefined` for a place that is reserved. */
  const runs = new Map<string, TaskRun | undefined>();
  let listening: Promise<(() => void) | undefined> | undefined;
  let hasEnded = false;

  function listen(): Promise<(() => void) | undefined> {
    const attempt = changes
      .listen((change) => {
        if ('task' in change && change.by === 'caller') runs.get(change.task)?.look();
        else if ('anything' in change) for (const run of runs.values()) run?.look();
      })
      .catch((err: unknown) => {
        // Another attempt may have begun meanwhile, which is the one to be stopped.
        if (listening === attempt) listening = undefined;
        logger.error({ err }, 'tasks do not hear of changes by other instances; they look into the store instead');
        return undefined;
      });
    return attempt;
  }

  return {
    has: (key) => runs.has(key),
    async reserve(key) {
      // Before it listens, so that the last task, which ends meanwhile, does not stop that.
      runs.set(key, undefined);
      listening ??= listen();
      return (await listening) !== undefined;
    },
    add: (key, run) => void runs.set(key, run),
    remove(key) {
      runs.delete(key);
      if (runs.size > 0) return;
      const last = listening;
      listening = undefined;
      void last?.then((stop) => stop?.());
    },
    get hasEnded() {
      return hasEnded;
    },
    async shutDown() {
      hasEnded = true;
      await Promise.all(Array.from(runs.values(), async (run) => run?.shutDown()));
    },
  };
}
