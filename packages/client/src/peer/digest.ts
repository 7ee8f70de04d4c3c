import { sha256 } from '@noble/hashes/sha2.js';

const DIGEST_BYTES = 16;

/**
 * Answers a name for a text that is not shown: the first 128 bits of the SHA-256 digest of `purpose` and the text, as
 * 32 hexadecimal digits. The same text under another purpose has another name, so that names cannot be compared across
 * purposes.
 */
export function digestOf(purpose: string, text: string): string {
  const bytes = sha256(new TextEncoder().encode(`switchyard:${purpose}\n${text}`));
  return Array.from(bytes.subarray(0, DIGEST_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
