import { slipsBetween } from './slips-between.ts';

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
