import { ProtocolError, type Result } from '@switchyard/protocol';

import type { MethodHandler, Serialised } from './endpoint.ts';
import { serving } from './served-request.ts';
import { type Deadlines, timedOut } from '../timing/deadlines.ts';

/**
 * Makes a handler end with -32603 when its author's code runs longer than the deadlines allow, whose time limit is
 * `timeoutMs`. Its signal aborts with a `TimeoutError` then, and whatever it still does is dropped.
 */
export function withDeadline(
  method: string,
  { deadlines, timeoutMs }: { readonly deadlines: Deadlines; readonly timeoutMs: number },
  handler: MethodHandler,
): MethodHandler {
  return (params, context) =>
    deadlines.race<Result | Serialised>(Promise.resolve(handler(params, context)), () => {
      const { reason, message } = timedOut(method, timeoutMs);
      serving.end(context, reason);
      throw new ProtocolError('internalError', message);
    });
}
