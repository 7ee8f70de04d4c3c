import {
  type CallToolResult,
  describeMisfit,
  isJsonObject,
  type JsonObject,
  methods,
  type Result,
} from '@switchyard/protocol';

import { errorResult } from '../definition/tool-result.ts';
import { serving } from '../dispatch/served-request.ts';
import type { RequestContext } from '../handler/request-context.ts';
import { ToolError } from '../handler/tool-error.ts';
import type { CompiledValueSchema } from '../schema/value-schema.ts';
import { timedOut, Watched } from '../timing/deadlines.ts';
import type { Interception, InterceptSite } from './intercept-site.ts';
import type { InterceptedRequest, Interceptor, Next } from './interceptor.ts';
import { outputProblem } from './output-problem.ts';
import { resultProblem } from './result-problem.ts';

/** What an interceptor works with on one request. */
interface TurnSite extends InterceptSite, Pick<Interception, 'outputOf'> {
  /** The context of the request itself, of which the interceptor sees a part. */
  readonly context: RequestContext;
}

/** One interceptor at work on one request. It is watched while it works, and not while it waits for `next`. */
export class Turn extends Watched {
  readonly #interceptor: Interceptor;
  readonly #site: TurnSite;
  readonly #request: InterceptedRequest;
  readonly #proceed: (params: JsonObject) => Promise<Result>;
  readonly #late = Promise.withResolvers<never>();
  #answered: Result | undefined;
  /**
   * The structured content that next answered, where it was held against the output schema of the tool that was called.
   */
  #vouchedFor: { readonly content: unknown } | undefined;
  /**
   * The output schema of the tool as it was when the request went on: while it is called, the tool may be defined anew.
   */
  #output: CompiledValueSchema | undefined;
  #misuse: TypeError | undefined;
  #called = false;
  #over = false;

  constructor(
    interceptor: Interceptor,
    site: TurnSite,
    request: InterceptedRequest,
    proceed: (params: JsonObject) => Promise<Result>,
  ) {
    super();
    this.#interceptor = interceptor;
    this.#site = site;
    this.#request = request;
    this.#proceed = proceed;
  }

  async run(checksUnchanged: boolean): Promise<Result> {
    const { deadlines } = this.#site;
    deadlines.watch(this);
    const outcome = await this.#outcome();
    this.#over = true;
    deadlines.forget(this);
    // A misuse counts even where the interceptor caught it, or never looked.
    if (this.#misuse !== undefined) throw this.#misuse;
    if ('thrown' in outcome) return this.#failed(outcome.thrown);
    const { returned } = outcome;
    // One that never called next, or did not wait for it, has nothing that was checked, and may hand on nothing at all.
    if (checksUnchanged || this.#answered === undefined || returned !== this.#answered) {
      const problem = resultProblem(this.#request.method, returned, this.#answered);
      if (problem !== undefined) throw new TypeError(this.#blame(problem));
    }
    const problem = await this.#outputProblem(returned as CallToolResult);
    if (problem !== undefined) throw new TypeError(this.#blame(problem));
    return returned as Result;
  }

  /**
   * Ends the turn of an interceptor that took too long; one that waits for what it gave to next has its time again
   * after that.
   */
  expire(): boolean {
    const { context, timeoutMs } = this.#site;
    const { reason, message } = timedOut(this.#name, timeoutMs);
    // Before anybody hears of it: whoever then calls next must not have a handler run.
    this.#over = true;
    serving.end(context, reason);
    this.#late.reject(new TypeError(message));
    return true;
  }

  /** What goes on as it came was checked where it was made, and costs no second check. */
  #outputProblem(returned: CallToolResult): Promise<string | undefined> | undefined {
    if (this.#request.method !== 'tools/call' || !isCheckedOutput(returned)) return undefined;
    const { structuredContent } = returned;
    if (this.#vouchedFor !== undefined && structuredContent === this.#vouchedFor.content) return undefined;
    const output = this.#called ? this.#output : this.#site.outputOf(this.#request.params.name);
    return output === undefined ? undefined : outputProblem(output, structuredContent);
  }

  async #outcome(): Promise<{ readonly returned: unknown } | { readonly thrown: unknown }> {
    try {
      const answer = this.#interceptor(this.#request, this.#next as Next);
      return { returned: await Promise.race([answer, this.#late.promise]) };
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
    if (this.#request.method === 'tools/call') this.#output = this.#site.outputOf(this.#request.params.name);
    const { params } = given as { readonly params: JsonObject };
    this.#site.deadlines.forget(this);
    const answer = this.#proceed(params)
      .then((result) => {
        this.#took(result, params);
        return result;
      })
      .finally(() => {
        if (!this.#over) this.#site.deadlines.watch(this);
      });
    // An interceptor need not wait for what it started; a failure that nobody hears of must not end the process.
    answer.catch((err: unknown) => {
      if (this.#over)
        this.#site.logger.warn({ err, ...this.#about }, 'a request failed after an interceptor had answered it');
    });
    return answer;
  };

  #took(result: Result, params: JsonObject): void {
    this.#answered = result;
    if (this.#request.method !== 'tools/call' || !isCheckedOutput(result as CallToolResult)) return;
    // The schema of another tool says nothing about this one's.
    if (params['name'] === this.#request.params.name)
      this.#vouchedFor = { content: (result as CallToolResult).structuredContent };
  }

  #refuse(problem: string): Promise<never> {
    const misuse = new TypeError(this.#blame(problem));
    if (this.#over) this.#site.logger.error({ err: misuse, ...this.#about }, 'an interceptor broke a rule');
    else this.#misuse ??= misuse;
    const refused = Promise.reject(misuse);
    // Told by the log or the response; an interceptor that does not wait for it must not end the process.
    refused.catch(() => undefined);
    return refused;
  }

  get #about(): object {
    return { method: this.#request.method, interceptor: this.#interceptor.name };
  }

  #blame(problem: string): string {
    return `${this.#name} ${problem}`;
  }

  get #name(): string {
    const { name } = this.#interceptor;
    return name === '' ? 'an interceptor without a name' : `the interceptor ${name}`;
  }
}

/** Whether the output schema of the tool holds for a result. Spec: server/tools#output-schema (2026-07-28). */
function isCheckedOutput({ resultType = 'complete', isError }: CallToolResult): boolean {
  return resultType === 'complete' && isError !== true;
}

/** Answers what an interceptor may not hand on. */
function problemOf({ method, context }: InterceptedRequest, given: unknown): string | undefined {
  if (!isJsonObject(given)) return 'called next with what is no request';
  if (given['method'] !== method) return 'called next with another method: it can change params alone';
  if (given['context'] !== context) return 'called next with another context: it can change params alone';
  // Also those that it got: they may have been changed in place.
  const misfit = methods[method].params(given['params']);
  return misfit === undefined
    ? undefined
    : `called next with params that break ${method}: ${describeMisfit('params', misfit)}`;
}
