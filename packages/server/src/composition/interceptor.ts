import type {
  CreateTaskResult,
  InputRequiredResult,
  JsonObject,
  methods,
  ModernMethodName,
  ParamsOf,
  Result,
  ResultOf,
} from '@switchyard/protocol';

import type { RequestContext } from '../handler/request-context.ts';

/**
 * What an interceptor knows about a request beside its params. It cannot ask for input or report progress: handlers do.
 */
export type InterceptedContext = Pick<
  RequestContext,
  'principal' | 'requestId' | 'client' | 'capabilities' | 'meta' | 'signal'
>;

/** A request as an interceptor sees it: look at `method`, and `params` has its type. */
export type InterceptedRequest<M extends ModernMethodName = ModernMethodName> = {
  readonly [K in M]: {
    readonly method: K;
    /** They have passed the method's shape. `_meta` is in `context.meta`. */
    readonly params: ParamsOf<K>;
    readonly context: InterceptedContext;
  };
}[M];

/** The result of a method; of one whose result may hold anything, what every result may hold. */
type AnswerOf<M extends ModernMethodName> = JsonObject extends ResultOf<M> ? Result : ResultOf<M>;

/** Marked as complete, so that looking at `resultType` tells it from what is not. */
type Complete<R> = R & { readonly resultType?: 'complete' };

/**
 * What `next` answers. Beside the complete result of a method, one whose handler may ask for input may answer the
 * request for input that ends the round (`resultType` is `input_required`), and a call that goes on as a task that task
 * (`task`). Both go on as they are.
 */
export type InterceptedResult<M extends ModernMethodName = ModernMethodName> = {
  readonly [K in M]:
    | Complete<AnswerOf<K>>
    | ((typeof methods)[K] extends { readonly mayRequireInput: true } ? InputRequiredResult : never)
    | (K extends 'tools/call' ? CreateTaskResult : never);
}[M];

/** What an interceptor may answer: what `next` answered, or a result of its own. */
export type InterceptorReturn = InterceptedResult | { readonly [M in ModernMethodName]: AnswerOf<M> }[ModernMethodName];

/**
 * Hands a request on, to the next interceptor and at last to the handler, and answers its result. At most once. Given a
 * request, the result has the type of its method; given none, the request goes on as it came. Rejects with the error
 * that the request would get.
 */
export interface Next {
  /** Hands a request on that is of the same method, with other params or the same. */
  <R extends InterceptedRequest>(request: R): Promise<InterceptedResult<R['method']>>;
  /** Hands the request on as it came. */
  (): Promise<InterceptedResult>;
}

/**
 * Wraps every request that a server answers: it may answer itself, change params on the way in and the result on the
 * way out, throw a `ProtocolError` (for `tools/call` a `ToolError`, too), measure, log. It sees requests that have
 * passed the protocol's checks and whose method is served; on a retry with answers to a request for input it runs
 * again.
 *
 * Results are shared: change a copy. Lists come page by page, with cursors that stay good when entries are left out.
 * The promise of `subscriptions/listen` settles when the subscription ends, and its result goes on as it is. Structured
 * content that is put in place of what `next` answered must keep to the output schema of the tool. Whatever else breaks
 * the rules (a second `next`, another method, no result, one of a wrong shape, `timeoutMs` of the server spent before
 * `next` or after it) is an internal error, whose cause in the log names the interceptor; the signal aborts with a
 * `TimeoutError` when the time is over.
 */
export type Interceptor = (request: InterceptedRequest, next: Next) => InterceptorReturn | Promise<InterceptorReturn>;
