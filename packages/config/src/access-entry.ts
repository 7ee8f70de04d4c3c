/**
 * What stands between a server and its tool or prompt in an exposed name, and so in an access entry: `server__name`.
 */
export const NAME_SEPARATOR = '__';

/** What stands between a server and its URI in an access entry: `server:uri`. */
export const URI_SEPARATOR = ':';

/** One entry of an agent's `allow`, `ask` or `deny`, taken apart. */
export interface AccessEntry {
  readonly kind: 'tool' | 'resource' | 'prompt';
  /** A pattern with `*` for any characters, over `server__name` (tool, prompt) or `server:uri` (resource). */
  readonly pattern: string;
}

/** Takes an access entry apart: `resource:orders:*` is of kind resource; an entry without a prefix is of kind tool. */
export function parseAccessEntry(entry: string): AccessEntry {
  const groups = /^(?<kind>tool|resource|prompt):(?<pattern>[^]*)$/.exec(entry)?.groups;
  const pattern = groups?.['pattern'] ?? entry;
  const kind = groups?.['kind'];
  return { kind: kind === 'resource' || kind === 'prompt' ? kind : 'tool', pattern };
}

/**
 * Answers a test: can a pattern match anything that starts with one of the prefixes, and is longer?
 *
 * Its cost depends on the pattern's length only, so long lists over many servers stay cheap.
 */
export function createPrefixTest(prefixes: Iterable<string>): (pattern: string) => boolean {
  const whole = new Set(prefixes);
  const beginnings = new Set<string>();
  let longest = 0;
  for (const prefix of whole) {
    for (let end = 0; end <= prefix.length; end += 1) beginnings.add(prefix.slice(0, end));
    longest = Math.max(longest, prefix.length);
  }
  return (pattern) => {
    const star = pattern.indexOf('*');
    const head = star < 0 ? pattern : pattern.slice(0, star);
    if (star >= 0 && beginnings.has(head)) return true;
    for (let end = 1; end < pattern.length && end <= Math.min(head.length, longest); end += 1) {
      if (whole.has(pattern.slice(0, end))) return true;
    }
    return false;
  };
}
