import { type InputRequest, type JsonObject, stringifyJson } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';
import { describeTask } from './task-state.ts';

/** How many requests for input one task may have over its life. */
const MAX_INPUTS = 256;

/** Requests for input by their keys. */
export interface AskedInputs {
  readonly [key: string]: InputRequest;
}

/** What a task asked for so far, and what became of it. */
export interface TaskInputs {
  /**
   * Takes what a task asks for now, and answers what was not seen before; from then on that is in hand and does not come
   * again. Answers that are not sent yet to what it does not ask any more, or asks otherwise, are dropped. Throws a
   * `ClientError` with code `too-many-rounds` beyond 256 requests of one task.
   */
  take(requests: AskedInputs): AskedInputs;
  /** Gives requests back that were not answered, so that they can be taken again. */
  giveBack(keys: readonly string[]): void;
  /** Keeps answers to be sent. */
  answered(responses: { readonly [key: string]: JsonObject }): void;
  /** Hands over what is to be sent, `undefined` where nothing is; what could not be sent is kept by `answered` again. */
  takeAnswers(): { readonly [key: string]: JsonObject } | undefined;
  /** Takes requests out of everybody's hands, since the caller answers them himself. */
  claim(keys: readonly string[]): void;
}

/**
 * Creates the memory of one task's requests for input. Keys are unique over its life, so a key that was answered is not
 * taken again, whatever it holds now.
 *
 * Spec: SEP-2663, task update requests.
 */
export function createTaskInputs(context: PeerContext, taskId: string): TaskInputs {
  /** What was taken, as it was asked; `undefined` for what the caller answers. */
  const known = new Map<string, string | undefined>();
  const waiting = new Map<string, JsonObject>();
  let taken = 0;

  return {
    take(requests) {
      for (const key of waiting.keys()) {
        if (isSameRequest(requests, key, known.get(key))) continue;
        waiting.delete(key);
        known.delete(key);
      }
      const fresh = Object.entries(requests).filter(([key]) => !known.has(key));
      taken += fresh.length;
      if (taken > MAX_INPUTS) {
        throw context.fail(
          'too-many-rounds',
          `${describeTask(taskId)} asked for input more than ${MAX_INPUTS} times, so it was given up.`,
        );
      }
      for (const [key, request] of fresh) known.set(key, stringifyJson(request));
      return Object.fromEntries(fresh);
    },
    giveBack(keys) {
      for (const key of keys) if (!waiting.has(key)) known.delete(key);
    },
    answered(responses) {
      for (const [key, response] of Object.entries(responses)) waiting.set(key, response);
    },
    takeAnswers() {
      if (waiting.size === 0) return undefined;
      const responses = Object.fromEntries(waiting);
      waiting.clear();
      return responses;
    },
    claim(keys) {
      for (const key of keys) {
        known.set(key, undefined);
        waiting.delete(key);
      }
    },
  };
}

/** Answers whether a key still stands for the request that was `taken` under it. */
export function isSameRequest(requests: AskedInputs, key: string, taken: string | undefined): boolean {
  return Object.hasOwn(requests, key) && stringifyJson(requests[key]) === taken;
}
