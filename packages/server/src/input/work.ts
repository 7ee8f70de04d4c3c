/**
 * What `step` and `once` answer: a promise that knows whether somebody awaited it. What fails unheard ends no process,
 * since its round may end before anybody awaits it.
 */
export class Work<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Promise';
  /** What the work is called in errors and the log. */
  readonly what: string;
  readonly #promise: Promise<T>;
  #awaited = false;

  constructor(what: string, promise: Promise<T>) {
    this.what = what;
    this.#promise = promise;
    promise.catch(() => undefined);
  }

  /** Whether somebody awaited it. */
  get awaited(): boolean {
    return this.#awaited;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- `await` asks no native promise, so only this knows who waits.
  then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#awaited = true;
    return this.#promise.then(fulfilled, rejected);
  }

  catch<B = never>(rejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(undefined, rejected);
  }

  finally(settled?: (() => void) | null): Promise<T> {
    this.#awaited = true;
    return this.#promise.finally(settled);
  }
}
