/** A list that `compare` keeps in order. Looking up costs O(log n); adding and removing move what comes after. */
export class SortedList<T> {
  readonly #compare: (left: T, right: T) => number;
  #items: T[] = [];

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  /** The index of the first item that is not before `item`. */
  indexOf(item: T): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(this.#items[middle] as T, item) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  at(index: number): T | undefined {
    return this.#items[index];
  }

  add(item: T): void {
    this.#items.splice(this.indexOf(item), 0, item);
  }

  /** Removes the item that compares as equal, where there is one. */
  remove(item: T): void {
    const index = this.indexOf(item);
    const found = this.#items[index];
    if (found !== undefined && this.#compare(found, item) === 0) this.#items.splice(index, 1);
  }

  clear(): void {
    this.#items = [];
  }
}
