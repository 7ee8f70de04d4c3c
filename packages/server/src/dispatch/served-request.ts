import {
  assertKnownOptions,
  type ClientCapabilities,
  type CreateMessageParams,
  type CreateMessageResult,
  type Implementation,
  type JsonObject,
  type LoggingLevel,
  type MessageId,
  notifications,
  passesLevel,
  present,
  type Principal,
  type RequestMetadata,
  type Result,
  type Root,
  stringifyJson,
} from '@switchyard/protocol';

import { exchangeTokenFor } from '../authorization/exchange-token.ts';
import type { ExchangedToken } from '../authorization/principal-grant.ts';
import {
  type FormAnswer,
  type FormElicitation,
  formQuestion,
  type UrlAnswer,
  type UrlElicitation,
  urlQuestion,
} from '../handler/elicitation.ts';
import { InputError } from '../handler/input-error.ts';
import type { LiveAsk } from '../handler/live-ask.ts';
import type { OnceOptions } from '../handler/once-options.ts';
import type { Question } from '../handler/question.ts';
import type { RequestContext } from '../handler/request-context.ts';
import type { Resumed } from '../handler/resumed.ts';
import type { TaskHandle, TaskOptions } from '../handler/task-handle.ts';
import { rootsQuestion } from '../handler/roots.ts';
import { samplingQuestion } from '../handler/sampling.ts';
import type { Accepted, ValueSchema } from '../schema/value-schema.ts';
import type { Cancellation } from './cancellation.ts';
import { Serialised } from './endpoint.ts';

/** What a run of a handler that may ask offers to its context. See the members of {@link RequestContext}. */
export interface InputRun {
  ask<T>(key: string, question: Question<T>): PromiseLike<T>;
  step(name: string, work: () => unknown): Promise<unknown>;
  onRoundEnd(release: () => unknown): void;
}

/** Where a handler may ask for input: what opens its run when it first does. */
export interface InputSite {
  open(): InputRun;
  once(key: string, work: () => unknown, options: OnceOptions<unknown>): Promise<unknown>;
  task(options: TaskOptions): Promise<TaskHandle>;
  returned(): void;
  takeResumed(): Resumed | undefined;
}

/**
 * What whoever serves a request does with it. These are functions and no members of the context, so that its handler
 * cannot call them: the context is the one object that a request has, and the handler gets it as it is.
 *
 * Each throws a TypeError for a context that is no {@link ServedRequest}.
 */
export interface Serving {
  /**
   * How the handler's asks reach a client whose revision takes requests from a server; `undefined` at this revision.
   */
  liveOf(context: RequestContext): LiveAsk | undefined;
  /**
   * Sends a notification that belongs to the request. Answers whether it went out: not after the response, not to a
   * caller who takes none, and not to one who has not read what was sent before.
   */
  notify(context: RequestContext, method: string, params: JsonObject): boolean;
  /** Calls back once when the caller cancels or goes away; at once if it has. */
  onCancelled(context: RequestContext, callback: () => void): void;
  /**
   * Lets the handler ask; whoever serves a method that may answer with a request for input calls it before the handler
   * runs.
   */
  bind(context: RequestContext, site: InputSite): void;
  /** Tells that the handler has returned; whoever serves a method says so before it makes a result of that. */
  returned(context: RequestContext): void;
  /**
   * Ends the handler's part before the handler does: the signal aborts with the reason, and nothing but the response is
   * sent any more.
   */
  end(context: RequestContext, reason: unknown): void;
  /**
   * Lets the handler outlive the request: nothing but the response is sent any more, and once it is, what is answered
   * alone cancels the handler. One whose request has its response already is cancelled: nobody has the task's id.
   */
  detach(context: RequestContext): Cancellation;
  /**
   * Ends the context; the dispatcher calls it before the response is written, with the result that is in it. A handler
   * that outlives a request whose response does not hold its task is cancelled: nobody would ever have the task's id.
   */
  finish(context: RequestContext, result?: Result | Serialised): void;
}

/** The only access to what a context keeps to itself. It is set once, by the class whose private members it reaches. */
export let serving: Serving;

/** One request while it is served: the context that its handler gets. */
export class ServedRequest implements RequestContext {
  readonly principal: Principal | undefined;
  readonly requestId: MessageId;
  readonly #metadata: RequestMetadata;
  #cancellation: Cancellation;
  readonly #send: (method: string, params: JsonObject) => boolean;
  readonly #live: LiveAsk | undefined;
  #site: InputSite | undefined;
  #progress = -Infinity;
  #done = false;
  #isFinished = false;
  #isDetached = false;

  constructor(
    requestId: MessageId,
    metadata: RequestMetadata,
    principal: Principal | undefined,
    cancellation: Cancellation,
    send: (method: string, params: JsonObject) => boolean,
    live?: LiveAsk,
  ) {
    this.requestId = requestId;
    this.#metadata = metadata;
    this.principal = principal;
    this.#cancellation = cancellation;
    this.#send = send;
    this.#live = live;
  }

  static {
    serving = {
      liveOf: (context) => served(context).#live,
      notify(context, method, params) {
        const request = served(context);
        return !request.#closed && request.#send(method, params);
      },
      onCancelled: (context, callback) => served(context).#cancellation.onCancelled(callback),
      bind(context, site) {
        served(context).#site = site;
      },
      returned: (context) => served(context).#site?.returned(),
      end(context, reason) {
        const request = served(context);
        request.#done = true;
        request.#cancellation.release(reason);
      },
      detach(context) {
        const request = served(context);
        const ofRequest = request.#cancellation;
        const own = ofRequest.handOver();
        request.#done = true;
        request.#cancellation = own;
        request.#isDetached = true;
        ofRequest.onCancelled(() => {
          if (!request.#isFinished) own.cancel(ofRequest.reason);
        });
        if (request.#isFinished) own.cancel(unreachable());
        return own;
      },
      finish(context, result) {
        const request = served(context);
        request.#done = true;
        request.#isFinished = true;
        if (request.#isDetached && (result instanceof Serialised || result?.resultType !== 'task'))
          request.#cancellation.cancel(unreachable());
      },
    };
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  get client(): Implementation | undefined {
    return this.#metadata.clientInfo;
  }

  get capabilities(): ClientCapabilities {
    return this.#metadata.clientCapabilities;
  }

  get meta(): JsonObject {
    return this.#metadata.meta;
  }

  get resumed(): Resumed | undefined {
    return this.#site?.takeResumed();
  }

  exchangeToken(audience: string, scopes: readonly string[] = []): Promise<ExchangedToken> {
    return exchangeTokenFor(this.principal, audience, scopes);
  }

  progress(done: number, total?: number, message?: string): void {
    const { progressToken } = this.#metadata;
    if (progressToken === undefined || !Number.isFinite(done) || done <= this.#progress || this.#closed) return;
    this.#progress = done;
    this.#send(notifications.progress.method, {
      progressToken,
      progress: done,
      ...present({
        total: Number.isFinite(total) ? total : undefined,
        message: typeof message === 'string' ? message : undefined,
      }),
    });
  }

  log(level: LoggingLevel, data: unknown, logger?: string): void {
    const { logLevel } = this.#metadata;
    if (logLevel === undefined || !passesLevel(level, logLevel) || this.#closed) return;
    // The member is required, and JSON has no form for a function, a symbol, or what a `toJSON` makes nothing of.
    const json: string | undefined = stringifyJson(data);
    this.#send(notifications.message.method, {
      level,
      data: json === undefined ? null : data,
      ...present({ logger: typeof logger === 'string' ? logger : undefined }),
    });
  }

  elicit<S extends ValueSchema>(key: string, form: FormElicitation<S>): PromiseLike<FormAnswer<Accepted<S>>>;
  elicit(key: string, page: UrlElicitation): PromiseLike<UrlAnswer>;
  elicit(key: string, asked: FormElicitation<ValueSchema> | UrlElicitation): PromiseLike<UrlAnswer> {
    return this.ask<UrlAnswer>(key, 'url' in asked ? urlQuestion(asked) : formQuestion(asked));
  }

  sample(key: string, params: CreateMessageParams): PromiseLike<CreateMessageResult> {
    return this.ask(key, samplingQuestion(params));
  }

  roots(key: string): PromiseLike<readonly Root[]> {
    return this.ask(key, rootsQuestion());
  }

  ask<T>(key: string, question: Question<T>): PromiseLike<T> {
    return this.#run.ask(key, question);
  }

  step<T>(name: string, work: () => T | PromiseLike<T>): Promise<T> {
    return this.#run.step(name, work) as Promise<T>;
  }

  once<T>(key: string, work: () => T | PromiseLike<T>, options: OnceOptions<T> = {}): Promise<T> {
    assertKnownOptions('ctx.once', options, { reconcile: true });
    return this.#asking.once(key, work, options) as Promise<T>;
  }

  task(options: TaskOptions = {}): Promise<TaskHandle> {
    assertKnownOptions('ctx.task', options, { ttlMs: true, pollIntervalMs: true, statusMessage: true });
    return this.#asking.task(options);
  }

  onRoundEnd(release: () => unknown): void {
    this.#run.onRoundEnd(release);
  }

  get #run(): InputRun {
    return this.#asking.open();
  }

  get #asking(): InputSite {
    if (this.#site !== undefined) return this.#site;
    throw new InputError('not-here', 'only handlers of tools, resources and prompts may ask for input or run steps');
  }

  get #closed(): boolean {
    return this.#done || this.#cancellation.cancelled;
  }
}

function unreachable(): DOMException {
  return new DOMException('the task did not reach its caller', 'AbortError');
}

/** A context that something else made has no private members, and reaching for one throws. */
function served(context: RequestContext): ServedRequest {
  return context as ServedRequest;
}
