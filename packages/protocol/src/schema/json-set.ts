type Charge = (steps: number) => void;

/**
 * A set of JSON values under the equality of JSON Schema: 1 and 1.0 are equal, 0 and -0 too, members in any order.
 *
 * `charge` is told the steps that a lookup takes. Recursive: a value that is nested too deep for the stack throws a
 * RangeError.
 */
export class JsonSet {
  readonly #scalars = new Set<unknown>();
  readonly #keys = new Set<string>();
  readonly #charge: Charge;

  constructor(values: readonly unknown[], charge: Charge) {
    this.#charge = () => undefined;
    for (const value of values) this.add(value);
    this.#charge = charge;
  }

  /** Adds a value; says whether it was not yet there. */
  add(value: unknown): boolean {
    if (!isComposite(value)) return addTo(this.#scalars, value);
    return addTo(this.#keys, this.#key(value));
  }

  has(value: unknown): boolean {
    if (!isComposite(value)) return this.#scalars.has(value);
    return this.#keys.size > 0 && this.#keys.has(this.#key(value));
  }

  #key(value: object): string {
    const key = jsonKey(value);
    this.#charge(key.length);
    return key;
  }
}

function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function addTo<T>(set: Set<T>, value: T): boolean {
  const { size } = set;
  return set.add(value).size > size;
}

function jsonKey(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (!isComposite(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(jsonKey).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonKey(member)}`).join(',')}}`;
}
