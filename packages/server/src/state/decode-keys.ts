import { base64url } from 'jose';

const KEY_BYTES = 32;

/**
 * Answers the bytes of keys that were given as texts; `purpose` says in messages what they are for, and `from` where
 * they came from.
 *
 * @throws TypeError when there is none, or one is not base64url or has less than 256 bits. No key is repeated in the
 *   message.
 */
export function decodeKeys(texts: readonly string[], purpose: string, from?: string): readonly Uint8Array[] {
  const place = from === undefined ? '' : `${from}: `;
  if (!Array.isArray(texts) || texts.length === 0)
    throw new TypeError(`${place}there is no key for ${purpose}: give at least one, 32 random bytes as base64url`);
  return texts.map((text, index) => {
    const which = texts.length === 1 ? `the key for ${purpose}` : `key ${index + 1} for ${purpose}`;
    const bytes = decodeKey(text);
    if (bytes === undefined) throw new TypeError(`${place}${which} is not base64url: ${HOW_TO_MAKE_ONE}`);
    if (bytes.length < KEY_BYTES)
      throw new TypeError(
        `${place}${which} has ${bytes.length * 8} bits; it must have at least 256: ${HOW_TO_MAKE_ONE}`,
      );
    return bytes;
  });
}

const HOW_TO_MAKE_ONE = "make one with `openssl rand -base64 32 | tr '+/' '-_' | tr -d '='`";

/** Answers `undefined` for what is no base64url, also where only its length gives it away. */
function decodeKey(text: unknown): Uint8Array | undefined {
  if (typeof text !== 'string' || !/^[\w-]+$/.test(text)) return undefined;
  try {
    return base64url.decode(text);
  } catch {
    return undefined;
  }
}
