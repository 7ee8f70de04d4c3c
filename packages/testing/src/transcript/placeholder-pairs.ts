import { placeholderPattern } from './placeholders.ts';

/** Placeholders of two transcripts that stand for each other. */
export interface PlaceholderPairs {
  /** Whether two texts are equal when their placeholders, by kind, stand for each other wherever they do here. */
  agree(before: string, after: string): boolean;
}

/**
 * Creates the pairs of one comparison: the second state of one server may be the first of another, but then each always
 * meets the same.
 */
export function createPlaceholderPairs(): PlaceholderPairs {
  const forth = new Map<string, string>();
  const back = new Map<string, string>();
  return {
    agree(before, after) {
      if (!areEqual(before.split(placeholderPattern), after.split(placeholderPattern))) return false;
      const [left, right] = [before.match(placeholderPattern) ?? [], after.match(placeholderPattern) ?? []];
      return left.every((one, index) => {
        const other = right[index] ?? '';
        if ((forth.get(one) ?? other) !== other || (back.get(other) ?? one) !== one) return false;
        forth.set(one, other);
        back.set(other, one);
        return true;
      });
    },
  };
}

/** Whether two texts have the same parts: what stands around their placeholders, and the kind of each. */
function areEqual(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((part, index) => part === right[index]);
}
