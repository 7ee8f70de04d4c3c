import type { MessageId } from './message.ts';

/** A value, until it is let go. */
interface Held<T> {
  value: T | undefined;
}

/**
 * What is in flight, by message id, oldest first; a string never equals a number. It is used as a `Map` is, which alone
 * would keep in memory what has left it: where entries come and go, V8 gives a map one table after the other, and one
 * that has grown old holds on to the next and to all that stood in it, until the whole heap is collected. At 32 calls in
 * flight that was a third of a client's time. What leaves here is let go at once.
 */
export class InFlight<T extends object> {
  readonly #held = new Map<MessageId, Held<T>>();

  get size(): number {
    return this.#held.size;
  }

  has(id: MessageId): boolean {
    return this.#held.has(id);
  }

  get(id: MessageId): T | undefined {
    return this.#held.get(id)?.value;
  }

  /** Puts a value under an id that none has. */
  set(id: MessageId, value: T): void {
    this.#held.set(id, { value });
  }

  /** Lets a value go; answers whether there was one. */
  delete(id: MessageId): boolean {
    const held = this.#held.get(id);
    if (held === undefined) return false;
    held.value = undefined;
    return this.#held.delete(id);
  }

  /** Lets all go. */
  clear(): void {
    for (const id of this.#held.keys()) this.delete(id);
  }

  keys(): Iterable<MessageId> {
    return this.#held.keys();
  }

  *values(): Iterable<T> {
    for (const { value } of this.#held.values()) if (value !== undefined) yield value;
  }
}
