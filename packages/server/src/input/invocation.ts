import { clip, type CreateTaskResult, type JsonObject, type Result } from '@switchyard/protocol';

import type { MethodHandler } from '../dispatch/endpoint.ts';
import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import { serving } from '../dispatch/served-request.ts';
import { InputError } from '../handler/input-error.ts';
import { InputRequired } from '../handler/input-required.ts';
import type { LiveAsk } from '../handler/live-ask.ts';
import type { OnceOptions } from '../handler/once-options.ts';
import type { RequestContext } from '../handler/request-context.ts';
import type { Resumed } from '../handler/resumed.ts';
import type { TaskHandle, TaskOptions } from '../handler/task-handle.ts';
import { timedOut, Watched } from '../timing/deadlines.ts';
import { type Answers, askAll, readResponses } from './answers.ts';
import { CallTask, type CallTaskSite } from './call-task.ts';
import { HandlerRun } from './handler-run.ts';
import type { InputMethodDefinition, InvocationSite, TaskCall } from './invocation-site.ts';
import { bindingDigest, type RequestSubject, type ServedDefinition } from './request-binding.ts';
import { Rounds } from './rounds.ts';
import { runEffect } from './run-effect.ts';
import type { RoundEnd } from './run-site.ts';
import { unaskable } from './unaskable.ts';

/** Makes the handler of a method whose author's code may ask for input: it runs as many rounds as the answers take. */
export function withInput<S>(site: InvocationSite, definition: InputMethodDefinition<S>): MethodHandler {
  return (params, context) => {
    const invocation = new Invocation(site, definition, params, context);
    serving.bind(context, invocation);
    return params['requestState'] === undefined && params['inputResponses'] === undefined
      ? invocation.run()
      : invocation.resume();
  };
}

/**
 * One request to a handler that may ask. What asking takes is made when the handler asks, so that others pay nothing
 * for it.
 */
class Invocation<S> extends Watched {
  readonly #site: InvocationSite;
  readonly #definition: InputMethodDefinition<S>;
  readonly #defined: S;
  readonly #params: JsonObject;
  readonly #context: RequestContext;
  #rounds: Rounds | undefined;
  #handlerRun: HandlerRun | undefined;
  #resumed: Resumed | undefined;
  /** Whether what came is a state that is good for one retry. */
  #isSingleUse = false;
  #concluded = false;
  /** Whether the round ended with an error of the caller's, which no code of the handler ran after. */
  #isRefused = false;
  /** Whether nothing of what the retry answers has reached the handler. */
  #isUnused = true;
  #isRunning = false;
  #task: CallTask | undefined;
  #resolve: (result: Result | Promise<Result>) => void = unbound;
  #reject: (error: unknown) => void = unbound;

  constructor(site: InvocationSite, definition: InputMethodDefinition<S>, params: JsonObject, context: RequestContext) {
    super();
    this.#site = site;
    this.#definition = definition;
    this.#defined = definition.snapshot();
    this.#params = params;
    this.#context = context;
  }

  /** Answers what was asked for explicitly on the round before; from then on it has reached the handler. */
  takeResumed(): Resumed | undefined {
    this.#isUnused = false;
    return this.#resumed;
  }

  /** The run of the handler, for its asks and steps. */
  open(): HandlerRun {
    return (this.#handlerRun ??= this.#createRun());
  }

  #createRun(): HandlerRun {
    const { development, logger } = this.#site;
    const { journal, loose } = this.#openRounds();
    const run = new HandlerRun(
      {
        capabilities: this.#context.capabilities,
        live: () => this.#live,
        liveTries: () => (this.#task?.live === undefined ? 1 : MAX_TRIES_IN_TASK),
        loose,
        development,
        logger,
        about: this.#about,
        isBrought: (key) => this.#isResumedWith(key),
        isCounted: () => this.#isSingleUse,
        answered: (key) => {
          if (this.#isResumedWith(key)) this.#isUnused = false;
        },
        conclude: (end) => this.#conclude(end),
      },
      journal,
    );
    // Its end has passed, so nobody would tell it: the time was over, or the handler has returned and runs on by
    // itself.
    if (this.#concluded || !this.#isRunning) run.end();
    return run;
  }

  #openRounds(): Rounds {
    return (this.#rounds ??= new Rounds(this.#site, {
      name: this.#name,
      about: this.#about,
      bindingOf: () =>
        bindingDigest({
          audience: this.#site.audience,
          principal: this.#context.principal,
          method: this.#definition.method,
          ...this.#subject,
          definitions: this.#definitions,
        }),
      giveUp: (message) => this.#definition.giveUp(message),
    }));
  }

  /** Whether an answer under this key came with the state of the round before. */
  #isResumedWith(key: string): boolean {
    return this.#resumed !== undefined && Object.hasOwn(this.#resumed.answers, key);
  }

  /** See `Serving.returned`. */
  returned(): void {
    this.#handlerRun?.returned();
  }

  /** See `RequestContext.once`. */
  once(key: string, work: () => unknown, options: OnceOptions<unknown>): Promise<unknown> {
    return runEffect(this.open(), this.#site.effects, { key, work, options }, () => ({
      principal: this.#context.principal,
      audience: this.#site.audience,
      method: this.#definition.method,
      ...this.#subject,
      signal: this.#context.signal,
    }));
  }

  /** See `RequestContext.task`. */
  task(options: TaskOptions): Promise<TaskHandle> {
    const inside = this.#isEnding ? this.#handlerRun?.standsIn : undefined;
    if (inside !== undefined)
      return Promise.reject(
        new InputError(
          'not-here',
          `ctx.task stands inside of ${inside}, and its round ends with questions: begin it before`,
        ),
      );
    return (this.#task ??= this.#beginTask(options)).handle;
  }

  #beginTask(options: TaskOptions): CallTask {
    const site: CallTaskSite = {
      context: this.#context,
      tool: this.#name,
      definition: this.#definition.method === 'tools/call' ? this.#definitions[0] : undefined,
      handOver: this.#site.handOver,
      isEnding: () => this.#isEnding,
      become: (created, goOn) => this.#become(created, goOn),
    };
    return new CallTask(site, options);
  }

  get #isEnding(): boolean {
    return this.#handlerRun?.isWaiting === true || this.#concluded;
  }

  #become(created: CreateTaskResult, { complete, fail }: Parameters<TaskCall['become']>[1]): boolean {
    // The time for the handler was over before the task was there, or it is wanted by code that runs on: nobody will
    // have its id.
    if (this.#concluded || !this.#isRunning) return false;
    this.#site.deadlines.forget(this);
    this.#resolve(created);
    this.#resolve = complete;
    this.#reject = fail;
    return true;
  }

  get #live(): LiveAsk | undefined {
    return this.#task?.live ?? serving.liveOf(this.#context);
  }

  /** Runs the handler up to its end, or to the end of the round. */
  run(): Promise<Result> {
    this.#isRunning = true;
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.#task?.hasBegun !== true) this.#site.deadlines.watch(this);
      this.#definition.serve(this.#defined, this.#params, this.#context).then(
        (returned) => this.#settle(returned),
        (thrown: unknown) => this.#fail(thrown),
      );
    });
  }

  /** Runs the handler with what the retry of a request brought: a state, answers, or both. */
  async resume(): Promise<Result> {
    const responses = readResponses(this.#params['inputResponses']);
    const state = this.#params['requestState'] as string | undefined;
    const isSingleUse = this.#definitions.some(({ singleUse }) => singleUse === true);
    const rounds = this.#openRounds();
    if (state === undefined) {
      rounds.takeLoose(responses, isSingleUse);
      return this.run();
    }
    const { answers, expiresAt } = await rounds.takeUp(state, responses);
    this.#resumed = { answers, kept: rounds.journal.kept };
    return isSingleUse ? this.#runOnce(rounds, { state, answers: responses, expiresAt }) : this.run();
  }

  /** Runs the handler unless the state was used before. */
  async #runOnce(
    rounds: Rounds,
    { state, answers, expiresAt }: { readonly state: string; readonly answers: Answers; readonly expiresAt: number },
  ): Promise<Result> {
    this.#isSingleUse = true;
    const { singleUse, epochNow } = this.#site;
    if (singleUse === undefined)
      throw new InputError(
        'store',
        `single use of request state, as ${this.#name} wants it, needs a store: pass \`records\` to createServer`,
      );
    const retry = {
      state,
      answers,
      remainingMs: expiresAt - epochNow(),
      signal: this.#context.signal,
      isUnused: () => this.#isUnused && this.#isRefused,
    };
    const served = await singleUse.serve(retry, () => this.run());
    if (served === 'refused') throw rounds.refuseUsed();
    return served;
  }

  get #subject(): RequestSubject {
    return this.#definition.subjectOf(this.#params);
  }

  get #name(): string {
    return this.#subject.name;
  }

  get #definitions(): readonly ServedDefinition[] {
    return this.#definition.definitionsOf(this.#defined, this.#name);
  }

  /** Ends a run that took too long; one that waits for a client's answer has time. */
  expire(): boolean {
    if (this.#concluded) return true;
    // What is asked in a task that is not there yet waits for the store, and no client.
    if (this.#handlerRun?.isAsking === true && this.#task?.live === undefined) return false;
    this.#concluded = true;
    const { reason, message } = timedOut(this.#name, this.#site.timeoutMs);
    serving.end(this.#context, reason);
    this.#handlerRun?.end();
    try {
      this.#resolve(this.#definition.giveUp(message));
    } catch (error) {
      this.#reject(error);
    }
    return true;
  }

  #settle(returned: Result | InputRequired): void {
    if (this.#concluded) return;
    this.#site.deadlines.forget(this);
    this.#endRun();
    this.#resolve(returned instanceof InputRequired ? this.#askExplicitly(returned) : returned);
  }

  #fail(thrown: unknown): void {
    if (this.#concluded) return;
    this.#site.deadlines.forget(this);
    this.#endRun();
    this.#reject(thrown);
  }

  #endRun(): void {
    this.#isRunning = false;
    this.#handlerRun?.end();
    if (this.#task === undefined || this.#task.hasBegun) return;
    this.#task.abandon();
    // The next run may want one of its own.
    this.#task = undefined;
  }

  #conclude(end: RoundEnd): void {
    if (this.#concluded) return;
    this.#concluded = true;
    this.#site.deadlines.forget(this);
    // Work that runs goes on, and may yet get what the retry answers.
    this.#isRefused = 'error' in end && this.#handlerRun?.isWorking !== true;
    if ('error' in end) this.#reject(end.error);
    else this.#resolve(this.#openRounds().ask(end.asked));
    serving.end(this.#context, SUSPENDED);
    this.#handlerRun?.end();
  }

  async #askExplicitly({ requests, keep }: InputRequired): Promise<Result> {
    const rounds = this.#openRounds();
    try {
      rounds.keep(keep);
    } catch (thrown) {
      return this.#failExplicitly(thrown);
    }
    const missing = unaskable(requests.values(), this.#context.capabilities);
    if (missing !== undefined) throw missing;
    const live = this.#live;
    const given = live === undefined ? rounds.useLoose(requests) : undefined;
    if (live === undefined && given === undefined) return rounds.ask(requests);
    return rounds.next(async () => {
      let answers: Answers;
      try {
        answers = given ?? (await askAll(live as LiveAsk, requests));
      } catch (thrown) {
        return this.#failExplicitly(thrown);
      }
      this.#resumed = { answers, kept: rounds.journal.kept };
      this.#handlerRun = undefined;
      return this.run();
    });
  }

  /** What the handler returned failed, which is as if the handler had thrown that itself. */
  #failExplicitly(thrown: unknown): Result {
    return this.#definition.failed(this.#name, thrown, this.#context);
  }

  get #about(): { readonly method: string; readonly name: string } {
    return { method: this.#definition.method, name: clip(this.#name, MAX_LOGGED_CHARS) };
  }
}

/** Why the signal of a handler aborts whose round ended with a request for input. */
const SUSPENDED = 'suspended';

/** How often a question is put into a task until its answer is good. */
const MAX_TRIES_IN_TASK = 5;

function unbound(): void {
  throw new Error('the invocation does not run');
}
