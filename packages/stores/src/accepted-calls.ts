import { StoreError } from './store-error.ts';

/** The calls of a store that were accepted before it was closed, so that closing it can wait for them. */
export class AcceptedCalls {
  readonly #what: string;
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  /** `what` names the store in the message of `closed`. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Throws StoreError `closed` once `close` was called. */
  assertOpen(): void {
    if (this.#closing !== undefined) throw new StoreError('closed', `${this.#what} is closed`);
  }

  /** Runs a call unless the store was closed. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    this.assertOpen();
    const running = call();
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Refuses new calls at once, waits for those that run, then calls `release`. A second call is the same call. */
  close(release: () => Promise<void>): Promise<void> {
    this.#closing ??= this.#closeAfterCalls(release);
    return this.#closing;
  }

  async #closeAfterCalls(release: () => Promise<void>): Promise<void> {
    await Promise.allSettled(this.#running);
    await release();
  }
}
