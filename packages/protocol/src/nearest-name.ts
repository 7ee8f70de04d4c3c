import { clip } from './clip.ts';

const MAX_SLIPS = 2;
const MIN_SHARED_CHARS = 3;
const MAX_NAME_CHARS = 1000;

/** Answers the name that few slips of the finger lead to, or else the one that begins like the word for the longest. */
export function nearestName(word: string, names: readonly string[]): string | undefined {
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
