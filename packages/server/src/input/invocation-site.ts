import type { CreateTaskResult, JsonObject, Logger, MethodName, Result } from '@switchyard/protocol';

import type { Effects } from '../effects/once.ts';
import type { SingleUse } from '../effects/single-use.ts';
import type { Deadlines } from '../timing/deadlines.ts';
import type { LiveAsk } from '../handler/live-ask.ts';
import type { RequestContext } from '../handler/request-context.ts';
import type { RequestState } from '../state/request-state.ts';
import type { TaskHandle, TaskOptions } from '../handler/task-handle.ts';
import type { InputRequired } from '../handler/input-required.ts';
import type { RequestSubject, ServedDefinition } from './request-binding.ts';

/** What an invocation needs of the server. */
export interface InvocationSite {
  /** How a journal travels; `undefined` where the author chose to have none. */
  readonly state: RequestState | undefined;
  /** Whom states and effects are for. */
  readonly audience: string;
  /** What runs effects once, and holds states to a single use; `undefined` without a store. */
  readonly effects: Effects | undefined;
  readonly singleUse: SingleUse | undefined;
  /** Makes a task of a call and answers its handle; for a caller who takes no tasks, that of the call itself. */
  readonly handOver: (call: TaskCall, options: TaskOptions) => Promise<TaskHandle>;
  /** Ends handlers that run too long. */
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  /** Names asks that were never awaited. */
  readonly development: boolean;
  /** It must not throw. */
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  epochNow(): number;
}

/** A method whose handler may ask for input, as the server defines it. */
export interface InputMethodDefinition<S> {
  readonly method: MethodName;
  /**
   * What is defined as a request arrives: it is served by this, and bound to it, to its end, whatever the author
   * changes meanwhile.
   */
  readonly snapshot: () => S;
  /** What a request is for. Members that the method does not have are its caller's to choose, and count for nothing. */
  readonly subjectOf: (params: JsonObject) => RequestSubject;
  /** Serves one run. */
  readonly serve: (defined: S, params: JsonObject, context: RequestContext) => Promise<Result | InputRequired>;
  /** What a request for this name is served by; empty for one that nobody defined. */
  readonly definitionsOf: (defined: S, name: string) => readonly ServedDefinition[];
  /** Answers what the caller gets whose handler threw, or throws it. */
  readonly failed: (name: string, thrown: unknown, context: RequestContext) => Result;
  /** Answers what the caller gets who was asked too often, or whose request ran too long; or throws it. */
  readonly giveUp: (message: string) => Result;
}

/** A call whose handler wants to go on as a task. */
export interface TaskCall {
  readonly context: RequestContext;
  readonly tool: string;
  readonly scopes: readonly string[] | undefined;
  /**
   * Whether its round is over, or ends with questions: no task begins then, and the handler comes back here in the next
   * round.
   */
  isEnding(): boolean;
  /** Puts what the handler asks from now on into the task; `undefined`: to the caller again. */
  askIn(task: LiveAsk | undefined): void;
  /**
   * Answers the call with its task; what becomes of the handler goes to `goOn` from then on. Answers false, and does
   * nothing, when the call has its answer already.
   */
  become(
    created: CreateTaskResult,
    goOn: { readonly complete: (result: Result | Promise<Result>) => void; readonly fail: (error: unknown) => void },
  ): boolean;
}
