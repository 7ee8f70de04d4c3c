import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64url } from 'jose';

import { createWithin } from '../limits/within.ts';
import { randomText } from '../random-text.ts';

/**
 * Where the keys of request state come from: base64url texts of at least 256 bits each. The first seals; all of them open. It is asked
 * again at most every 30 seconds and when a state names a key that is not known, so that keys rotate without a restart: add the new
 * key at the end everywhere, then move it to the front, and drop the old one once its states have expired.
 */
export type StateKeySource = () => readonly string[] | Promise<readonly string[]>;

/** One key of the ring. */
export interface StateKey {
  /** What a sealed state names its key by: derived from the key, so that every instance finds it. */
  readonly id: string;
  /** The 256 bits that seal. */
  readonly secret: Uint8Array;
}

/** The keys that a server seals and opens request state with. */
export interface KeyRing {
  /** Answers the key that seals. Rejects with a TypeError while there is no good key. */
  first(): Promise<StateKey>;
  /** Answers the key with an id, or `undefined`. */
  find(id: string): Promise<StateKey | undefined>;
}

const KEY_BYTES = 32;
const REFRESH_MS = 30_000;
const UNKNOWN_KEY_MS = 1_000;
/** How long a source may take to answer. */
const MAX_READ_MS = 5_000;

/**
 * Makes a ring over a source. `now` is a monotonic clock in milliseconds. When reading the source again fails, the keys that were
 * read before stay good, and `onFailure` is told; so it is when that takes longer than 5 seconds.
 */
export function createKeyRing(
  source: StateKeySource,
  options: { readonly now: () => number; readonly onFailure: (error: unknown) => void },
): KeyRing {
  const { now, onFailure } = options;
  let keys: readonly StateKey[] | undefined;
  let readAt = -Infinity;
  let reading: Promise<readonly StateKey[]> | undefined;
  const within = createWithin(MAX_READ_MS);

  async function read(): Promise<readonly StateKey[]> {
    try {
      return (keys = parseStateKeys(await within(source())));
    } catch (error) {
      if (keys === undefined) throw error;
      onFailure(error);
      return keys;
    } finally {
      readAt = now();
      reading = undefined;
    }
  }

  async function fresh(maxAgeMs: number): Promise<readonly StateKey[]> {
    if (keys !== undefined && now() - readAt < maxAgeMs) return keys;
    return (reading ??= read());
  }

  return {
    async first() {
      const [first] = await fresh(REFRESH_MS);
      return first as StateKey;
    },
    async find(id) {
      const known = (await fresh(REFRESH_MS)).find((key) => key.id === id);
      return known ?? (await fresh(UNKNOWN_KEY_MS)).find((key) => key.id === id);
    },
  };
}

/**
 * Parses the keys of a source; `from` says in messages where they came from.
 *
 * @throws TypeError when there is none, or one is not base64url or has less than 256 bits. No key is repeated in the message.
 */
export function parseStateKeys(texts: readonly string[], from?: string): readonly StateKey[] {
  const place = from === undefined ? '' : `${from}: `;
  if (!Array.isArray(texts) || texts.length === 0)
    throw new TypeError(`${place}there is no key for request state: give at least one, 32 random bytes as base64url`);
  return texts.map((text, index) => {
    const which = texts.length === 1 ? 'the key for request state' : `key ${index + 1} for request state`;
    const bytes = decodeKey(text);
    if (bytes === undefined) throw new TypeError(`${place}${which} is not base64url: ${HOW_TO_MAKE_ONE}`);
    if (bytes.length < KEY_BYTES)
      throw new TypeError(
        `${place}${which} has ${bytes.length * 8} bits; it must have at least 256: ${HOW_TO_MAKE_ONE}`,
      );
    return {
      id: base64url.encode(hkdf(sha256, bytes, undefined, ID_LABEL, 6)),
      secret: hkdf(sha256, bytes, undefined, SECRET_LABEL, KEY_BYTES),
    };
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

const ID_LABEL = new TextEncoder().encode('switchyard request state key id');
const SECRET_LABEL = new TextEncoder().encode('switchyard request state A256GCM');

/** Answers a source of one key that no other process knows, for development: states do not survive a restart. */
export function developmentStateKeys(): StateKeySource {
  const keys = [randomText(KEY_BYTES)];
  return () => keys;
}
