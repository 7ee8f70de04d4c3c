import { clip } from './clip.ts';

/** Every member of an interface of options, each once: a table that lacks one, or has one too many, does not compile. */
export type KnownOptions<T> = { readonly [K in keyof T]-?: true };

/**
 * Refuses what has no meaning among options, which would pass in silence otherwise. A member that is `undefined` is as good as none.
 * `elsewhere` has the options of functions that are easily taken for this one, by the name of the function.
 *
 * @throws TypeError when it is no object, or names no option; the message says whose it is, or which is the nearest one, or
 *   all of them.
 */
export function assertKnownOptions<T extends object>(
  what: string,
  options: T,
  known: KnownOptions<T>,
  elsewhere: { readonly [owner: string]: object } = {},
): void {
  assertObject(what, options);
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    throw new TypeError(
      `${what}: there is no option ${JSON.stringify(clip(name))}; ${hintFor(name, Object.keys(known), elsewhere)}`,
    );
  }
}

function hintFor(name: string, names: readonly string[], elsewhere: { readonly [owner: string]: object }): string {
  const owner = Object.entries(elsewhere).find(([, options]) => Object.hasOwn(options, name))?.[0];
  if (owner !== undefined) return `that is an option of ${owner}`;
  const near = nearestOf(name, names);
  return near === undefined ? `known are ${names.join(', ')}` : `did you mean ${JSON.stringify(near)}?`;
}

/** @throws TypeError when options or a definition are no object. */
export function assertObject(what: string, given: unknown): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new TypeError(`${what}: an object is needed here, not ${kindOf(given)}`);
}

/** @throws TypeError when a text, such as a name or a URI, is none. */
export function assertText(what: string, given: unknown): asserts given is string {
  if (typeof given !== 'string') throw new TypeError(`${what} must be a text, not ${kindOf(given)}`);
}

/** @throws TypeError when a handler is no function. */
export function assertHandler(what: string, handler: unknown): void {
  if (typeof handler !== 'function')
    throw new TypeError(`${what}: the handler, which comes last, must be a function, not ${kindOf(handler)}`);
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

const MAX_SLIPS = 2;
const MIN_SHARED_CHARS = 3;

/** Answers the name that few slips of the finger lead to, or else the one that begins like the word for the longest. */
function nearestOf(word: string, names: readonly string[]): string | undefined {
  const written = clip(word).toLowerCase();
  let best: { readonly name: string; readonly cost: number } | undefined;
  for (const name of names) {
    const cost = costOf(written, name.toLowerCase());
    if (cost < (best?.cost ?? Infinity)) best = { name, cost };
  }
  return best?.name;
}

function costOf(word: string, name: string): number {
  const shorter = Math.min(word.length, name.length);
  const slips = slipsBetween(word, name);
  if (slips <= Math.min(MAX_SLIPS, Math.floor(shorter / 2))) return slips;
  const shared = sharedHead(word, name);
  if (shared < MIN_SHARED_CHARS || shared * 2 <= shorter) return Infinity;
  // Of two names that share as much with the word, the shorter one adds less to it.
  return MAX_SLIPS + (word.length - shared) + name.length / MAX_NAME_CHARS;
}

const MAX_NAME_CHARS = 1000;

function sharedHead(first: string, second: string): number {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length += 1;
  return length;
}

/** How many letters must be put in, left out, exchanged or swapped with their neighbour (Damerau and Levenshtein). */
function slipsBetween(from: string, to: string): number {
  let before: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    before = last;
    last = next;
  }
  return last[to.length] ?? 0;
}
