import {
  type CallToolResult,
  type CreateTaskResult,
  describeMisfit,
  type InputRequiredResult,
  type JsonObject,
  type Method,
  type MethodName,
  methods,
  type Notification,
  type ResultOf,
  type Revision,
} from '@switchyard/protocol';
import type { HeaderFields, Principal } from '../message/connection.ts';
import type { Deadline } from '../timing/deadline.ts';
import type { InputAnswerer } from '../input/input-answerer.ts';
import { readInputRequired, type RoundsOptions, sendInRounds } from '../input/rounds.ts';
import { wasNotExecuted } from '../negotiate/era-doubt.ts';
import type { SessionKeeper } from '../negotiate/session-keeper.ts';
import { ClientError, withEffect } from '../peer/client-error.ts';
import type { PeerContext } from '../peer/peer-context.ts';
import type { SendOptions, Session } from '../session/session.ts';
import { readToolAnswer } from './read-tool-answer.ts';
import type { CallOptions } from './call-options.ts';
import { createRelay, type Relay } from './create-relay.ts';
import { readResult } from './read-result.ts';
import type { Hold } from '../timing/hold.ts';
import type { LocalWork } from '../timing/local-work.ts';

/**
 * Sends one request of a call with the headers that repeat its arguments; where it was refused for them, it may send the
 * same once more.
 */
export type SendMinted = (send: (headers: HeaderFields | undefined) => Promise<JsonObject>) => Promise<JsonObject>;

/** One call of the caller, which may take several requests, one after the other. */
export interface Call {
  readonly session: Session;
  /** Aborts when nobody waits for the call any more; never once its result was handed over. */
  readonly signal: AbortSignal;
  /** Runs what is done with the result before that. */
  readonly local: LocalWork;
  /**
   * Sends one request under the call's options and answers its complete, checked result. What the server asks for
   * meanwhile is answered in rounds; while somebody thinks about it, the limits of the call stand still.
   */
  request<M extends MethodName>(method: M, params: JsonObject, minted?: SendMinted): Promise<ResultOf<M>>;
  /** The same for `tools/call` of a caller who takes tasks: the result may stand for one. */
  requestOrTask(params: JsonObject, minted?: SendMinted): Promise<CallToolResult | CreateTaskResult>;
  /** Sends one request and answers its complete, checked result, or the one that asks for input, unanswered. */
  round<M extends MethodName>(
    method: M,
    params: JsonObject,
    minted?: SendMinted,
  ): Promise<ResultOf<M> | InputRequiredResult>;
  /** The same for `tools/call` of a caller who takes tasks. */
  roundOrTask(
    params: JsonObject,
    minted?: SendMinted,
  ): Promise<CallToolResult | CreateTaskResult | InputRequiredResult>;
  /** Calls back each time that {@link request} has its result; the last watcher counts. */
  watchAnswers(onAnswer: () => void): void;
  /** How often requests of this call were sent again with answers or a state; such a result is not to be cached. */
  rounds(): number;
  /** In whose name the requests of this call were sent whose answers came; empty where the connection cannot tell. */
  sentAs(): ReadonlySet<Principal>;
  /** How much is left of the total limit, in milliseconds; the time that somebody thought does not count. */
  totalLeftMs(): number;
  /** Tells a legacy server that the roots changed. */
  rootsChanged(): Promise<void>;
  /** As `server/discover`, asked or remembered. */
  discover(): Promise<ResultOf<'server/discover'>>;
}

/** What all calls of a client share. */
export interface CallSurroundings {
  readonly context: PeerContext;
  readonly keeper: SessionKeeper;
  /** Answers what the server asks for. */
  readonly input: InputAnswerer;
  /** How often one request may ask. */
  readonly maxRounds: number;
}

const NOBODY: ReadonlySet<Principal> = new Set();

/** One call while it runs. */
export class RunningCall implements Call, RoundsOptions {
  readonly context: PeerContext;
  readonly input: InputAnswerer;
  readonly maxRounds: number;
  readonly #keeper: SessionKeeper;
  readonly #deadline: Deadline;
  readonly #options: CallOptions;
  /** Most calls get no notification. */
  #relay: Relay | undefined;
  #session: Session;
  #rounds = 0;
  #sentAs: Set<Principal> | undefined;
  #onAnswer: (() => void) | undefined;
  #hasEnded = false;

  constructor(
    { context, keeper, input, maxRounds }: CallSurroundings,
    { deadline, options, session }: { deadline: Deadline; options: CallOptions; session: Session },
  ) {
    this.context = context;
    this.input = input;
    this.maxRounds = maxRounds;
    this.#keeper = keeper;
    this.#deadline = deadline;
    this.#options = options;
    this.#session = session;
  }

  get session(): Session {
    return this.#session;
  }

  get revision(): Revision {
    return this.#session.facts.revision;
  }

  get signal(): AbortSignal {
    return this.#deadline.signal;
  }

  get closing(): AbortSignal {
    return this.#keeper.closing;
  }

  get local(): LocalWork {
    return this.#deadline.local;
  }

  get hold(): Hold {
    return this.#deadline.hold;
  }

  onRound(): void {
    this.#rounds += 1;
  }

  request<M extends MethodName>(method: M, params: JsonObject, minted?: SendMinted): Promise<ResultOf<M>> {
    return this.#inRounds(method, params, minted, (received) => {
      const result = readResult(this.context, method, received);
      this.#onAnswer?.();
      return result;
    });
  }

  requestOrTask(params: JsonObject, minted?: SendMinted): Promise<CallToolResult | CreateTaskResult> {
    return this.#inRounds('tools/call', params, minted, (received) =>
      readToolAnswer(this.context, this.#session, received),
    );
  }

  async round<M extends MethodName>(
    method: M,
    params: JsonObject,
    minted?: SendMinted,
  ): Promise<ResultOf<M> | InputRequiredResult> {
    const result = await this.#once(method, params, minted);
    const asks = result['resultType'] === 'input_required' && (methods[method] as Method).mayRequireInput;
    return asks === true ? readInputRequired(this.context, method, result) : readResult(this.context, method, result);
  }

  async roundOrTask(
    params: JsonObject,
    minted?: SendMinted,
  ): Promise<CallToolResult | CreateTaskResult | InputRequiredResult> {
    const result = await this.#once('tools/call', params, minted);
    return result['resultType'] === 'input_required'
      ? readInputRequired(this.context, 'tools/call', result)
      : readToolAnswer(this.context, this.#session, result);
  }

  watchAnswers(onAnswer: () => void): void {
    this.#onAnswer = onAnswer;
  }

  rounds(): number {
    return this.#rounds;
  }

  sentAs(): ReadonlySet<Principal> {
    return this.#sentAs ?? NOBODY;
  }

  totalLeftMs(): number {
    return this.#deadline.totalLeftMs();
  }

  rootsChanged(): Promise<void> {
    return this.#deadline.step('rootsChanged', async () => this.#session.rootsChanged?.(this.signal));
  }

  discover(): Promise<ResultOf<'server/discover'>> {
    return this.#deadline.step('server/discover', async () =>
      readResult(this.context, 'server/discover', await this.#session.discover(this.#sending(undefined))),
    );
  }

  /** Nothing that still comes belongs to anybody. */
  end(): void {
    this.#hasEnded = true;
    this.#relay?.end(this.signal.aborted ? 'forget' : 'deliver');
  }

  #inRounds<T>(
    method: MethodName,
    params: JsonObject,
    minted: SendMinted | undefined,
    read: (received: JsonObject) => T,
  ): Promise<T> {
    assertParams(this.context, method, params);
    return sendInRounds(this, method, params, { send: (sent) => this.#inEra(method, sent, minted), read });
  }

  async #once(method: MethodName, params: JsonObject, minted: SendMinted | undefined): Promise<JsonObject> {
    assertParams(this.context, method, params);
    try {
      return await this.#inEra(method, params, minted);
    } catch (error) {
      // In the round before, the server came as far as its question.
      throw isLaterRound(params) && error instanceof ClientError ? withEffect(error, true) : error;
    }
  }

  /**
   * Where a server of another era than it was refuses a request, it is sent once more in the form of that era, headers of
   * its arguments included. A call that may have had an effect is not: it ends at once, and the session is renewed for
   * the next one. Nor is a later round, whose state means nothing there.
   */
  async #inEra(method: MethodName, params: JsonObject, minted: SendMinted | undefined): Promise<JsonObject> {
    try {
      return await this.#minted(method, params, minted);
    } catch (error) {
      const renewal = this.#keeper.reconsider(this.#session, error, this.signal);
      const { isRepeatable = method !== 'tools/call' } = this.#options;
      if (!isRepeatable && !wasNotExecuted(this.#session, error)) throw error;
      const other = await this.#deadline.step(method, () => renewal);
      if (other === undefined || (isLaterRound(params) && other.era !== this.#session.era)) throw error;
      this.#session = other;
    }
    return this.#minted(method, params, minted);
  }

  #minted(method: MethodName, params: JsonObject, minted: SendMinted | undefined): Promise<JsonObject> {
    if (minted === undefined) return this.#send(method, params, undefined);
    return minted((headers) => this.#send(method, params, headers));
  }

  /** Sends under the idle limit. */
  async #send(method: MethodName, params: JsonObject, headers: HeaderFields | undefined): Promise<JsonObject> {
    this.#deadline.begin(method);
    try {
      return await this.#session.send(method, params, this.#sending(headers));
    } finally {
      this.#deadline.finish();
    }
  }

  readonly #take = (notification: Notification): void => {
    if (this.#hasEnded) return;
    this.#relay ??= createRelay(this.context, this.#options, () => {
      if (this.#options.resetTimeoutOnProgress !== false) this.#deadline.extend();
    });
    this.#relay.take(notification);
  };

  readonly #noteSender = (principal: Principal): void => {
    this.#sentAs ??= new Set();
    this.#sentAs.add(principal);
  };

  #sending(argumentHeaders: HeaderFields | undefined): SendOptions {
    const { onProgress, resetTimeoutOnProgress, logLevel, meta, isRepeatable } = this.#options;
    return {
      signal: this.signal,
      wantsProgress: resetTimeoutOnProgress === true || onProgress !== undefined,
      logLevel,
      meta,
      isRepeatable,
      timeLeftMs: this.#deadline.leftMs,
      onNotification: this.#take,
      hold: this.hold,
      argumentHeaders,
      onSentAs: this.#noteSender,
    };
  }
}

function isLaterRound(params: JsonObject): boolean {
  return 'inputResponses' in params || 'requestState' in params;
}

function assertParams(context: PeerContext, name: MethodName, params: JsonObject): void {
  const method: Method = methods[name];
  const misfit = method.params(params);
  if (misfit !== undefined) throw context.fail('invalid-argument', `${name}: ${describeMisfit('params', misfit)}.`);
}
