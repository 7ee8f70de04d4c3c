import { parseJson, type Principal, type Request } from '@switchyard/protocol';

import { errorText } from '../dispatch/error-reply.ts';
import { type Incoming, type Parsing, toIncoming } from '../dispatch/incoming.ts';
import { isDeeperThan } from '../limits/json-depth.ts';
import type { Enter } from '../dispatch/legacy-adapter.ts';

/**
 * Answers the messages of a batch, or `undefined` for a text that is none. One with no message, or more than
 * `maxMessages`, is answered with one sentence on what is wrong. Spec: 2025-03-26/basic#batching.
 */
export function parseBatch(
  text: string,
  parsing: Parsing,
  maxMessages: number,
): readonly Incoming[] | string | undefined {
  if (isDeeperThan(text, parsing.maxDepth)) return undefined;
  let value: unknown;
  try {
    value = parseJson(text, parsing);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  if (value.length === 0) return 'a batch must hold a message';
  if (value.length > maxMessages) return `a batch holds at most ${maxMessages} messages, not ${value.length}`;
  return value.map((message: unknown) => toIncoming(message));
}

/**
 * Runs a request unless it is one too many, and answers the text of its response, or `undefined` where it gets none.
 */
export type RunRequest = (request: Request, run: () => Promise<string | undefined>) => Promise<string | undefined>;

/**
 * Makes what runs the requests of one batch. The first was counted with the message and runs as `runFirst` says; each
 * further one is counted as if it had come alone, or a hundred would pass for one where requests are limited.
 */
export function createBatchRuns(runFirst: RunRequest, enter: Enter, principal: Principal | undefined): RunRequest {
  let isFirst = true;
  return async (request, run) => {
    if (isFirst) {
      isFirst = false;
      return runFirst(request, run);
    }
    const leave = await enter(principal);
    if (typeof leave !== 'function') return errorText(request.id, leave);
    try {
      return await run();
    } finally {
      leave();
    }
  };
}
