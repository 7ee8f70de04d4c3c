import { inThisContext } from '../timing/async-context.ts';

/**
 * A cancellation that costs nothing until somebody looks: most handlers never read their signal, so the
 * `AbortController` behind it is made on first use.
 */
export class Cancellation {
  #controller: AbortController | undefined;
  /** Aborts it, for those who listen, in the async context of whoever looked at the signal first. */
  #abort: ((reason: unknown) => void) | undefined;
  #reason: unknown;
  #cancelled = false;
  #released: { readonly reason: unknown } | undefined;
  #callbacks: Set<() => void> | undefined;
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
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    this.#abort = inThisContext((reason) => controller.abort(reason));
    if (this.#cancelled) controller.abort(this.#reason);
    else if (this.#released !== undefined) controller.abort(this.#released.reason);
    return controller.signal;
  }

  /** Aborts the signal alone. The request is not cancelled: its response still goes out. */
  release(reason: unknown): void {
    this.#released ??= { reason };
    if (!this.#cancelled) this.#abort?.(reason);
  }

  /**
   * Hands the signal and the callbacks to a cancellation of its own, for work that outlives its request; this one is
   * left without.
   */
  handOver(): Cancellation {
    const heir = new Cancellation();
    heir.#controller = this.#controller;
    heir.#abort = this.#abort;
    heir.#callbacks = this.#callbacks;
    heir.#released = this.#released;
    this.#controller = undefined;
    this.#abort = undefined;
    this.#callbacks = undefined;
    if (this.#cancelled) heir.cancel(this.#reason);
    return heir;
  }

  /** Cancels; only the first reason counts. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    this.#abort?.(reason);
    for (const callback of this.#callbacks ?? []) callback();
    this.#callbacks = undefined;
  }

  /**
   * Calls back once when it is cancelled; at once if it is. Answers the function that takes the callback back, for
   * whoever is done with before the request is.
   */
  onCancelled(callback: () => void): () => void {
    if (this.#cancelled) {
      callback();
      return nothingToTakeBack;
    }
    const callbacks = (this.#callbacks ??= new Set());
    callbacks.add(callback);
    return () => void callbacks.delete(callback);
  }
}

function nothingToTakeBack(): void {
  // It was called already.
}
