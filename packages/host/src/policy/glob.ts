/**
 * Answers whether a pattern, in which `*` stands for any characters, matches the whole text. Linear but for
 * backtracking to the last star.
 */
export function globMatches(pattern: string, text: string): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let resume = 0;
  while (from < text.length) {
    if (pattern[at] === '*') {
      star = at;
      at += 1;
      resume = from;
    } else if (pattern[at] === text[from]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      from = resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** Answers whether some text is matched by both patterns. Costs at most the product of their lengths. */
export function globsOverlap(first: string, second: string): boolean {
  const shared = Math.min(literalHead(first), literalHead(second));
  if (first.slice(0, shared) !== second.slice(0, shared)) return false;
  // reachable[j]: the rest of `first` from i and the rest of `second` from j have a text in common.
  let below: boolean[] = [];
  for (let i = first.length; i >= 0; i -= 1) {
    const row: boolean[] = [];
    for (let j = second.length; j >= 0; j -= 1) {
      if (i === first.length && j === second.length) row[j] = true;
      else if (first[i] === '*') row[j] = below[j] === true || (j < second.length && row[j + 1] === true);
      else if (second[j] === '*') row[j] = row[j + 1] === true || below[j] === true;
      else row[j] = i < first.length && first[i] === second[j] && below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}

function literalHead(pattern: string): number {
  const star = pattern.indexOf('*');
  return star < 0 ? pattern.length : star;
}
