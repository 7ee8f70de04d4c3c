import {
  type ClientCapabilities,
  type Implementation,
  type JsonObject,
  type LoggingLevel,
  notifications,
  passesLevel,
  type Principal,
  type RequestMetadata,
  stringifyJson,
} from '@switchyard/protocol';

import type { Cancellation } from './cancellation.ts';
import { present } from './definition/present.ts';

/**
 * What a handler knows about the request that it serves. It holds nothing of earlier requests, and it is dead once the
 * response is sent: progress and log messages after that are dropped. Its methods are called on it: taken out of it
 * (`const { progress } = context`), they throw.
 *
 * Spec: basic/index#meta, basic/patterns/progress, server/utilities/logging (2026-07-28).
 */
export class RequestContext {
  /** Who calls, as the serving side established it; `undefined` when nobody was authenticated. Decide on this alone. */
  readonly principal: Principal | undefined;
  readonly #metadata: RequestMetadata;
  readonly #cancellation: Cancellation;
  readonly #send: (method: string, params: JsonObject) => void;
  #progress = -Infinity;
  #done = false;

  constructor(
    metadata: RequestMetadata,
    principal: Principal | undefined,
    cancellation: Cancellation,
    send: (method: string, params: JsonObject) => void,
  ) {
    this.#metadata = metadata;
    this.principal = principal;
    this.#cancellation = cancellation;
    this.#send = send;
  }

  /** Aborts when the caller cancels or goes away. */
  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  /** Name and version that the client reports of itself: for display, never for a decision. */
  get client(): Implementation | undefined {
    return this.#metadata.clientInfo;
  }

  /** What the client declared on this very request. */
  get capabilities(): ClientCapabilities {
    return this.#metadata.clientCapabilities;
  }

  /** The request's `_meta`, for example with `traceparent`. */
  get meta(): JsonObject {
    return this.#metadata.meta;
  }

  /**
   * Reports progress to a caller that asked for it; otherwise it does nothing. `done` must grow from call to call: a value that
   * does not is dropped. `total` has the same unit; both may be fractions.
   */
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

  /**
   * Sends a log message to a caller that asked for that level; otherwise it does nothing.
   *
   * @deprecated Logging is deprecated in 2026-07-28: write to the server's own log, or use OpenTelemetry.
   */
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

  /** Ends the context; the dispatcher calls it before the response is written. */
  finish(): void {
    this.#done = true;
  }

  get #closed(): boolean {
    return this.#done || this.#cancellation.cancelled;
  }
}
