import { clip, isJsonObject, type JsonObject, type ParamsOf, ProtocolError, stringifyJson } from '@switchyard/protocol';
import { StoreError } from '@switchyard/stores';

import { assertScopes } from '../authorization/assert-scopes.ts';
import { type Endpoint, Serialised } from '../dispatch/endpoint.ts';
import { answerProblem, badAnswer } from '../input/answers.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { busy } from '../limits/busy.ts';
import { answered, cancelRequested } from './task-changes.ts';
import { detailedTaskText, type TaskRecord } from './task-record.ts';
import type { TaskStore } from './task-store.ts';

/** Most characters of the answers of one update as JSON. */
const MAX_ANSWER_CHARS = 256_000;

/**
 * Makes the methods of tasks; any instance answers for every task in the store. A task that is unknown, expired or
 * somebody else's is -32602 alike; a caller who is not allowed its tool any more gets what the tool would answer.
 *
 * Spec: SEP-2663, task polling, task update requests, task cancellation.
 */
export function createTaskMethods(site: {
  readonly store: TaskStore;
  readonly epochNow: () => number;
  /** Told the key of a task that its caller changed. */
  readonly announce: (key: string) => void;
}): Endpoint['handlers'] {
  const { store, epochNow, announce } = site;

  async function find(
    params: JsonObject,
    { principal }: RequestContext,
  ): Promise<{ readonly key: string; readonly taskId: string; readonly record: TaskRecord }> {
    const { taskId } = params as ParamsOf<'tasks/get'>;
    const key = store.keyOf(principal, taskId);
    const record = key === undefined ? undefined : await store.read(key);
    if (key === undefined || record === undefined)
      throw new ProtocolError(
        'invalidParams',
        `Task not found: ${clip(taskId, 128)}. It may have expired, or be another caller's`,
      );
    assertScopes(principal, record.scopes ?? []);
    return { key, taskId, record };
  }

  return {
    async 'tasks/get'(params, context) {
      const { taskId, record } = await find(params, context);
      return new Serialised(detailedTaskText(taskId, record));
    },
    async 'tasks/update'(params, context) {
      const { key, record } = await find(params, context);
      const responses = openResponses(record, (params as ParamsOf<'tasks/update'>).inputResponses);
      if (Object.keys(responses).length === 0) return {};
      const changed = await store.change(key, answered(responses, epochNow())).catch((error: unknown) => {
        throw toBusy(error);
      });
      if (changed?.isChanged === true) announce(key);
      return {};
    },
    async 'tasks/cancel'(params, context) {
      const { key } = await find(params, context);
      const changed = await store.change(key, cancelRequested(epochNow()));
      if (changed?.isChanged === true) announce(key);
      return {};
    },
  };
}

/** The responses to what is still asked; others are ignored, whatever they hold. */
function openResponses({ asks }: TaskRecord, given: JsonObject): { readonly [key: string]: JsonObject } {
  const responses: Record<string, JsonObject> = {};
  for (const [key, { request, answer }] of Object.entries(asks)) {
    if (answer !== undefined || !Object.hasOwn(given, key)) continue;
    const response = given[key];
    if (!isJsonObject(response)) throw badAnswer(key, 'it must be an object');
    const problem = answerProblem(request.method, response);
    if (problem !== undefined) throw badAnswer(key, problem);
    responses[key] = response;
  }
  const chars = stringifyJson(responses).length;
  if (chars > MAX_ANSWER_CHARS)
    throw new ProtocolError(
      'invalidParams',
      `The input responses have ${chars} characters as JSON; a task takes at most ${MAX_ANSWER_CHARS} at once`,
    );
  return responses;
}

/** Answers that wait for the handler fill the record of the task; it takes them, and then there is room again. */
function toBusy(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.code !== 'too-large') return error;
  return busy('Busy: there is no room for the answers until earlier ones are taken; send them again', error);
}
