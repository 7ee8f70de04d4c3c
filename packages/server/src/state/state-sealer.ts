import { isJsonObject, type JsonObject } from '@switchyard/protocol';
import { base64url, CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';

import type { KeyRing } from './state-keys.ts';

/** Longest sealed state in characters, which are bytes on the wire: 64 KiB. */
export const MAX_SEALED_CHARS = 64 * 1024;

/** Seals what a request carries from one round to the next, so that its client can neither read nor change it. */
export interface StateSealer {
  /** Answers the sealed text; it may be longer than {@link MAX_SEALED_CHARS}, which is for the caller to refuse. */
  seal(payload: JsonObject): Promise<string>;
  /**
   * Answers what was sealed, or `undefined` for a text that no key of the ring sealed, or of which any byte was
   * changed. Rejects when the keys cannot be read, which says nothing of the text.
   */
  open(sealed: string): Promise<JsonObject | undefined>;
}

const ALGORITHM = 'dir';
const ENCRYPTION = 'A256GCM';

/** Makes a sealer: JWE compact, direct encryption with AES-256-GCM, the key named by its id. */
export function createStateSealer(keys: KeyRing): StateSealer {
  return {
    async seal(payload) {
      const { id, secret } = await keys.first();
      return new CompactEncrypt(new TextEncoder().encode(JSON.stringify(payload)))
        .setProtectedHeader({ alg: ALGORITHM, enc: ENCRYPTION, kid: id })
        .encrypt(secret);
    },
    async open(sealed) {
      if (sealed.length > MAX_SEALED_CHARS || !isCanonical(sealed)) return undefined;
      const id = keyIdOf(sealed);
      const key = id === undefined ? undefined : await keys.find(id);
      if (key === undefined) return undefined;
      try {
        const { plaintext } = await compactDecrypt(sealed, key.secret, {
          keyManagementAlgorithms: [ALGORITHM],
          contentEncryptionAlgorithms: [ENCRYPTION],
        });
        const payload: unknown = JSON.parse(new TextDecoder().decode(plaintext));
        return isJsonObject(payload) ? payload : undefined;
      } catch {
        // Whatever was wrong with it, the sender learns no more than that it does not open.
        return undefined;
      }
    },
  };
}

/** The key that a text says it is sealed with, which nobody vouches for yet. */
function keyIdOf(sealed: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(sealed) as { readonly kid?: unknown };
    return typeof kid === 'string' ? kid : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Whether each part is the one base64url text of its bytes: the last character of a part has bits that decoding drops,
 * so a changed text could open.
 */
function isCanonical(sealed: string): boolean {
  const parts = sealed.split('.');
  return parts.length === 5 && parts.every((part) => /^[\w-]*$/.test(part) && reencoded(part) === part);
}

function reencoded(part: string): string | undefined {
  try {
    return base64url.encode(base64url.decode(part));
  } catch {
    return undefined;
  }
}
