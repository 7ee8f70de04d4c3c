import {
  describeMisfit,
  isJsonObject,
  type JsonObject,
  type Logger,
  methods,
  type ModernMethodName,
  type Result,
} from '@switchyard/protocol';

import { errorResult } from '../definition/tool-result.ts';
import { type MethodHandler, Serialised } from '../dispatch/endpoint.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { ToolError } from '../handler/tool-error.ts';
import type { InterceptedContext, InterceptedRequest, Interceptor, Next } from './interceptor.ts';
import { resultProblem } from './result-problem.ts';

/**
 * Makes the handler of a method that interceptors wrap, the first one outermost; without any it is the handler itself. They see results
 * as objects, ready JSON included. `logger` must not throw.
 */
export function intercept(
  method: ModernMethodName,
  handler: MethodHandler,
  interceptors: readonly Interceptor[],
  logger: Logger,
): MethodHandler {
  if (interceptors.length === 0) return handler;
  return (params, context) => {
    const shown = showContext(context);
    const answer = async (index: number, given: JsonObject): Promise<Result> => {
      const interceptor = interceptors[index];
      if (interceptor === undefined) return toObject(await handler(given, context));
      const request = { method, params: given, context: shown } as object as InterceptedRequest;
      const turn = new Turn(interceptor, request, (changed) => answer(index + 1, changed), logger);
      // What an inner one hands on unchanged was checked when it was made; the outermost answers for what was changed in place.
      return turn.run(index === 0);
    };
    return answer(0, params);
  };
}

/** Answers a result as the object that is sent. */
export function toObject(result: Result | Serialised): Result {
  return result instanceof Serialised ? (JSON.parse(result.json) as Result) : result;
}

/** One interceptor at work on one request. */
class Turn {
  readonly #interceptor: Interceptor;
  readonly #request: InterceptedRequest;
  readonly #proceed: (params: JsonObject) => Promise<Result>;
  readonly #logger: Logger;
  #answered: Result | undefined;
  #misuse: TypeError | undefined;
  #called = false;
  #over = false;

  constructor(
    interceptor: Interceptor,
    request: InterceptedRequest,
    proceed: (params: JsonObject) => Promise<Result>,
    logger: Logger,
  ) {
    this.#interceptor = interceptor;
    this.#request = request;
    this.#proceed = proceed;
    this.#logger = logger;
  }

  async run(checksUnchanged: boolean): Promise<Result> {
    const outcome = await this.#outcome();
    this.#over = true;
    // A misuse counts even where the interceptor caught it, or never looked.
    if (this.#misuse !== undefined) throw this.#misuse;
    if ('thrown' in outcome) return this.#failed(outcome.thrown);
    const { returned } = outcome;
    // One that never called next, or did not wait for it, has nothing that was checked, and may hand on nothing at all.
    if (checksUnchanged || this.#answered === undefined || returned !== this.#answered) {
      const problem = resultProblem(this.#request.method, returned, this.#answered);
      if (problem !== undefined) throw new TypeError(this.#blame(problem));
    }
    return returned as Result;
  }

  async #outcome(): Promise<{ readonly returned: unknown } | { readonly thrown: unknown }> {
    try {
      return { returned: await this.#interceptor(this.#request, this.#next as Next) };
    } catch (thrown) {
      return { thrown };
    }
  }

  #failed(thrown: unknown): Result {
    if (this.#request.method === 'tools/call' && thrown instanceof ToolError)
      return errorResult(thrown.message, thrown.data);
    throw thrown instanceof Error ? thrown : new TypeError(this.#blame('threw what is no error'), { cause: thrown });
  }

  readonly #next = (given: unknown = this.#request): Promise<Result> => {
    const problem = this.#called ? 'called next twice' : problemOf(this.#request, given);
    if (problem !== undefined) return this.#refuse(problem);
    if (this.#over) return this.#refuse('called next after it had answered');
    this.#called = true;
    const answer = this.#proceed((given as { readonly params: JsonObject }).params).then((result) => {
      this.#answered = result;
      return result;
    });
    // An interceptor need not wait for what it started; a failure that nobody hears of must not end the process.
    answer.catch((err: unknown) => {
      if (this.#over)
        this.#logger.warn({ err, ...this.#about }, 'a request failed after an interceptor had answered it');
    });
    return answer;
  };

  #refuse(problem: string): Promise<never> {
    const misuse = new TypeError(this.#blame(problem));
    if (this.#over) this.#logger.error({ err: misuse, ...this.#about }, 'an interceptor broke a rule');
    else this.#misuse ??= misuse;
    const refused = Promise.reject(misuse);
    refused.catch(() => undefined);
    return refused;
  }

  get #about(): object {
    return { method: this.#request.method, interceptor: this.#interceptor.name };
  }

  #blame(problem: string): string {
    const { name } = this.#interceptor;
    return `${name === '' ? 'an interceptor without a name' : `the interceptor ${name}`} ${problem}`;
  }
}

/** Answers what an interceptor may not hand on. */
function problemOf({ method, params, context }: InterceptedRequest, given: unknown): string | undefined {
  if (!isJsonObject(given)) return 'called next with what is no request';
  if (given['method'] !== method) return 'called next with another method: it can change params alone';
  if (given['context'] !== context) return 'called next with another context: it can change params alone';
  if (given['params'] === params) return undefined;
  const misfit = methods[method].params(given['params']);
  return misfit === undefined
    ? undefined
    : `called next with params that break ${method}: ${describeMisfit('params', misfit)}`;
}

/** Shows the part of a context that is the request's: whoever asked for input here, beside the handler's run, would wait for ever. */
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
