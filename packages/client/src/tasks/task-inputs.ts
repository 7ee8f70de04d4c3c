import type { InputRequest, JsonObject } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { describeTask } from './task-state.ts';

/** How many requests for input one task may have over its life. */
const MAX_INPUTS = 256;

/** What a task asked for so far, and what became of it. */
export interface TaskInputs {
  /**
   * Answers the requests that were not seen before; from then on they are in hand and do not come again. Throws a
   * `ClientError` with code `too-many-rounds` beyond 256 of one task.
   */
  take(requests: { readonly [key: string]: InputRequest }): { readonly [key: string]: InputRequest };
  /** Gives requests back that were not answered, so that they can be taken again. */
  giveBack(keys: readonly string[]): void;
  /** Keeps answers to be sent. */
  answered(responses: { readonly [key: string]: JsonObject }): void;
  /** Hands over what is to be sent, `undefined` where nothing is; what could not be sent is kept by `answered` again. */
  takeAnswers(): { readonly [key: string]: JsonObject } | undefined;
}

/**
 * Creates the memory of one task's requests for input. Keys are unique over its life, so a key that comes again is the
 * same request, whatever it holds now.
 *
 * Spec: SEP-2663, task update requests.
 */
export function createTaskInputs(context: PeerContext, taskId: string): TaskInputs {
  const known = new Set<string>();
  const waiting = new Map<string, JsonObject>();

  return {
    take(requests) {
      const fresh = Object.entries(requests).filter(([key]) => !known.has(key));
      if (known.size + fresh.length > MAX_INPUTS) {
        throw context.fail(
          'too-many-rounds',
          `${describeTask(taskId)} asked for input more than ${MAX_INPUTS} times, so it was given up.`,
        );
      }
      for (const [key] of fresh) known.add(key);
      return Object.fromEntries(fresh);
    },
    giveBack(keys) {
      for (const key of keys) if (!waiting.has(key)) known.delete(key);
    },
    answered(responses) {
      for (const [key, response] of Object.entries(responses)) {
        known.add(key);
        waiting.set(key, response);
      }
    },
    takeAnswers() {
      if (waiting.size === 0) return undefined;
      const responses = Object.fromEntries(waiting);
      waiting.clear();
      return responses;
    },
  };
}
