import { placeOf, type Stage } from './call.ts';
import { refused } from './outcome.ts';
import type { PipelineLimits } from './pipeline-context.ts';

/**
 * Holds a place for a call while it runs, over all callers, and refuses with `overloaded` when all `maxConcurrentCalls`
 * are taken.
 */
export function reserve({ maxConcurrentCalls }: Pick<PipelineLimits, 'maxConcurrentCalls'>): Stage {
  let running = 0;
  return async (call, next) => {
    if (running >= maxConcurrentCalls) {
      const message = `${maxConcurrentCalls} calls are running, which is the limit: try again when one has ended.`;
      return refused({ reason: 'overloaded', message, ...placeOf(call) });
    }
    running += 1;
    try {
      return await next(call);
    } finally {
      running -= 1;
    }
  };
}
