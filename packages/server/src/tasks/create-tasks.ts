import type { RecordStore } from '@switchyard/stores';

import type { Endpoint } from '../dispatch/endpoint.ts';
import type { RequestContext } from '../handler/request-context.ts';
import type { ChangeHub } from '../subscriptions/change-hub.ts';
import { createRunningTasks } from './running-tasks.ts';
import { createStartTask, type StartedTask, type StartSite, type TaskBegin } from './start-task.ts';
import { createTaskMethods } from './task-methods.ts';
import { createTaskStore } from './task-store.ts';
import type { TaskWatch } from './task-watch.ts';
import { watchTasks } from './watch-tasks.ts';

/** The tasks of one endpoint: those of every instance in the store, and the handlers that run here. */
export interface Tasks {
  /** Serves `tasks/get`, `tasks/update` and `tasks/cancel`. */
  readonly methods: Endpoint['handlers'];
  /** Stores a new task and answers its run, which begins when the caller is about to get its id. */
  start(begun: TaskBegin): Promise<StartedTask>;
  /**
   * What a subscriber who asked for these tasks is told. Rejects with -32021 when the client did not declare the
   * extension.
   */
  watch(ids: readonly string[], context: RequestContext): Promise<TaskWatch>;
  /** Ends what runs here: the tasks have failed, and there are no new ones. Settles when that is recorded. */
  end(): Promise<void>;
}

/** What tasks are made of. */
export interface TasksSite extends Omit<StartSite, 'store' | 'running' | 'onChanged'> {
  readonly records: RecordStore;
  readonly changes: ChangeHub;
  readonly audience: string;
}

/** Makes the tasks of an endpoint. */
export function createTasks(site: TasksSite): Tasks {
  const { records, changes, audience, epochNow, logger } = site;
  const running = createRunningTasks(changes, logger);
  const announceRun = (key: string): void => changes.announce({ task: key, by: 'run' });
  const store = createTaskStore(records, { audience, epochNow, isHere: running.has, onLapsed: announceRun });
  return {
    methods: createTaskMethods({
      store,
      epochNow,
      announce: (key) => changes.announce({ task: key, by: 'caller' }),
    }),
    start: createStartTask({ ...site, store, running, onChanged: announceRun }),
    watch: (ids, context) => watchTasks(ids, context, { store, logger }),
    end: () => running.shutDown(),
  };
}
