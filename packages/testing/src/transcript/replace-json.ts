import { twiceNamed } from '../raw/twice-named.ts';

/** Deepest nesting of JSON that is read. In what is deeper, the parts that are not are read for themselves. */
export const MAX_JSON_DEPTH = 32;

/** How often characters may be looked at: brackets that are never closed are followed from each of them. */
const MIN_LOOKS = 1_000_000;
const LOOKS_PER_CHARACTER = 4;
/** Where JSON may begin that holds other values, also as a text in quotes. */
const OPENING = /[{[]|"(?=\s{0,9}[{[])/g;
/** What JSON may hold besides texts and brackets: blanks, numbers and the letters of its three words. */
const PLAIN = new Set(' \t\r\n,:0123456789+-.Eaeflnrstu');
const TOKEN = /"(?:[^"\\]|\\[^])*"|[{}[\],:]|[^\s"{}[\],:]+/g;
const VALUE = /^["\d-]/;

/**
 * Answers a text in which each JSON object and array, also one in prose, on a line or in a quoted text, is replaced by
 * what `clean` answers for it. Whatever `clean` leaves as it is, blanks, escapes and spellings of numbers included,
 * stays so. Where an object names a member twice, only the last one is kept, with a note. Nesting is read up to
 * {@link MAX_JSON_DEPTH}; takes time in proportion to the text.
 */
export function replaceJson(text: string, clean: (value: unknown) => unknown): string {
  let result = '';
  let kept = 0;
  let looksLeft = MIN_LOOKS + LOOKS_PER_CHARACTER * text.length;
  const opening = new RegExp(OPENING);
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const { at: end, isClosed } = followJson(text, found.index, looksLeft);
    looksLeft -= end - found.index;
    const source = text.slice(found.index, end);
    const value = isClosed ? parse(source) : undefined;
    if (value === undefined) continue;
    result += text.slice(kept, found.index) + rewrite(source, value, clean(value));
    kept = end;
    opening.lastIndex = end;
  }
  return result + text.slice(kept);
}

/** Follows what may be JSON up to where it is closed, or cannot be any. */
function followJson(text: string, from: number, maxChars: number): { at: number; isClosed: boolean } {
  const limit = Math.min(text.length, from + maxChars);
  let depth = 0;
  let at = from;
  for (; at < limit && depth <= MAX_JSON_DEPTH; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOfQuoted(text, at, limit);
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (!PLAIN.has(character)) break;
    if (depth === 0) return { at: at + 1, isClosed: at < limit };
  }
  return { at, isClosed: false };
}

function endOfQuoted(text: string, start: number, limit: number): number {
  let end = start + 1;
  while (end < limit && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end;
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** Writes a cleaned value in the form of its source. */
function rewrite(source: string, value: unknown, cleaned: unknown): string {
  const text = JSON.stringify(cleaned);
  if (twiceNamed(source) !== undefined) return `${text} <names twice>`;
  if (text === JSON.stringify(value)) return source;
  const tokens = text.match(TOKEN) ?? [];
  let index = 0;
  return source.replace(TOKEN, (token) => {
    const other = tokens[index] ?? '';
    index += 1;
    return isSame(token, other) ? token : other;
  });
}

/** Whether two tokens stand for the same, however they are spelled. */
function isSame(token: string, other: string): boolean {
  return token === other || (VALUE.test(token) && VALUE.test(other) && JSON.parse(token) === JSON.parse(other));
}
