import {
  clip,
  type CreateTaskResult,
  type InputRequiredResult,
  type JsonObject,
  type Result,
} from '@switchyard/protocol';

import type { MethodHandler } from '../dispatch/endpoint.ts';
import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import { serving } from '../dispatch/served-request.ts';
import { toJsonCopy } from '../effects/json-copy.ts';
import { InputError } from '../handler/input-error.ts';
import { InputRequired } from '../handler/input-required.ts';
import type { OnceOptions } from '../handler/once-options.ts';
import type { Question } from '../handler/question.ts';
import type { RequestContext } from '../handler/request-context.ts';
import type { Resumed } from '../handler/resumed.ts';
import type { TaskHandle, TaskOptions } from '../handler/task-handle.ts';
import { timedOut, Watched } from '../timing/deadlines.ts';
import { MAX_SEALED_CHARS } from '../state/state-sealer.ts';
import { type Answers, askAll, type LiveAsk, noAnswers, readResponses, takeAnswers } from './answers.ts';
import { HandlerRun, type RoundEnd } from './handler-run.ts';
import { heard } from './heard.ts';
import type { InputMethodDefinition, InvocationSite, TaskCall } from './invocation-site.ts';
import { answerPending, askIn, createJournal, type Journal, looseIn } from './journal.ts';
import { unaskable } from './unaskable.ts';
import { warnOfOtherKeys, warnOfUnbound } from './other-keys.ts';
import { bindingDigest, type RequestSubject, type ServedDefinition } from './request-binding.ts';
import { runEffect } from './run-effect.ts';
import { JournalSealing } from './sealed-journal.ts';

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

/** One request to a handler that may ask. What asking takes is made when the handler asks, so that others pay nothing for it. */
class Invocation<S> extends Watched {
  readonly #site: InvocationSite;
  readonly #definition: InputMethodDefinition<S>;
  readonly #defined: S;
  readonly #params: JsonObject;
  readonly #context: RequestContext;
  #journal: Journal | undefined;
  #loose: Answers = noAnswers;
  #handlerRun: HandlerRun | undefined;
  #resumed: Resumed | undefined;
  /** Whether what came is a state that is good for one retry. */
  #isSingleUse = false;
  #concluded = false;
  /** Whether the round ended with an error of the caller's, which no code of the handler ran after. */
  #isRefused = false;
  /** Whether nothing of what the retry answers has reached the handler. */
  #isUnused = true;
  /** Whether the handler has ended, with something else than a request for input. */
  #hasEnded = false;
  #handle: Promise<TaskHandle> | undefined;
  /** Puts asks into the task that the call became. */
  #liveInTask: LiveAsk | undefined;
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

  /** What was asked for explicitly on the round before. */
  get resumed(): Resumed | undefined {
    this.#isUnused = false;
    return this.#resumed;
  }

  /** The run of the handler, for its asks and steps. */
  open(): HandlerRun {
    const { development, logger } = this.#site;
    this.#journal ??= createJournal();
    this.#handlerRun ??= new HandlerRun(
      {
        capabilities: this.#context.capabilities,
        live: () => this.#live,
        liveTries: () => (this.#liveInTask === undefined ? 1 : MAX_TRIES_IN_TASK),
        loose: this.#loose,
        development,
        logger,
        about: this.#about,
        isCounted: (key) => this.#isSingleUse && Object.hasOwn(this.#resumed?.answers ?? noAnswers, key),
        answered: (key) => {
          if (Object.hasOwn(this.#resumed?.answers ?? noAnswers, key)) this.#isUnused = false;
        },
        conclude: (end) => this.#conclude(end),
      },
      this.#journal,
    );
    return this.#handlerRun;
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
    return (this.#handle ??= heard(this.#handOver(options)));
  }

  async #handOver(options: TaskOptions): Promise<TaskHandle> {
    const served = this.#definitions[0];
    if (this.#definition.method !== 'tools/call' || served?.task === undefined)
      throw new InputError(
        'not-here',
        `${this.#name} makes no tasks: say \`task: 'optional'\` or \`task: 'required'\` in the definition of the tool`,
      );
    const call: TaskCall = {
      context: this.#context,
      tool: this.#name,
      scopes: served.scopes,
      isEnding: () => this.#handlerRun?.isWaiting === true || this.#concluded,
      askIn: (task) => {
        this.#liveInTask = task;
      },
      become: (created, goOn) => this.#become(created, goOn),
    };
    return this.#site.handOver(call, options);
  }

  #become(created: CreateTaskResult, { complete, fail }: Parameters<TaskCall['become']>[1]): boolean {
    this.#site.deadlines.forget(this);
    // The time for the handler was over before the task was there, or the handler did not wait for it: nobody will have its id.
    if (this.#concluded || this.#hasEnded) return false;
    this.#resolve(created);
    this.#resolve = complete;
    this.#reject = fail;
    return true;
  }

  get #live(): LiveAsk | undefined {
    return this.#liveInTask ?? serving.liveOf(this.#context);
  }

  /** Runs the handler up to its end, or to the end of the round. */
  run(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.#liveInTask === undefined) this.#site.deadlines.watch(this);
      this.#definition.serve(this.#defined, this.#params, this.#context).then(
        (returned) => this.#settle(returned),
        (thrown: unknown) => this.#fail(thrown),
      );
    });
  }

  /** Runs the handler with what the retry of a request brought: a state, answers, or both. */
  async resume(): Promise<Result> {
    const responses = readResponses(this.#params['inputResponses']);
    const state = this.#params['requestState'];
    const isSingleUse = this.#definitions.some(({ singleUse }) => singleUse === true);
    if (state === undefined) {
      if (isSingleUse) this.#warnOfUnbound(Object.keys(responses));
      else this.#loose = responses;
      return this.run();
    }
    const { journal, expiresAt } = await this.#sealing.open(state as string);
    this.#journal = journal;
    this.#warnOfOtherKeys(responses, journal.pending);
    this.#resumed = { answers: answerPending(journal, responses), kept: journal.kept };
    if (!isSingleUse) return this.run();
    this.#isSingleUse = true;
    const { singleUse, epochNow } = this.#site;
    if (singleUse === undefined)
      throw new InputError(
        'store',
        `single use of request state, as ${this.#name} wants it, needs a store: pass \`records\` to createServer`,
      );
    const remainingMs = expiresAt - epochNow();
    const served = await singleUse.serve(
      {
        state: state as string,
        answers: responses,
        remainingMs,
        signal: this.#context.signal,
        isUnused: () => this.#isUnused && this.#isRefused,
      },
      () => this.run(),
    );
    if (served === 'refused') throw this.#sealing.refuse('used-before');
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

  get #sealing(): JournalSealing {
    return new JournalSealing(this.#site, this.#about, () =>
      bindingDigest({
        audience: this.#site.audience,
        principal: this.#context.principal,
        method: this.#definition.method,
        ...this.#subject,
        definitions: this.#definitions,
      }),
    );
  }

  /** Ends a run that took too long; one that waits for a client's answer has time. */
  expire(): boolean {
    if (this.#concluded) return true;
    if (this.#handlerRun?.isAsking === true) return false;
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
    this.#handlerRun?.end();
    this.#hasEnded = !(returned instanceof InputRequired);
    if (returned instanceof InputRequired) this.#resolve(this.#askExplicitly(returned));
    else this.#resolve(returned);
  }

  #fail(thrown: unknown): void {
    if (this.#concluded) return;
    this.#site.deadlines.forget(this);
    this.#handlerRun?.end();
    this.#hasEnded = true;
    this.#reject(thrown);
  }

  #conclude(end: RoundEnd): void {
    if (this.#concluded) return;
    this.#concluded = true;
    this.#site.deadlines.forget(this);
    this.#isRefused = 'error' in end;
    if ('error' in end) this.#reject(end.error);
    else this.#resolve(this.#askFor(end.asked));
    serving.end(this.#context, SUSPENDED);
    this.#handlerRun?.end();
  }

  async #askExplicitly({ requests, keep }: InputRequired): Promise<Result> {
    const journal = (this.#journal ??= createJournal());
    const kept = toJsonCopy('what inputRequired keeps', keep, MAX_SEALED_CHARS);
    journal.kept = kept === undefined ? undefined : (JSON.parse(kept) as unknown);
    const missing = unaskable(requests.values(), this.#context.capabilities);
    if (missing !== undefined) throw missing;
    const live = this.#live;
    const given = live === undefined ? takeAnswers(requests, looseIn(journal, this.#loose)) : undefined;
    if (given === undefined) this.#warnOfOtherKeys(this.#loose, requests);
    this.#loose = noAnswers;
    if (live === undefined && given === undefined) return this.#askFor(requests);
    const { maxRounds } = this.#sealing;
    if (journal.round >= maxRounds) return this.#tooManyRounds(maxRounds);
    journal.round += 1;
    this.#resumed = { answers: given ?? (await askAll(live as LiveAsk, requests)), kept: journal.kept };
    this.#handlerRun = undefined;
    return this.run();
  }

  async #askFor(asked: ReadonlyMap<string, Question<unknown>>): Promise<Result> {
    const journal = (this.#journal ??= createJournal());
    this.#warnOfOtherKeys(this.#loose, asked);
    this.#warnOfUnbound(Object.keys(this.#loose).filter((key) => asked.has(key)));
    const sealing = this.#sealing;
    if (journal.round >= sealing.maxRounds) return this.#tooManyRounds(sealing.maxRounds);
    journal.round += 1;
    const inputRequests = askIn(journal, asked);
    const result: InputRequiredResult = {
      resultType: 'input_required',
      ...(asked.size === 0 ? {} : { inputRequests }),
      requestState: await sealing.seal(journal),
    };
    return result;
  }

  #tooManyRounds(maxRounds: number): Result {
    return this.#definition.giveUp(`${this.#name} asked for input ${maxRounds} times without coming to an end`);
  }

  #warnOfOtherKeys(came: Answers, asked: ReadonlyMap<string, unknown>): void {
    if (this.#site.development)
      warnOfOtherKeys(came, { asked, journal: this.#journal }, this.#site.logger, this.#about);
  }

  #warnOfUnbound(came: readonly string[]): void {
    if (this.#site.development) warnOfUnbound(came, this.#site.logger, this.#about);
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
