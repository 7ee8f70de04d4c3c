import { base64url } from 'jose';

/** Answers a text that nobody can guess: random bytes in Base64url. */
export function randomText(bytes: number): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(bytes)));
}
