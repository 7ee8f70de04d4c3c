import {
  assertKnownOptions,
  describeMisfit,
  type JsonObject,
  type KnownOptions,
  type LoggingLevel,
  loggingLevel,
  traceForms,
} from '@switchyard/protocol';
import { assertMilliseconds } from '../timing/assert-limits.ts';
import { quoted } from '../peer/excerpt.ts';
import type { PeerContext } from '../peer/peer-context.ts';

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
   * Whether a tool call changes nothing when it is sent twice, so that it may be sent again by itself after HTTP 429 or
   * 503 or a broken connection. Default: it may not, and ends with code `outcome-unknown` where its answer is lost.
   * Every other method is repeatable.
   */
  readonly isRepeatable?: boolean;
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
  /**
   * Asks for log messages of this level and above; without it a modern server sends none. A legacy server is not told: of
   * what it sends, those below are left out.
   */
  readonly logLevel?: LoggingLevel;
  /**
   * Whether an answer that the cache has may be given: `default`, while it is fresh; `reload`, never, but what comes is
   * kept; `no-store`, never, and nothing is kept. For methods whose answers are never kept it means nothing.
   */
  readonly cache?: 'default' | 'reload' | 'no-store';
  /**
   * How long ago an answer may have become stale, in milliseconds, to stand in where the server cannot be asked: it
   * cannot be reached, is silent, ends, answers 429 or 5xx, or breaks the protocol. The answer then has `isStale`, and
   * there is a warning. Default: none stands in.
   */
  readonly staleOnErrorMs?: number;
  /**
   * Further keys of `_meta`, such as `traceparent`. The keys that the client itself sets are ignored. What stands under
   * `traceparent`, `tracestate` or `baggage` and has not the form of the W3C fails with code `invalid-argument`.
   */
  readonly meta?: JsonObject;
}

const callOptions: KnownOptions<CallOptions> = {
  signal: true,
  timeoutMs: true,
  maxTimeoutMs: true,
  isRepeatable: true,
  resetTimeoutOnProgress: true,
  onProgress: true,
  onLog: true,
  logLevel: true,
  cache: true,
  staleOnErrorMs: true,
  meta: true,
};

/**
 * Throws a `ClientError` with code `invalid-argument` for options that cannot be meant, and a `TypeError` for those that
 * there are not.
 */
export function assertCallOptions(context: PeerContext, options: CallOptions): void {
  assertKnownOptions('options of a call', options, callOptions);
  assertMilliseconds(context, 'timeoutMs', options.timeoutMs);
  assertMilliseconds(context, 'maxTimeoutMs', options.maxTimeoutMs);
  assertStaleness(context, options.staleOnErrorMs);
  assertCacheMode(context, options.cache);
  assertTrace(context, options.meta);
  const misfit = options.logLevel === undefined ? undefined : loggingLevel(options.logLevel);
  if (misfit !== undefined) throw context.fail('invalid-argument', `${describeMisfit('logLevel', misfit)}.`);
}

const cacheModes: ReadonlySet<string | undefined> = new Set([undefined, 'default', 'reload', 'no-store']);

function assertCacheMode(context: PeerContext, mode: CallOptions['cache']): void {
  if (cacheModes.has(mode)) return;
  throw context.fail('invalid-argument', `cache must be default, reload or no-store, not ${JSON.stringify(mode)}.`);
}

/** No timer waits for it, so that it may be as long as one likes. */
function assertStaleness(context: PeerContext, staleOnErrorMs: number | undefined): void {
  if (staleOnErrorMs === undefined || (typeof staleOnErrorMs === 'number' && staleOnErrorMs >= 0)) return;
  const given = quoted(String(staleOnErrorMs));
  throw context.fail('invalid-argument', `staleOnErrorMs must be a number of 0 or more milliseconds, not ${given}.`);
}

/** Spec: basic/index#meta (2026-07-28): the keys of a trace have the form of the W3C. */
function assertTrace(context: PeerContext, meta: JsonObject | undefined): void {
  if (meta === undefined) return;
  for (const [key, hasForm] of traceForms) {
    const value = meta[key];
    if (value === undefined || hasForm(value)) continue;
    throw context.fail(
      'invalid-argument',
      `meta.${key} has not the form that the W3C gives it; nothing was sent. Leave it out, or hand on a valid one.`,
    );
  }
}
