import { slipsBetween } from '@switchyard/config';

const MAX_CANDIDATES = 5000;
const MAX_WORD_CHARS = 80;

/**
 * Answers the candidates that somebody who wrote `word` may have meant, the likeliest first: those that are equal but for case, then
 * those that are few slips of the finger away, then those that contain the word or its last part.
 */
export function nearestNames(word: string, candidates: readonly string[], limit = 3): readonly string[] {
  if (word === '' || word.length > MAX_WORD_CHARS) return [];
  const written = word.toLowerCase();
  return candidates
    .slice(0, MAX_CANDIDATES)
    .map((candidate) => ({ candidate, cost: costOf(written, candidate.toLowerCase()) }))
    .filter(({ cost }) => cost < Infinity)
    .toSorted((one, other) => one.cost - other.cost || (one.candidate < other.candidate ? -1 : 1))
    .slice(0, limit)
    .map(({ candidate }) => candidate);
}

/** Answers the end of a message that names what was probably meant; nothing where nothing is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearestNames(word, candidates);
  return near.length === 0 ? '' : ` Did you mean ${near.join(', or ')}?`;
}

function costOf(word: string, candidate: string): number {
  if (word === candidate) return 0;
  if (candidate.length <= MAX_WORD_CHARS) {
    // What both begin with, often the server, says nothing about how near the rest is.
    const shared = sharedHead(word, candidate);
    const slips = slipsBetween(word.slice(shared), candidate.slice(shared));
    if (slips <= Math.max(1, Math.floor((Math.min(word.length, candidate.length) - shared) / 3))) return slips;
  }
  const ownName = word.slice(word.lastIndexOf('__') + 1).replace(/^_/, '');
  if (ownName.length >= 3 && candidate.includes(ownName)) return 100 + candidate.length - ownName.length;
  return candidate.length >= 3 && word.includes(candidate) ? 200 + word.length - candidate.length : Infinity;
}

function sharedHead(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
