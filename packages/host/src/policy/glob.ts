/**
 * Answers whether a pattern, in which `*` stands for any characters, matches the whole text. Each part between two stars
 * is sought once, from where the part before it ended.
 */
export function globMatches(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === text;
  const lastStar = pattern.lastIndexOf('*');
  const tail = pattern.slice(lastStar + 1);
  const end = text.length - tail.length;
  if (end < star || !text.startsWith(pattern.slice(0, star)) || !text.endsWith(tail)) return false;
  if (star === lastStar) return true;
  let from = star;
  for (const part of pattern.slice(star + 1, lastStar).split('*')) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}

/** Answers whether some text is matched by both patterns. Costs at most the product of their lengths. */
export function globsOverlap(first: string, second: string): boolean {
  const shared = Math.min(literalHead(first), literalHead(second));
  if (first.slice(0, shared) !== second.slice(0, shared)) return false;
  // below[j]: the rest of `first` from i + 1 and the rest of `second` from j have a text in common; row[j]: from i.
  let below = new Uint8Array(second.length + 2);
  let row = new Uint8Array(second.length + 2);
  for (let i = first.length; i >= 0; i -= 1) {
    // Beyond either end there is no character, which equals no star and no character of the other.
    const one = first[i];
    for (let j = second.length; j >= 0; j -= 1) {
      const other = second[j];
      if (one === undefined && other === undefined) row[j] = 1;
      else if (one === '*' || other === '*') row[j] = (below[j] ?? 0) | (row[j + 1] ?? 0);
      else row[j] = one === other ? (below[j + 1] ?? 0) : 0;
    }
    [below, row] = [row, below];
  }
  return below[0] === 1;
}

function literalHead(pattern: string): number {
  const star = pattern.indexOf('*');
  return star < 0 ? pattern.length : star;
}
