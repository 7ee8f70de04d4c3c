import type { AskingMethod, CreateTaskResult, InputRequiredResult, ParamsOf, ResultOf } from '@switchyard/protocol';
import type { CallOptions } from '../call/call-options.ts';
import type { Caller } from '../call/caller.ts';
import { requestRound } from '../call/request-round.ts';
import type { ResultChecks } from '../trust/result-checks.ts';
import type { ClientTasks } from './client-tasks.ts';

/** What {@link requestOrSettle} needs of the client. */
interface Settling {
  readonly caller: Caller;
  readonly checks: ResultChecks;
  readonly tasks: Pick<ClientTasks, 'settle'>;
  /** Whether a tool call may come to a task. */
  readonly takesTasks: boolean;
}

/** As `Client.request`: one round, and where the server makes a task of it the wait for the task's end. */
export async function requestOrSettle<M extends AskingMethod>(
  { caller, checks, tasks, takesTasks }: Settling,
  { method, params }: { readonly method: M; readonly params: ParamsOf<M> },
  options: CallOptions | undefined,
): Promise<ResultOf<M> | InputRequiredResult> {
  const round = { method, params, checks, takesTasks };
  const { answer, leftMs } = await caller.run(method, options, async (call) => ({
    answer: await requestRound(caller.context, call, round),
    leftMs: call.totalLeftMs(),
  }));
  if (answer.resultType !== 'task') return answer as ResultOf<M> | InputRequiredResult;
  // Nothing but a tool call comes to a task, and the result of the task is that of the call.
  const { name, arguments: args = {} } = params as ParamsOf<'tools/call'>;
  return tasks.settle(answer as CreateTaskResult, { name, args }, options, leftMs) as Promise<ResultOf<M>>;
}
