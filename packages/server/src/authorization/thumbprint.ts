import { base64url } from 'jose';

/** Answers the SHA-256 digest of bytes, or of a text in UTF-8, in Base64url: the form of `ath` and of thumbprints. */
export async function thumbprint(of: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof of === 'string' ? new TextEncoder().encode(of) : of;
  return base64url.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}
