/** What an ask does when somebody awaits it. */
export interface Asking<T> {
  /** Puts the question; called once. What it answers may never settle. */
  begin(): Promise<T>;
  /** Answers what one who awaits the answer gets. */
  hand(answer: Promise<T>): Promise<T>;
}

/**
 * An ask that begins when somebody awaits it, at most once. Awaited and unanswered, it never settles: the handler goes
 * no further in this round.
 */
export class Ask<T> implements PromiseLike<T> {
  readonly #asking: Asking<T>;
  #answer: Promise<T> | undefined;

  constructor(asking: Asking<T>) {
    this.#asking = asking;
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
    this.#answer ??= this.#asking.begin();
    return this.#asking.hand(this.#answer).then(fulfilled, rejected);
  }
}
