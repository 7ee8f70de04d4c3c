/**
 * What stands between a server and its tool or prompt in an exposed name, and so in an access entry: `server__name`.
 */
export const NAME_SEPARATOR = '__';

/** What stands between a server and its URI in an access entry: `server:uri`. */
export const URI_SEPARATOR = ':';

/**
 * The lists of an agent that say who may call what, in the order in which they win: deny beats ask, ask beats allow.
 */
export const accessLists = ['deny', 'ask', 'allow'] as const;

/** The name of one of the lists. */
export type AccessList = (typeof accessLists)[number];

/** What an access entry can be about, by the prefix that says so. */
export const accessKinds = ['tool', 'resource', 'prompt'] as const;

/** One of the kinds. */
export type AccessKind = (typeof accessKinds)[number];

/** One entry of an access list, taken apart. */
export interface AccessEntry {
  readonly kind: AccessKind;
  /** A pattern with `*` for any characters, over `server__name` (tool, prompt) or `server:uri` (resource). */
  readonly pattern: string;
}

/** Takes an access entry apart: `resource:orders:*` is of kind resource; an entry without a prefix is of kind tool. */
export function parseAccessEntry(entry: string): AccessEntry {
  const kind = accessKinds.find((one) => entry.startsWith(`${one}:`));
  return kind === undefined ? { kind: 'tool', pattern: entry } : { kind, pattern: entry.slice(kind.length + 1) };
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
