import { NAME_SEPARATOR } from './access-entry.ts';
import { slipsBetween } from './slips-between.ts';

const MAX_WORD_CHARS = 80;
const MAX_CANDIDATES = 5000;

/**
 * Answers the candidates that somebody who wrote `word` may have meant, the likeliest first, at most `limit` of them;
 * none where nothing is near. Only the first 5,000 candidates are looked at.
 *
 * Near means: equal but for case; then few slips of the finger, which is one in three characters after what both begin
 * with, a swap counting once; then one is the beginning or, from four characters on, a part of the other, where a word
 * such as `server__tool` counts with its last part.
 */
export function nearestNames(word: string, candidates: Iterable<string>, limit = 3): readonly string[] {
  if (word === '' || word.length > MAX_WORD_CHARS) return [];
  const written = word.toLowerCase();
  const near: { readonly candidate: string; readonly cost: number }[] = [];
  let looked = 0;
  for (const candidate of candidates) {
    looked += 1;
    if (looked > MAX_CANDIDATES) break;
    const cost = candidate.length > MAX_WORD_CHARS ? Infinity : costOf(written, candidate.toLowerCase());
    if (cost < Infinity) near.push({ candidate, cost });
  }
  return near
    .toSorted((first, second) => first.cost - second.cost)
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** Answers the likeliest of {@link nearestNames}, or undefined where nothing is near. */
export function nearestName(word: string, candidates: Iterable<string>): string | undefined {
  return nearestNames(word, candidates, 1)[0];
}

function costOf(word: string, candidate: string): number {
  if (word === candidate) return 0;
  // What both begin with, often the server, says nothing about how near the rest is.
  const shared = sharedHead(word, candidate);
  const slips = slipsBetween(word.slice(shared), candidate.slice(shared));
  if (slips <= Math.max(1, Math.floor((Math.min(word.length, candidate.length) - shared) / 3))) return slips;
  const part = word.slice(word.lastIndexOf(NAME_SEPARATOR) + 1).replace(/^_/, '');
  return Math.min(costOfPart(word, candidate), costOfPart(part, candidate));
}

function costOfPart(part: string, candidate: string): number {
  const [short, long] = part.length < candidate.length ? [part, candidate] : [candidate, part];
  if (short.length >= 3 && long.startsWith(short)) return 100 + long.length - short.length;
  return short.length >= 4 && long.includes(short) ? 200 + long.length - short.length : Infinity;
}

function sharedHead(first: string, second: string): number {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length += 1;
  return length;
}
