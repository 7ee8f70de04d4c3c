import { type Characters, decodeRange } from './characters.ts';
import type { Varspec } from './parts.ts';

/** The values that a URI gives to a template's variables: a list for an exploded variable, else one text. */
export type TemplateMatch = Record<string, string | string[]>;

/** What one occurrence of a variable got. */
export interface Binding {
  readonly varspec: Varspec;
  readonly value: string | string[];
}

/** A range of a URI's characters. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * Hands out the values of an expression, in order. The first exploded variable takes all of them but one for each
 * variable after it; without one, the last variable takes what is left, separators included. Where values run out, the
 * last variables get none.
 */
export function bindPositions(
  { varspecs, separator }: { readonly varspecs: readonly Varspec[]; readonly separator: number },
  characters: Characters,
  start: number,
  end: number,
): Binding[] {
  const ranges = splitRange(characters, start, end, separator);
  const exploded = varspecs.findIndex(({ explode }) => explode);
  const taker = exploded === -1 ? varspecs.length - 1 : exploded;
  const bindings: Binding[] = [];
  let used = 0;
  for (const [index, varspec] of varspecs.entries()) {
    if (used === ranges.length) break;
    const later = Math.min(varspecs.length - 1 - index, ranges.length - used - 1);
    const size = index === taker ? ranges.length - used - later : 1;
    const taken = ranges.slice(used, used + size);
    const value = varspec.explode
      ? taken.map((range) => decodeRange(characters, range.start, range.end))
      : decodeRange(characters, taken[0]?.start ?? end, taken.at(-1)?.end ?? end);
    bindings.push({ varspec, value });
    used += size;
  }
  return bindings;
}

function splitRange(characters: Characters, start: number, end: number, separator: number): Range[] {
  const ranges: Range[] = [];
  let from = start;
  for (let index = start; index < end; index += 1) {
    if (characters[index] !== separator) continue;
    ranges.push({ start: from, end: index });
    from = index + 1;
  }
  ranges.push({ start: from, end });
  return ranges;
}

/** What is known of a variable: its value, and the same as one text. */
interface Settled {
  readonly value: string | string[];
  readonly text: string;
}

/**
 * Brings all occurrences of all variables together, and answers `undefined` where they contradict: a value that is
 * longer than its prefix allows, or two values of one variable that one value cannot have made. A prefix that stands
 * alone is the value. The record has no prototype, since `__proto__` is a valid name.
 */
export function settleBindings(bindings: readonly Binding[]): TemplateMatch | undefined {
  const settled = new Map<string, Settled>();
  // Whole values first, then from the longest prefix to the shortest, so that each can be checked against what is
  // known.
  const order = bindings.toSorted((a, b) => (b.varspec.maxLength ?? Infinity) - (a.varspec.maxLength ?? Infinity) || 0);
  for (const { varspec, value } of order) {
    const { name, maxLength = Infinity } = varspec;
    const text = typeof value === 'string' ? value : value.join(',');
    if (typeof value === 'string' && takeCharacters(value, maxLength) !== value) return undefined;
    const known = settled.get(name);
    if (known !== undefined && text !== takeCharacters(known.text, maxLength)) return undefined;
    if (known === undefined || Array.isArray(value)) settled.set(name, { value, text });
  }
  const match: TemplateMatch = Object.create(null) as TemplateMatch;
  for (const [name, { value }] of settled) match[name] = value;
  return match;
}

/**
 * The first characters of a text. It reads no more of the text than it takes, since many prefixes may be taken of a
 * long one.
 */
function takeCharacters(text: string, count: number): string {
  if (text.length <= count) return text;
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join('');
}
