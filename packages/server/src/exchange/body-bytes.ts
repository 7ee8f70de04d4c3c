const FIRST_CAPACITY_BYTES = 4096;

/**
 * The bytes of a body as they come, at most `maxBytes`. Further chunks are copied together, since a chunk of one byte
 * costs a hundred bytes of memory: whoever sends a body byte by byte must not take more memory than one who sends it at
 * once.
 */
export class BodyBytes {
  readonly #maxBytes: number;
  #held: Uint8Array | undefined;
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Takes the next bytes and answers whether the body is still within its limit; past it, nothing is kept. */
  add(chunk: Uint8Array): boolean {
    const start = this.#length;
    this.#length += chunk.length;
    if (this.#length > this.#maxBytes) {
      this.#held = undefined;
      return false;
    }
    if (start === 0 || this.#held === undefined) this.#held = chunk;
    else this.#append(this.#held, chunk, start);
    return true;
  }

  /** Everything that was added. */
  all(): Uint8Array {
    const held = this.#held;
    if (held === undefined) return new Uint8Array(0);
    return held.length === this.#length ? held : held.subarray(0, this.#length);
  }

  #append(held: Uint8Array, chunk: Uint8Array, start: number): void {
    let target = held;
    if (this.#length > held.length) {
      const doubled = Math.max(this.#length, start * 2, FIRST_CAPACITY_BYTES);
      target = new Uint8Array(Math.min(doubled, this.#maxBytes));
      target.set(held.subarray(0, start));
      this.#held = target;
    }
    target.set(chunk, start);
  }
}
