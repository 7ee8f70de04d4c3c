import { placeOf, type Stage } from './call.ts';
import { refused } from './outcome.ts';
import type { PipelineContext } from './pipeline-context.ts';
import { entryOf } from './record.ts';

/**
 * Makes the intent durable before anything happens. A call whose intent cannot be recorded does not run
 * (`audit-unavailable`), nor does one that its caller has given up (`cancelled`).
 */
export function intend({ audit, logger }: PipelineContext): Stage {
  return async (call, next) => {
    if (call.options.signal?.aborted === true) {
      return refused({ reason: 'cancelled', message: 'The caller gave the call up before it ran.', ...placeOf(call) });
    }
    const intent = entryOf(call, 'intent');
    try {
      await audit.append(intent);
    } catch (error) {
      logger.error({ callId: call.id, err: error }, 'the intent of a call could not be recorded');
      const message = 'The audit cannot be written, so the call was not made. Try again later.';
      return refused({ reason: 'audit-unavailable', message, ...placeOf(call) });
    }
    call.intent = intent;
    return next(call);
  };
}
