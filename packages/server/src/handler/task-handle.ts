/** How a task begins. */
export interface TaskOptions {
  /**
   * How long the task is kept from now on, in milliseconds; after that it is gone, and its handler is told to stop.
   * Default: the server's.
   */
  readonly ttlMs?: number;
  /** How often the caller should look, in milliseconds. Default: the server's. */
  readonly pollIntervalMs?: number;
  /** What the caller reads of the task until the handler says more; at most 1,000 characters of it. */
  readonly statusMessage?: string;
}

/** How far the work is. */
export interface TaskUpdate {
  /** What the caller reads, a person or a model; at most 1,000 characters of it. */
  readonly statusMessage?: string;
  /** How much is done, growing from call to call, out of `total` in the same unit. */
  readonly progress?: number;
  /** How much there is to do in all; absent where that is not known. */
  readonly total?: number;
  /** How often the caller should look from now on, in milliseconds. */
  readonly pollIntervalMs?: number;
}

/** What a handler holds of its task; for a caller who takes no tasks, of its call. */
export interface TaskHandle {
  /** The id that the caller has; `undefined` when the handler runs inside its call. */
  readonly id: string | undefined;
  /** Aborts when the caller cancels the task, when it expires, and when the server stops. The same as `ctx.signal`. */
  readonly signal: AbortSignal;
  /**
   * Says how far the work is: the status message of the task, or, inside a call, a progress notification to a caller
   * who asked for them. It resolves when whoever looks sees it. What cannot be stored is logged, and the work goes on.
   */
  update(update: TaskUpdate): Promise<void>;
}
