import { type CreateTaskResult, extensions, ProtocolError } from '@switchyard/protocol';

import { declaresExtension } from '../dispatch/declared-extension.ts';
import { serving } from '../dispatch/served-request.ts';
import type { TaskHandle, TaskOptions } from '../handler/task-handle.ts';
import { never } from '../input/never.ts';
import type { TaskCall } from '../input/invocation-site.ts';
import { callHandle, runHandle } from './create-handle.ts';
import type { Tasks } from './create-tasks.ts';
import type { StartedTask } from './start-task.ts';
import { taskOf } from './task-record.ts';

/**
 * Makes the function that turns a call into a task: the call is answered with the task, and the handler's asks, its
 * result and its error are the task's from then on. A caller who takes no tasks keeps the call, and gets the handle of
 * that. Rejects with what `ctx.task` throws.
 */
export function createHandOver(
  tasks: Pick<Tasks, 'start'>,
  epochNow: () => number,
): (call: TaskCall, options: TaskOptions) => Promise<TaskHandle> {
  return async (call, options) => {
    const { context, tool, scopes } = call;
    if (!declaresExtension(context.capabilities, extensions.tasks)) return callHandle(context);
    if (call.isEnding()) return never();
    const starting = tasks.start({ principal: context.principal, tool, scopes, options });
    // What the handler asks while its task is being stored is put into the task as well.
    call.askIn(async (request, key) => (await starting).run.ask(request, key));
    try {
      return goOn(call, await starting, epochNow());
    } catch (error) {
      call.askIn(undefined);
      throw error;
    }
  };
}

function goOn(call: TaskCall, { run, record }: StartedTask, now: number): TaskHandle {
  const { context } = call;
  run.begin(serving.detach(context), record.createdAt + record.ttlMs - now);
  const created: CreateTaskResult = { resultType: 'task', ...taskOf(run.id, record) };
  const isAnswered = call.become(created, {
    complete(result) {
      void Promise.resolve(result)
        .then((end) => run.complete(end))
        .catch((error: unknown) => run.fail(error));
    },
    fail: (error) => void run.fail(error),
  });
  if (!isAnswered) {
    call.askIn(undefined);
    void run.fail(new ProtocolError('internalError', 'The call ended before its task began'));
  }
  return runHandle(run, context);
}
