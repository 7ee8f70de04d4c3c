/**
 * An ask that begins when somebody awaits it, at most once. Awaited and unanswered, it never settles: the handler goes no
 * further in this round.
 */
export class Ask<T> implements PromiseLike<T> {
  readonly #begin: () => Promise<T>;
  #answer: Promise<T> | undefined;

  constructor(begin: () => Promise<T>) {
    this.#begin = begin;
  }

  /** Whether somebody awaited it. */
  get awaited(): boolean {
    return this.#answer !== undefined;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- An ask that is never awaited must not be sent, so it is no promise.
  then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.#answer ??= this.#begin();
    return this.#answer.then(fulfilled, rejected);
  }
}
