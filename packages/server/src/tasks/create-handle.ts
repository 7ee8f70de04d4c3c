import type { RequestContext } from '../handler/request-context.ts';
import type { TaskHandle, TaskUpdate } from '../handler/task-handle.ts';
import type { TaskRun } from './task-run.ts';
import { toPollInterval } from './tasks-options.ts';

/** Answers the line that says how far work is, or `undefined` where nothing is said. */
function statusLine({ statusMessage, progress, total }: TaskUpdate): string | undefined {
  if (progress === undefined || !Number.isFinite(progress)) return statusMessage;
  const share = Number.isFinite(total) ? `${progress} of ${String(total)}` : String(progress);
  return statusMessage === undefined ? share : `${statusMessage} (${share})`;
}

/** The handle of a call that runs to its end. */
export function callHandle(context: RequestContext): TaskHandle {
  return {
    id: undefined,
    get signal() {
      return context.signal;
    },
    async update({ progress, total, statusMessage }) {
      if (progress !== undefined) context.progress(progress, total, statusMessage);
    },
  };
}

/** The handle of a task that runs in this process. */
export function runHandle(run: TaskRun, context: RequestContext): TaskHandle {
  return {
    id: run.id,
    get signal() {
      return context.signal;
    },
    async update(update) {
      const { pollIntervalMs } = update;
      if (pollIntervalMs !== undefined) toPollInterval('the pollIntervalMs of a task', pollIntervalMs);
      await run.describe({ statusMessage: statusLine(update), pollIntervalMs });
    },
  };
}
