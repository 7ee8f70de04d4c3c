import type { Governed } from './governed.ts';

const MAX_ENTRIES = 20_000;
const MAX_KEY_CHARS = 512;

/**
 * Remembers what `decide` answers for each thing, for policies that read nothing but agent, action and resource. The
 * answer for an object that was seen before, such as a catalog's, is remembered as long as the object lives. By name,
 * it holds at most 20,000 answers and forgets the oldest first, because names and URIs come from outside; for the same
 * reason it remembers none for a thing whose names are long, over 512 characters together.
 */
export function memoizeVerdicts<T>(decide: (governed: Governed) => T): (governed: Governed) => T {
  const seen = new WeakMap<Governed, T>();
  const answers = new Map<string, T>();
  return (governed) => {
    let known = seen.get(governed);
    if (known === undefined) {
      known = byName(governed);
      seen.set(governed, known);
    }
    return known;
  };

  function byName(governed: Governed): T {
    const key = JSON.stringify([governed.kind, governed.server, governed.name, governed.ownName]);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const decided = decide(governed);
    if (key.length > MAX_KEY_CHARS) return decided;
    if (answers.size >= MAX_ENTRIES) {
      const oldest = answers.keys().next();
      if (oldest.done !== true) answers.delete(oldest.value);
    }
    answers.set(key, decided);
    return decided;
  }
}
