import {
  clip,
  type CreateTaskResult,
  extensions,
  type InputRequest,
  type InputRequiredResult,
  type JsonObject,
  ProtocolError,
  type Result,
} from '@switchyard/protocol';

import type { OnceOptions } from '../effects/once.ts';
import type { MethodHandler } from '../dispatch/endpoint.ts';
import { MAX_LOGGED_CHARS } from '../dispatch/logged.ts';
import { declaresExtension } from '../extension.ts';
import { timedOut, type Watched } from '../limits/deadlines.ts';
import type { RequestContext } from '../dispatch/request-context.ts';
import type { RequestState } from '../state/request-state.ts';
import { MAX_SEALED_CHARS } from '../state/state-sealer.ts';
import type { StartedTask } from '../tasks/create-tasks.ts';
import { callHandle, runHandle } from '../tasks/create-handle.ts';
import type { TaskHandle, TaskOptions } from '../tasks/task-handle.ts';
import { taskOf } from '../tasks/task-record.ts';
import {
  type Answers,
  answersToPending,
  askAll,
  type LiveAsk,
  noAnswers,
  readResponses,
  takeAnswers,
} from './answers.ts';
import { HandlerRun, type RoundEnd } from './handler-run.ts';
import { heard, never } from './heard.ts';
import { InputError } from './input-error.ts';
import { InputRequired } from './input-required.ts';
import type { InputMethodDefinition, InvocationSite } from './invocation-site.ts';
import { createJournal, type Journal } from './journal.ts';
import { toJsonCopy } from './json-copy.ts';
import { missingCapabilities } from './missing-capabilities.ts';
import { type Question, questionDigest } from './question.ts';
import { bindingDigest } from './request-binding.ts';
import type { Resumed } from './resumed.ts';
import {
  badState,
  type JournalSeal,
  openJournal,
  sealJournal,
  type StateRefusal,
  stateRefusals,
} from './sealed-journal.ts';

/** Makes the handler of a method whose author's code may ask for input: it runs as many rounds as the answers take. */
export function withInput(site: InvocationSite, definition: InputMethodDefinition): MethodHandler {
  return (params, context) => {
    const invocation = new Invocation(site, definition, params, context);
    context.bind(invocation);
    return params['requestState'] === undefined && params['inputResponses'] === undefined
      ? invocation.run()
      : invocation.resume();
  };
}

/** One request to a handler that may ask. What asking takes is made when the handler asks, so that others pay nothing for it. */
class Invocation implements Watched {
  readonly #site: InvocationSite;
  readonly #definition: InputMethodDefinition;
  readonly #params: JsonObject;
  readonly #context: RequestContext;
  #journal: Journal | undefined;
  #loose: Answers = noAnswers;
  #handlerRun: HandlerRun | undefined;
  #resumed: Resumed | undefined;
  #concluded = false;
  /** Whether the handler has ended, with something else than a request for input. */
  #hasEnded = false;
  #handle: Promise<TaskHandle> | undefined;
  /** Puts asks into the task that the call became. */
  #liveInTask: LiveAsk | undefined;
  #resolve: (result: Result | Promise<Result>) => void = unbound;
  #reject: (error: unknown) => void = unbound;

  constructor(site: InvocationSite, definition: InputMethodDefinition, params: JsonObject, context: RequestContext) {
    this.#site = site;
    this.#definition = definition;
    this.#params = params;
    this.#context = context;
  }

  /** What was asked for explicitly on the round before. */
  get resumed(): Resumed | undefined {
    return this.#resumed;
  }

  /** The run of the handler, for its asks and steps. */
  open(): HandlerRun {
    const { development, logger } = this.#site;
    this.#journal ??= createJournal();
    const live = (): LiveAsk | undefined => this.#live;
    const liveTries = (): number => (this.#liveInTask === undefined ? 1 : MAX_TRIES_IN_TASK);
    this.#handlerRun ??= new HandlerRun(
      {
        capabilities: this.#context.capabilities,
        get live() {
          return live();
        },
        get liveTries() {
          return liveTries();
        },
        loose: this.#loose,
        development,
        logger,
        about: this.#about,
        conclude: (end) => this.#conclude(end),
      },
      this.#journal,
    );
    return this.#handlerRun;
  }

  /** See `RequestContext.returned`. */
  returned(): void {
    this.#handlerRun?.returned();
  }

  /** See `RequestContext.once`. */
  once(key: string, work: () => unknown, options: OnceOptions<unknown>): Promise<unknown> {
    const run = this.open();
    return run.watch(`the effect "${key}"`, (failed) => this.#once(run, key, work, options, failed));
  }

  async #once(
    run: HandlerRun,
    key: string,
    work: () => unknown,
    options: OnceOptions<unknown>,
    failed: (err: unknown) => void,
  ): Promise<unknown> {
    const { effects } = this.#site;
    if (effects === undefined)
      throw new InputError('store', 'effects that run once need a store: pass `records` to createServer');
    const scope = {
      principal: this.#context.principal,
      audience: this.#site.audience,
      method: this.#definition.method,
      name: this.#name,
      arguments: this.#params['arguments'],
      signal: this.#context.signal,
    };
    return run.work(() => effects.once(scope, key, () => run.inside(`the effect "${key}"`, work), options), failed);
  }

  /** See `RequestContext.task`. */
  task(options: TaskOptions): Promise<TaskHandle> {
    return (this.#handle ??= heard(this.#begin(options)));
  }

  async #begin(options: TaskOptions): Promise<TaskHandle> {
    const served = this.#definition.definitionsOf(this.#params)[0];
    if (this.#definition.method !== 'tools/call' || served?.task === undefined)
      throw new InputError(
        'not-here',
        `${this.#name} makes no tasks: say \`task: 'optional'\` or \`task: 'required'\` in the definition of the tool`,
      );
    const context = this.#context;
    if (!declaresExtension(context.capabilities, extensions.tasks)) return callHandle(context);
    // What was asked before ends this round, and the handler comes back here in the next one.
    if (this.#handlerRun?.isWaiting === true || this.#concluded) return never();
    const started = this.#site.tasks.start({
      principal: context.principal,
      tool: this.#name,
      scopes: served.scopes,
      options,
    });
    this.#liveInTask = async (request, key) => (await started).run.ask(request, key);
    try {
      return this.#goOn(await started);
    } catch (error) {
      this.#liveInTask = undefined;
      throw error;
    }
  }

  /** Answers the request with its task; what the handler answers from here on is the task's. */
  #goOn({ run, record }: StartedTask): TaskHandle {
    const { deadlines, epochNow } = this.#site;
    const context = this.#context;
    deadlines.forget(this);
    run.begin(context.detach(), record.createdAt + record.ttlMs - epochNow());
    // The time for the handler was over before the task was there, or the handler did not wait for it: nobody will have its id.
    if (this.#concluded || this.#hasEnded) {
      this.#liveInTask = undefined;
      void run.fail(new ProtocolError('internalError', 'The call ended before its task began'));
      return runHandle(run, context);
    }
    const created: CreateTaskResult = { resultType: 'task', ...taskOf(run.id, record) };
    this.#resolve(created);
    this.#reject = (error) => void run.fail(error);
    this.#resolve = (result) => {
      void Promise.resolve(result)
        .then((end) => run.complete(end))
        .catch((error: unknown) => run.fail(error));
    };
    return runHandle(run, context);
  }

  get #live(): LiveAsk | undefined {
    return this.#liveInTask ?? this.#context.live;
  }

  /** Runs the handler up to its end, or to the end of the round. */
  run(): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.#liveInTask === undefined) this.#site.deadlines.watch(this);
      this.#definition.serve(this.#params, this.#context).then(
        (returned) => this.#settle(returned),
        (thrown: unknown) => this.#fail(thrown),
      );
    });
  }

  /** Runs the handler with what the retry of a request brought: a state, answers, or both. */
  async resume(): Promise<Result> {
    const responses = readResponses(this.#params['inputResponses']);
    const state = this.#params['requestState'];
    if (state === undefined) {
      this.#loose = responses;
      return this.run();
    }
    const { journal, expiresAt } = await this.#openState(state as string);
    this.#journal = journal;
    const answers = answersToPending(journal.pending, responses);
    this.#warnOfOtherKeys(responses, journal.pending);
    for (const [key, { question }] of journal.pending) {
      const answer = answers[key];
      if (answer !== undefined) journal.answers.set(key, { question, answer });
    }
    journal.pending.clear();
    this.#resumed = { answers, kept: journal.kept };
    if (!this.#definition.definitionsOf(this.#params).some(({ singleUse }) => singleUse === true)) return this.run();
    const { singleUse, epochNow } = this.#site;
    if (singleUse === undefined)
      throw new InputError(
        'store',
        `single use of request state, as ${this.#name} wants it, needs a store: pass \`records\` to createServer`,
      );
    const served = await singleUse.serve(
      {
        state: state as string,
        answers: responses,
        remainingMs: expiresAt - epochNow(),
        signal: this.#context.signal,
      },
      () => this.run(),
    );
    if (served === 'refused') throw this.#refuseState('used-before');
    return served;
  }

  get #state(): RequestState {
    const { state } = this.#site;
    if (state !== undefined) return state;
    throw new InputError(
      'not-here',
      'the server was made with `state: false`, so none of its handlers may ask for input',
    );
  }

  get #name(): string {
    return String(this.#params['name'] ?? this.#params['uri']);
  }

  get #binding(): string {
    return bindingDigest({
      audience: this.#state.audience,
      principal: this.#context.principal,
      method: this.#definition.method,
      name: this.#name,
      arguments: this.#params['arguments'],
      definitions: this.#definition.definitionsOf(this.#params),
    });
  }

  /** Ends a run that took too long; one that waits for a client's answer has time. */
  expire(): boolean {
    if (this.#concluded) return true;
    if (this.#handlerRun?.isAsking === true) return false;
    this.#concluded = true;
    const { reason, message } = timedOut(this.#name, this.#site.timeoutMs);
    this.#context.end(reason);
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
    if ('error' in end) this.#reject(end.error);
    else this.#resolve(this.#askFor(end.asked));
    this.#context.end(SUSPENDED);
    this.#handlerRun?.end();
  }

  async #askExplicitly({ requests, keep }: InputRequired): Promise<Result> {
    const journal = (this.#journal ??= createJournal());
    const kept = toJsonCopy('what inputRequired keeps', keep, MAX_SEALED_CHARS);
    journal.kept = kept === undefined ? undefined : (JSON.parse(kept) as unknown);
    const missing = missingCapabilities(requests.values(), this.#context.capabilities);
    if (missing !== undefined) throw missing;
    const live = this.#live;
    const given = takeAnswers(requests, this.#loose);
    if (given === undefined) this.#warnOfOtherKeys(this.#loose, requests);
    this.#loose = noAnswers;
    if (live === undefined && given === undefined) return this.#askFor(requests);
    if (journal.round >= this.#state.maxRounds) return this.#tooManyRounds();
    journal.round += 1;
    this.#resumed = { answers: given ?? (await askAll(live as LiveAsk, requests)), kept: journal.kept };
    this.#handlerRun = undefined;
    return this.run();
  }

  async #askFor(asked: ReadonlyMap<string, Question<unknown>>): Promise<Result> {
    const journal = (this.#journal ??= createJournal());
    this.#warnOfOtherKeys(this.#loose, asked);
    if (journal.round >= this.#state.maxRounds) return this.#tooManyRounds();
    journal.round += 1;
    const inputRequests: Record<string, InputRequest> = {};
    for (const [key, { request }] of asked) {
      inputRequests[key] = request;
      journal.pending.set(key, { method: request.method, question: questionDigest(request) });
    }
    const result: InputRequiredResult = {
      resultType: 'input_required',
      ...(asked.size === 0 ? {} : { inputRequests }),
      requestState: await sealJournal(journal, this.#seal),
    };
    return result;
  }

  #tooManyRounds(): Result {
    return this.#definition.giveUp(
      `${this.#name} asked for input ${this.#state.maxRounds} times without coming to an end`,
    );
  }

  get #seal(): JournalSeal {
    return { state: this.#state, binding: this.#binding, now: this.#site.epochNow() };
  }

  async #openState(sealed: string): Promise<{ readonly journal: Journal; readonly expiresAt: number }> {
    if (this.#site.state === undefined) throw this.#refuseState('not-ours');
    const opened = await openJournal(sealed, this.#seal);
    if ('refused' in opened) throw this.#refuseState(opened.refused);
    return opened;
  }

  /** The client gets one message for every reason; whoever runs the server is told which it was. */
  #refuseState(reason: StateRefusal): ProtocolError {
    this.#site.logger.info({ ...this.#about, reason, why: stateRefusals[reason] }, 'request state refused');
    return badState();
  }

  /** What is asked again although an answer came says nothing about why: a slip in a key is seen in the log. */
  #warnOfOtherKeys(responses: Answers, asked: ReadonlyMap<string, unknown>): void {
    if (!this.#site.development) return;
    const came = Object.keys(responses);
    const known = this.#journal?.answers;
    if (came.every((key) => asked.has(key) || known?.has(key) === true)) return;
    this.#site.logger.warn(
      { ...this.#about, came: loggedKeys(came), asked: loggedKeys([...asked.keys()]) },
      'answers came under keys that were not asked, so they count for nothing',
    );
  }

  get #about(): { readonly method: string; readonly name: string } {
    return { method: this.#definition.method, name: clip(this.#name, MAX_LOGGED_CHARS) };
  }
}

/** Why the signal of a handler aborts whose round ended with a request for input. */
const SUSPENDED = 'suspended';

/** How often a question is put into a task until its answer is good. */
const MAX_TRIES_IN_TASK = 5;

const MAX_LOGGED_KEYS = 20;

function loggedKeys(keys: readonly string[]): readonly string[] {
  return keys.slice(0, MAX_LOGGED_KEYS).map((key) => clip(key, 128));
}

function unbound(): void {
  throw new Error('the invocation does not run');
}
