import { StoreError } from './store-error.ts';

// With the `u` flag a surrogate matches only where it stands alone.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/**
 * Asserts that `text` has at most `maxChars` UTF-16 code units and that every database keeps it unchanged: well-formed
 * Unicode without U+0000. JSON text from `JSON.stringify` always is. `what` names the text in the message.
 *
 * Throws StoreError `too-large` or `corrupt`.
 */
export function assertStorable(what: string, text: string, maxChars: number): void {
  if (text.length > maxChars) {
    throw new StoreError('too-large', `${what} has ${text.length} characters; the limit is ${maxChars}`);
  }
  if (UNSTORABLE.test(text)) {
    throw new StoreError('corrupt', `${what} holds U+0000 or half of a surrogate pair; escape it as JSON does`);
  }
}

/** Asserts what `assertStorable` does and that `name`, a key or a stream name, is not empty (StoreError `corrupt`). */
export function assertStorableName(what: string, name: string, maxChars: number): void {
  if (name.length === 0) throw new StoreError('corrupt', `${what} is empty`);
  assertStorable(what, name, maxChars);
}
