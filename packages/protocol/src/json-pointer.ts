import { clip } from './clip.ts';

const maxShownLength = 200;

/** Writes the keys and indexes that lead to a place as a JSON pointer; none is ''. Spec: RFC 6901, section 3. */
export function encodePointer(tokens: readonly (string | number)[]): string {
  return tokens.map((token) => `/${String(token).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Splits a JSON pointer into its tokens; '' has none. Spec: RFC 6901, section 4. */
export function decodePointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Takes one step into a JSON value: an own member of an object or an item of an array, undefined where there is none.
 */
export function stepInto(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,14})$/.test(token) ? value[Number(token)] : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
  return (value as { readonly [key: string]: unknown })[token];
}

/**
 * Writes a JSON pointer for a sentence: cut after 200 characters, and without the characters that would break a line.
 */
export function showPointer(tokens: readonly string[]): string {
  let pointer = '';
  for (const token of tokens) {
    if (pointer.length > maxShownLength) break;
    pointer += encodePointer([token.slice(0, maxShownLength + 1)]);
  }
  return clip(pointer, maxShownLength + 1).replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '\uFFFD');
}
