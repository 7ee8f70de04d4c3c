import type { Logger } from '@switchyard/protocol';

import type { CompiledValueSchema } from '../schema/value-schema.ts';
import type { Deadlines } from '../timing/deadlines.ts';
import type { Interceptor } from './interceptor.ts';

/** What interceptors run with. */
export interface InterceptSite {
  /** End interceptors that run too long; their time limit is `timeoutMs`. */
  readonly deadlines: Deadlines;
  readonly timeoutMs: number;
  /** It must not throw. */
  readonly logger: Logger;
}

/** The interceptors of one server, first one outermost. */
export interface Interception {
  readonly interceptors: readonly Interceptor[];
  /** Answers the output schema of a tool of that server, if there are both. */
  outputOf(tool: string): CompiledValueSchema | undefined;
}
