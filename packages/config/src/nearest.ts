const MAX_WORD_CHARACTERS = 64;
const MAX_CANDIDATES = 1000;

/**
 * The candidate that somebody who wrote `word` most likely meant, or undefined where none is near.
 *
 * Near means: equal but for case; few slips of the finger (one in three characters, a swap counts once); or one is the
 * beginning or, from four characters on, a part of the other.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word === '' || word.length > MAX_WORD_CHARACTERS) return undefined;
  const written = word.toLowerCase();
  let best: string | undefined;
  let bestCost = Infinity;
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen > MAX_CANDIDATES) break;
    const cost = candidate.length > MAX_WORD_CHARACTERS ? Infinity : costOf(written, candidate.toLowerCase());
    if (cost < bestCost) {
      best = candidate;
      bestCost = cost;
    }
  }
  return best;
}

function costOf(word: string, candidate: string): number {
  if (word === candidate) return 0;
  const slips = slipsBetween(word, candidate);
  if (slips <= Math.max(1, Math.floor(Math.min(word.length, candidate.length) / 3))) return slips;
  const [short, long] = word.length < candidate.length ? [word, candidate] : [candidate, word];
  if (short.length >= 3 && long.startsWith(short)) return 100 + long.length - short.length;
  if (short.length >= 4 && long.includes(short)) return 200 + long.length - short.length;
  return Infinity;
}

/** The optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours. */
function slipsBetween(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const differs = one[row - 1] === other[column - 1] ? 0 : 1;
      let slips = Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, (last[column - 1] ?? 0) + differs);
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (swapped) slips = Math.min(slips, (beforeLast[column - 2] ?? 0) + 1);
      current.push(slips);
    }
    beforeLast = last;
    last = current;
  }
  return last[other.length] ?? 0;
}
