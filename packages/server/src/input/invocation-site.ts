import type { JsonObject, Logger, MethodName, Result } from '@switchyard/protocol';

import type { Effects } from '../effects/once.ts';
import type { SingleUse } from '../effects/single-use.ts';
import type { Deadlines } from '../limits/deadlines.ts';
import type { RequestContext } from '../dispatch/request-context.ts';
import type { RequestState } from '../state/request-state.ts';
import type { Tasks } from '../tasks/create-tasks.ts';
import type { InputRequired } from './input-required.ts';
import type { ServedDefinition } from './request-binding.ts';

/** What an invocation needs of the server. */
export interface InvocationSite {
  /** How a journal travels; `undefined` where the author chose to have none. */
  readonly state: RequestState | undefined;
  /** Whom states and effects are for. */
  readonly audience: string;
  /** What runs effects once, and holds states to a single use; `undefined` without a store. */
  readonly effects: Effects | undefined;
  readonly singleUse: SingleUse | undefined;
  /** Where calls go on that outlive their requests. */
  readonly tasks: Tasks;
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
export interface InputMethodDefinition {
  readonly method: MethodName;
  /** Serves one run. */
  readonly serve: (params: JsonObject, context: RequestContext) => Promise<Result | InputRequired>;
  /** What the request is served by; empty for a name that nobody defined. */
  readonly definitionsOf: (params: JsonObject) => readonly ServedDefinition[];
  /** Answers what the caller gets who was asked too often, or whose request ran too long; or throws it. */
  readonly giveUp: (message: string) => Result;
}
