/**
 * How a value from a URI may lead a handler where it should not go:
 *
 * - `control`: it holds NUL or another control character, also one of U+0080 to U+009F;
 * - `dots`: one of its segments, between slashes or backslashes, is `..`, with or without the dots and spaces that
 *   Windows drops;
 * - `escape`: decoded once, it still holds an escaped dot, slash, backslash or NUL;
 * - `slash`: it holds a slash, or a backslash.
 */
export type Danger = 'control' | 'dots' | 'escape' | 'slash';

/** All of them. */
export const dangers: readonly Danger[] = ['control', 'dots', 'escape', 'slash'];

/**
 * Which slashes a value may hold: those of a path, those of a relative path, or none. A backslash is in none of them.
 */
export type Slashes = 'path' | 'relative' | 'none';

const CONTROL = /\p{Cc}/u;
const SEPARATOR = /[/\\]/;
const ONLY_DOTS = /^[. ]+$/;
const ESCAPE = /%(?:25)*(?:2e|2f|5c|00)/i;
const refused: { readonly [S in Slashes]: RegExp } = { path: /\\/, relative: /^\/|\\/, none: SEPARATOR };

/** Answers what is dangerous in a decoded value, `admitted` aside, as the end of a sentence; else `undefined`. */
export function findDanger(value: string, slashes: Slashes, admitted: ReadonlySet<Danger>): string | undefined {
  if (CONTROL.test(value) && !admitted.has('control')) return 'holds a control character';
  if (value.includes('..') && !admitted.has('dots') && value.split(SEPARATOR).some(isUpward))
    return 'holds ".." as a path segment';
  if (ESCAPE.test(value) && !admitted.has('escape')) return 'is escaped twice';
  if (!refused[slashes].test(value) || admitted.has('slash')) return undefined;
  return slashes === 'none' ? 'holds an encoded slash or backslash' : 'holds a backslash, or a slash in front';
}

function isUpward(segment: string): boolean {
  return segment.includes('..') && ONLY_DOTS.test(segment);
}

/** What ends a path segment of a URI: a slash or backslash in either spelling, and what divides a template besides. */
const DIVIDER = /[/\\?#;&=,:]|%2f|%5c/i;
const TWO_DOTS = /(?:\.|%2e){2}/i;

/**
 * Answers how many path segments of a URI, as it was sent, are `..`. Values that are harmless alone may make one
 * together, with each other or with the words between them, and a handler may put together again what the template took
 * apart.
 */
export function countUpward(uri: string): number {
  if (!TWO_DOTS.test(uri)) return 0;
  return uri.replaceAll(/%2e/gi, '.').replaceAll('%20', ' ').split(DIVIDER).filter(isUpward).length;
}
