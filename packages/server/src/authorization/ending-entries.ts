/** Entries that end, by their keys, and no more of them than a bound. */
export class EndingEntries<T> {
  readonly #maxEntries: number;
  readonly #endOf: (entry: T) => number;
  readonly #entries = new Map<string, T>();
  /** None ends before: until then it is of no use to look for ones that have ended. */
  #earliestMs = Infinity;

  /** `endOf` answers when an entry ends, in milliseconds since 1970. */
  constructor(maxEntries: number, endOf: (entry: T) => number) {
    this.#maxEntries = maxEntries;
    this.#endOf = endOf;
  }

  /** The entry of a key, which may have ended. */
  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  /** Sets an entry; answers false, and sets none, when as many others as there may be still count at `now`. */
  set(key: string, entry: T, now: number): boolean {
    if (!this.#entries.has(key) && !this.#hasRoom(now)) return false;
    this.#entries.set(key, entry);
    this.#earliestMs = Math.min(this.#earliestMs, this.#endOf(entry));
    return true;
  }

  #hasRoom(now: number): boolean {
    if (this.#entries.size >= this.#maxEntries && this.#earliestMs <= now) this.#dropEnded(now);
    return this.#entries.size < this.#maxEntries;
  }

  #dropEnded(now: number): void {
    this.#earliestMs = Infinity;
    for (const [key, entry] of this.#entries) {
      const end = this.#endOf(entry);
      if (end <= now) this.#entries.delete(key);
      else this.#earliestMs = Math.min(this.#earliestMs, end);
    }
  }
}
