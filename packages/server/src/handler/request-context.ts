import type {
  ClientCapabilities,
  CreateMessageParams,
  CreateMessageResult,
  Implementation,
  JsonObject,
  LoggingLevel,
  MessageId,
  Principal,
  Root,
} from '@switchyard/protocol';

import type { ExchangedToken } from '../authorization/principal-grant.ts';
import type { Accepted, ValueSchema } from '../schema/value-schema.ts';
import type { FormAnswer, FormElicitation, UrlAnswer, UrlElicitation } from './elicitation.ts';
import type { OnceOptions } from './once-options.ts';
import type { Question } from './question.ts';
import type { Resumed } from './resumed.ts';
import type { TaskHandle, TaskOptions } from './task-handle.ts';

/**
 * What a handler knows about the request that it serves. It holds nothing of earlier requests, and it is dead once the
 * response is sent: progress and log messages after that are dropped. Its methods are called on it: taken out of it
 * (`const { progress } = context`), they throw.
 *
 * Spec: basic/index#meta, basic/patterns/progress, server/utilities/logging (2026-07-28).
 */
export interface RequestContext {
  /** Who calls, as the serving side established it; `undefined` when nobody was authenticated. Decide on this alone. */
  readonly principal: Principal | undefined;
  /** The JSON-RPC id of the request: the client's choice, and unique only among its running requests. */
  readonly requestId: MessageId;
  /** Name and version that the client reports of itself: for display, never for a decision. */
  readonly client: Implementation | undefined;
  /** What the client declared on this very request. */
  readonly capabilities: ClientCapabilities;
  /** The request's `_meta`, for example with `traceparent`. */
  readonly meta: JsonObject;
  /**
   * Aborts when the caller cancels or goes away, and with the reason `suspended` when the round ended with a request
   * for input: this run of the handler goes no further, and the next round runs it from the top. In a task: see
   * {@link task}.
   */
  readonly signal: AbortSignal;
  /**
   * What an explicit `inputRequired` of the round before kept, with the answers to it; `undefined` in the first round.
   */
  readonly resumed: Resumed | undefined;
  /**
   * Gets an access token for another resource in the caller's name, which also names this server (RFC 8693): the
   * caller's own token is out of reach, and may not be passed on. It is cached until shortly before it ends. Needs the
   * option `exchange` of the authentication hook.
   *
   * Spec: basic/authorization/security-considerations#access-token-privilege-restriction (2026-07-28).
   *
   * @throws (as a rejection) TokenExchangeError when the caller was not authenticated by a token, no exchange was set
   *   up, or the authorization server refuses or does not answer.
   */
  exchangeToken(audience: string, scopes?: readonly string[]): Promise<ExchangedToken>;
  /**
   * Reports progress to a caller that asked for it; otherwise it does nothing. `done` must grow from call to call: a
   * value that does not is dropped. `total` has the same unit; both may be fractions.
   */
  progress(done: number, total?: number, message?: string): void;
  /**
   * Sends a log message to a caller that asked for that level; otherwise it does nothing.
   *
   * @deprecated Logging is deprecated in 2026-07-28 and may go from 2027-07-28 on: write to the server's own log, or
   * use OpenTelemetry.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void;
  /**
   * Asks the user to fill in a form, or to open a page. Awaited, it answers what the user did; unanswered, the handler
   * goes no further in this round: the response asks the client, and on the retry the handler runs again from the top,
   * where this ask answers at once. So nothing before it may have an effect that must not repeat: put slow work into
   * `step` and effects into `once`.
   *
   * Code after an unanswered ask does not run, `catch` and `finally` included; release what is held with `onRoundEnd`.
   * Asks that are awaited together (`Promise.all`) are sent together. In `Promise.race` an already settled branch wins,
   * a timer never does. `key` is unique in one run, and stands for one question. A user may decline or cancel: look at
   * `action`. To a client of a legacy revision the handler runs once, and the ask waits for the answer like any other
   * promise.
   *
   * A client that did not declare the kind of elicitation gets -32021, an answer that breaks the schema -32602. At most
   * `maxRounds` rounds (10) for one request.
   *
   * Spec: client/elicitation, basic/patterns/mrtr (2026-07-28).
   *
   * @throws InputError `not-here` outside of tools, resources and prompts; `key`, `question`.
   */
  elicit<S extends ValueSchema>(key: string, form: FormElicitation<S>): PromiseLike<FormAnswer<Accepted<S>>>;
  /** Asks the user to open a page, as the other form of `elicit` asks with a form. */
  elicit(key: string, page: UrlElicitation): PromiseLike<UrlAnswer>;
  /**
   * Asks the client's model. Rounds, keys and errors are those of {@link elicit}.
   *
   * Spec: client/sampling (2026-07-28).
   *
   * @deprecated Sampling is deprecated in 2026-07-28 and may go from 2027-07-28 on: call a model provider of your own
   * from the handler.
   * @throws InputError `question` when the messages break a rule of the protocol.
   */
  sample(key: string, params: CreateMessageParams): PromiseLike<CreateMessageResult>;
  /**
   * Asks for the folders that the client works in. Rounds, keys and errors are those of {@link elicit}.
   *
   * Spec: client/roots (2026-07-28).
   *
   * @deprecated Roots are deprecated in 2026-07-28 and may go from 2027-07-28 on: take folders as arguments, as
   * resource URIs, or from the server's configuration.
   */
  roots(key: string): PromiseLike<readonly Root[]>;
  /** Asks what a question says: {@link elicit}, {@link sample} and {@link roots} are made of it. */
  ask<T>(key: string, question: Question<T>): PromiseLike<T>;
  /**
   * Runs a piece of work once for all rounds of the request: its value is journaled in the request state and answered
   * from there when the handler runs again. The value is its JSON copy from the first round on, and at most 16 KiB of
   * it. What the work throws is journaled, too, and thrown again as an error of the same name and message (`ToolError`,
   * `ProtocolError` and `InputError` as they are).
   *
   * A round does not end while a step runs, so an ask inside of it is refused unless it is answered. A step is run at
   * least once: when the process dies, or the client repeats a round, it runs again. Effects that must not repeat take
   * `once`. `name` is unique in one run.
   *
   * @throws InputError `key` when the name was used in this run, `value` when JSON cannot hold the value or it is too
   *   large.
   */
  step<T>(name: string, work: () => T | PromiseLike<T>): Promise<T>;
  /**
   * Runs an effect at most once for this caller, this handler and `key`, over all rounds, processes and restarts that
   * share the server's `records`, and answers its outcome to whoever comes later: the value as its JSON copy (at most
   * 64 KiB), or what it threw, thrown again. A caller who comes while it runs waits. Choose a key that names the effect
   * (an order number), not the attempt.
   *
   * The outcome is kept for `effectRetentionMs` of the server. When a process died inside the work, it is not run
   * again: `reconcile` finds out what came of it, and without it the outcome stays unknown.
   *
   * @throws InputError `store` when the server has no `records`, `conflict` when the key was used with other arguments
   *   of the request, `unknown-outcome` when whoever ran it died inside; StoreError when the store does not answer.
   */
  once<T>(key: string, work: () => T | PromiseLike<T>, options?: OnceOptions<T>): Promise<T>;
  /**
   * Turns the call into a task: its caller gets a handle at once, and the handler goes on after the call, with its
   * result, its error and what it asks from here on in the task. A caller who takes no tasks, and every client of a
   * legacy revision, waits for the end of the handler as before. The tool's definition says that it makes tasks:
   * `task: 'optional'`, or `'required'`. A second call answers the same handle. Await it: a handler that ends before it
   * has the handle makes no task.
   *
   * From then on `signal` aborts when the task is cancelled or expires, and no more with the request; progress and log
   * messages are dropped (`update` of the handle says how far the work is); an ask waits for its answer like any other
   * promise, and a form that was filled in wrongly is asked again. What is asked before is answered first, in rounds of
   * the call.
   *
   * The task is in the server's `records` before its caller hears of it, so any instance answers for it; without
   * `records` it is in the memory of this process. The handler itself lives in this process: when that dies, the task
   * has `failed` after 30 seconds at most. The result may have 500,000 characters as JSON; answer a resource link for
   * more.
   *
   * Spec: SEP-2663 (extension `io.modelcontextprotocol/tasks`).
   *
   * @throws InputError `not-here` outside of a tool that makes tasks; TypeError for a time out of range; ProtocolError
   *   -32603 when as many tasks run or are kept as may; StoreError when the store does not answer.
   */
  task(options?: TaskOptions): Promise<TaskHandle>;
  /**
   * Calls back when this run of the handler ends, however it does: with a result, an error, or a request for input
   * after which none of its code runs. What it throws is logged.
   */
  onRoundEnd(release: () => unknown): void;
}
