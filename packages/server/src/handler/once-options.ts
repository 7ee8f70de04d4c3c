/** Options of `ctx.once`. */
export interface OnceOptions<T> {
  /**
   * Finds out what came of an earlier run whose process died inside, for example by asking the system that the effect
   * was on, and answers its value; what it answers or throws is recorded. It begins once the earlier run gave no sign
   * of life for 30 seconds, and for 15 more while this one watched. Without it such a run is an `unknown-outcome` for
   * good.
   */
  readonly reconcile?: () => T | PromiseLike<T>;
}
