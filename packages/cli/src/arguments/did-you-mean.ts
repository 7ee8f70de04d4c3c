import { nearestNames } from '@switchyard/config';

/** Answers the end of a message that names what was probably meant; nothing where nothing is near. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearestNames(word, candidates);
  return near.length === 0 ? '' : ` Did you mean ${near.join(', or ')}?`;
}
