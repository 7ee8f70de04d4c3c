import { clip } from './clip.ts';

const maxShownLength = 200;

/** Writes a key or an index as one token of a JSON pointer (RFC 6901). */
export function escapeToken(key: string | number): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Splits a JSON pointer into its tokens; '' has none. */
export function pointerTokens(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Takes one step into a JSON value: an own member of an object or an item of an array, undefined where there is none. */
export function stepInto(value: unknown, token: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d{0,14})$/.test(token) ? value[Number(token)] : undefined;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
  return (value as { readonly [key: string]: unknown })[token];
}

/** Writes a JSON pointer for a sentence: cut after 200 characters, and without the characters that would break a line. */
export function showPointer(tokens: readonly string[]): string {
  let pointer = '';
  for (const token of tokens) {
    if (pointer.length > maxShownLength) break;
    pointer += `/${escapeToken(token.slice(0, maxShownLength + 1))}`;
  }
  return clip(pointer, maxShownLength + 1).replaceAll(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '\uFFFD');
}
