import { sha256 } from '@noble/hashes/sha2.js';
import { ProtocolError } from '@switchyard/protocol';
import canonicalize from 'canonicalize';
import { base64url } from 'jose';

/**
 * Answers the SHA-256 digest of a JSON value, whatever the order of its members, in 43 characters of base64url.
 *
 * @throws Error for what has no canonical form: half of a surrogate pair.
 */
export function digestOf(value: unknown): string {
  return digestOfText(canonicalize(value) ?? '');
}

/**
 * Answers the digest of a part of a request, which errors call `what`.
 *
 * @throws ProtocolError -32602 when it holds half of a surrogate pair, which has no canonical form.
 */
export function digestOfReceived(what: string, value: unknown): string {
  try {
    return digestOf(value);
  } catch (cause) {
    throw new ProtocolError('invalidParams', `The ${what} hold text that is not well-formed Unicode`, { cause });
  }
}

/** Answers the SHA-256 digest of a text in 43 characters of base64url. */
export function digestOfText(text: string): string {
  return base64url.encode(sha256(new TextEncoder().encode(text)));
}
