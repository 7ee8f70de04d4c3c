import type { Governed } from './governed.ts';

const MAX_ENTRIES = 20_000;

/**
 * Remembers what `decide` answers for each thing, for policies that read nothing but agent, action and resource. Holds
 * at most 20,000 answers and forgets the oldest first, because names and URIs come from outside.
 */
export function memoizeVerdicts<T>(decide: (governed: Governed) => T): (governed: Governed) => T {
  const answers = new Map<string, T>();
  return (governed) => {
    const key = JSON.stringify([governed.kind, governed.server, governed.name, governed.ownName]);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const answer = decide(governed);
    if (answers.size >= MAX_ENTRIES) {
      const oldest = answers.keys().next();
      if (oldest.done !== true) answers.delete(oldest.value);
    }
    answers.set(key, answer);
    return answer;
  };
}
