import { type JsonObject, type ModernMethodName, parseJson, type Result } from '@switchyard/protocol';

import { type MethodHandler, Serialised } from '../dispatch/endpoint.ts';
import type { RequestContext } from '../handler/request-context.ts';
import type { Interception, InterceptSite } from './intercept-site.ts';
import type { InterceptedContext, InterceptedRequest } from './interceptor.ts';
import { Turn } from './turn.ts';

/**
 * Makes the handler of a method that interceptors wrap; without any it is the handler itself. They see results as
 * objects, ready JSON included.
 */
export function intercept(
  method: ModernMethodName,
  handler: MethodHandler,
  { interceptors, outputOf }: Interception,
  site: InterceptSite,
): MethodHandler {
  if (interceptors.length === 0) return handler;
  return (params, context) => {
    const shown = showContext(context);
    const answer = async (index: number, given: JsonObject): Promise<Result> => {
      const interceptor = interceptors[index];
      if (interceptor === undefined) return toObject(await handler(given, context));
      const request = { method, params: given, context: shown } as object as InterceptedRequest;
      const turn = new Turn(interceptor, { ...site, context, outputOf }, request, (changed) =>
        answer(index + 1, changed),
      );
      // What an inner one hands on unchanged was checked when it was made; the outermost answers for what was changed
      // in place.
      return turn.run(index === 0);
    };
    return answer(0, params);
  };
}

/** Answers a result as the object that is sent; integers that are ready JSON keep their digits. */
export function toObject(result: Result | Serialised): Result {
  return result instanceof Serialised ? (parseJson(result.json, { exactIntegers: true }) as Result) : result;
}

/**
 * Shows the part of a context that is the request's: whoever asked for input here, beside the handler's run, would wait
 * for ever.
 */
function showContext(context: RequestContext): InterceptedContext {
  const { principal, requestId } = context;
  return Object.freeze({
    principal,
    requestId,
    get client() {
      return context.client;
    },
    get capabilities() {
      return context.capabilities;
    },
    get meta() {
      return context.meta;
    },
    // The signal is made on first use.
    get signal() {
      return context.signal;
    },
  });
}
