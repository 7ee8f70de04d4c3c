// The last character before the padding has no bits that decode to nothing.
const BASE64 = /^[A-Za-z0-9+/]*(?:[AQgw]==|[AEIMQUYcgkosw048]=)?$/;
const BASE64URL = /^[A-Za-z0-9_-]*$/;
const CHUNK_BYTES = 8192;

/** What a runtime of ES2026 has, about a hundred times as fast as the way over a text. */
interface NativeEncoder {
  toBase64?(): string;
}

/** Encodes bytes as padded Base64. Spec: RFC 4648 section 4. */
export function encodeBase64(bytes: Uint8Array): string {
  const native = (bytes as NativeEncoder).toBase64?.();
  return native ?? encodeThroughText(bytes);
}

/** Encodes bytes where the runtime has no method for it. */
export function encodeThroughText(bytes: Uint8Array): string {
  let binary = '';
  // One argument a byte: chunks keep the call below the engine's limit of arguments. Spreading them would take seven
  // times as long.
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
    const chunk = bytes.subarray(start, start + CHUNK_BYTES);
    binary += Reflect.apply(String.fromCharCode, undefined, chunk) as string;
  }
  return btoa(binary);
}

/**
 * Answers whether `encodeBase64` can have written a text: no foreign character, no whitespace, no missing or surplus
 * padding, no set trailing bits. Spec: RFC 4648 sections 3.5 and 4.
 */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && BASE64.test(text);
}

/**
 * Decodes what {@link isBase64}, and answers `undefined` to everything else. Two texts never decode to the same bytes.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!isBase64(text)) return undefined;
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Encodes bytes as Base64url without padding. Spec: RFC 4648 section 5. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Decodes unpadded Base64url as strictly as `decodeBase64`; padding is a foreign character. Spec: RFC 4648 section 5.
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!BASE64URL.test(text)) return undefined;
  const padding = '='.repeat((4 - (text.length % 4)) % 4);
  return decodeBase64(text.replaceAll('-', '+').replaceAll('_', '/') + padding);
}
