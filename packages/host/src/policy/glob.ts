/**
 * Answers whether a pattern, in which `*` stands for any characters, matches the whole text. Each part between two
 * stars is sought once, from where the part before it ended.
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

/**
 * Answers whether some text is matched by both patterns. Where both have a star, only what stands before the first star
 * and after the last one of each can bar it: all that stands between fits one after the other, each time into a star of
 * the other pattern.
 */
export function globsOverlap(first: string, second: string): boolean {
  if (!first.includes('*')) return globMatches(second, first);
  if (!second.includes('*')) return globMatches(first, second);
  const [firstHead, secondHead] = [literalHead(first), literalHead(second)];
  const [firstTail, secondTail] = [literalTail(first), literalTail(second)];
  return (
    (firstHead.startsWith(secondHead) || secondHead.startsWith(firstHead)) &&
    (firstTail.endsWith(secondTail) || secondTail.endsWith(firstTail))
  );
}

function literalHead(pattern: string): string {
  return pattern.slice(0, pattern.indexOf('*'));
}

function literalTail(pattern: string): string {
  return pattern.slice(pattern.lastIndexOf('*') + 1);
}
