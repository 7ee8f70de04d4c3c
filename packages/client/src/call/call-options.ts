import { describeMisfit, type JsonObject, type LoggingLevel, loggingLevel } from '@switchyard/protocol';
import type { PeerContext } from '../peer-context.ts';

/** How far a request has come. `total` and `message` are absent where the server gives none. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** One log message of a server. `data` is any JSON value from outside. */
export interface LogMessage {
  readonly level: LoggingLevel;
  readonly logger?: string;
  readonly data: unknown;
}

/** What may be given with each call. */
export interface CallOptions {
  /** Gives the call up: it rejects with code `aborted` at once, and the server is told. */
  readonly signal?: AbortSignal;
  /** How long the server may be silent, in milliseconds; progress starts it anew. Default: that of the client. */
  readonly timeoutMs?: number;
  /** How long the call may take whatever the progress, in milliseconds. Default: that of the client. */
  readonly maxTimeoutMs?: number;
  /**
   * Whether the server is asked for progress, so that its reports start `timeoutMs` anew. Default: only when
   * `onProgress` is given; `false` lets `timeoutMs` stand even then.
   */
  readonly resetTimeoutOnProgress?: boolean;
  /** Takes the progress of this call. Values may repeat or fall with a server that does not keep the rules. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Takes the server's log messages while this call runs. On stdio a log message names no request, so each
   * running call with this callback gets it.
   */
  readonly onLog?: (message: LogMessage) => void;
  /** Asks for log messages of this level and above; without it a modern server sends none. */
  readonly logLevel?: LoggingLevel;
  /** Further keys of `_meta`, such as `traceparent`. The keys that the client itself sets are ignored. */
  readonly meta?: JsonObject;
}

const MAX_TIMER_MS = 2 ** 31 - 1;

/** Throws a `ClientError` with code `invalid-argument` for options that cannot be meant. */
export function assertCallOptions(context: PeerContext, options: CallOptions): void {
  assertMilliseconds(context, 'timeoutMs', options.timeoutMs);
  assertMilliseconds(context, 'maxTimeoutMs', options.maxTimeoutMs);
  const misfit = options.logLevel === undefined ? undefined : loggingLevel(options.logLevel);
  if (misfit !== undefined) throw context.fail('invalid-argument', `${describeMisfit('logLevel', misfit)}.`);
}

/** Throws a `ClientError` with code `invalid-argument` for a duration that no timer takes. */
export function assertMilliseconds(context: PeerContext, name: string, value: number | undefined): void {
  if (value === undefined || (typeof value === 'number' && value > 0 && value <= MAX_TIMER_MS)) return;
  throw context.fail(
    'invalid-argument',
    `${name} must be a number of milliseconds from 1 to ${MAX_TIMER_MS}, not ${value}.`,
  );
}
