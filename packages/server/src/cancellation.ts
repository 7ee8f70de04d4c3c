/**
 * A cancellation that costs nothing until somebody looks: most handlers never read their signal, so the `AbortController`
 * behind it is made on first use.
 */
export class Cancellation {
  #controller: AbortController | undefined;
  #reason: unknown;
  #cancelled = false;
  #stopFollowing: (() => void) | undefined;

  /** Answers a cancellation that follows `signal` until it is settled. */
  static following(signal: AbortSignal): Cancellation {
    const cancellation = new Cancellation();
    const cancel = (): void => cancellation.cancel(signal.reason);
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
    cancellation.#stopFollowing = () => signal.removeEventListener('abort', cancel);
    return cancellation;
  }

  /** Ends what follows a signal, which may outlive its requests and would hold on to each of them. */
  settle(): void {
    this.#stopFollowing?.();
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#cancelled && !this.#controller.signal.aborted) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Cancels; only the first reason counts. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
