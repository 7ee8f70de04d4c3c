import { base64url } from 'jose';
import { TokenStoreError } from './token-store-error.ts';

/** Encrypts texts for the name under which they are kept. */
export interface Seal {
  /** Tells keys apart, and tells nothing of the key: 22 characters. */
  readonly keyId: string;
  /** Answers the encrypted text, which only `open` with the same key and name reads. */
  close(name: string, text: string): Promise<string>;
  /**
   * Answers the text. Rejects with a {@link TokenStoreError}: `wrong-key` where another key encrypted it, `corrupt`
   * where it was changed, cut or kept under another name.
   */
  open(name: string, sealed: string): Promise<string>;
}

/** The length of a key, in bytes. */
export const KEY_BYTES = 32;
const IV_BYTES = 12;
const KEY_ID_BYTES = 16;
const FORM = 'switchyard-sealed-1';

/**
 * Creates a seal: AES-256-GCM with a fresh random nonce for each text. The name, the form and the id of the key are
 * authenticated with it, so that a text cannot be moved to another name. Throws `invalid-argument` unless the key has
 * 32 bytes.
 */
export async function createSeal(key: Uint8Array): Promise<Seal> {
  if (!(key instanceof Uint8Array) || key.length !== KEY_BYTES) {
    throw new TokenStoreError('invalid-argument', `The key of a token store must have ${KEY_BYTES} bytes.`);
  }
  const { subtle } = globalThis.crypto;
  // One key for one purpose: what encrypts and what names the key are both derived from the given one.
  const root = await subtle.importKey('raw', Uint8Array.from(key), 'HKDF', false, ['deriveBits', 'deriveKey']);
  const derivation = (info: string) => ({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: bytesOf(info) });
  const id = await subtle.deriveBits(derivation(`${FORM} key id`), root, KEY_ID_BYTES * 8);
  const keyId = base64url.encode(new Uint8Array(id));
  const aes = { name: 'AES-GCM', length: KEY_BYTES * 8 };
  const cipherKey = await subtle.deriveKey(derivation(`${FORM} encryption`), root, aes, false, ['encrypt', 'decrypt']);
  const additionalData = (name: string): Uint8Array<ArrayBuffer> => bytesOf(`${FORM}\0${keyId}\0${name}`);

  return {
    keyId,
    async close(name, text) {
      const iv = globalThis.crypto.getRandomValues(new Uint8Array(IV_BYTES));
      const parameters = { name: 'AES-GCM', iv, additionalData: additionalData(name) };
      const data = await subtle.encrypt(parameters, cipherKey, bytesOf(text));
      return [FORM, keyId, base64url.encode(iv), base64url.encode(new Uint8Array(data))].join('.');
    },
    async open(name, sealed) {
      const [form, writtenBy, ivText = '', dataText = '', ...more] = sealed.trimEnd().split('.');
      const iv = decode(ivText);
      const data = decode(dataText);
      if (form !== FORM || iv?.length !== IV_BYTES || data === undefined || more.length > 0) throw corrupt();
      if (writtenBy !== keyId) throw wrongKey();
      try {
        const parameters = { name: 'AES-GCM', iv, additionalData: additionalData(name) };
        return new TextDecoder().decode(await subtle.decrypt(parameters, cipherKey, data));
      } catch (cause) {
        throw corrupt(cause);
      }
    },
  };
}

/** The error of what another key encrypted. */
export function wrongKey(): TokenStoreError {
  return new TokenStoreError(
    'wrong-key',
    'The stored tokens were encrypted with another key or passphrase; nothing was changed. Give the one that they ' +
      'were stored with, or log in to another store.',
  );
}

function corrupt(cause?: unknown): TokenStoreError {
  return new TokenStoreError(
    'corrupt',
    'A stored token is damaged or was moved; nothing was changed. Delete it (log out), and log in again.',
    cause === undefined ? undefined : { cause },
  );
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(base64url.decode(text));
  } catch {
    return undefined;
  }
}
