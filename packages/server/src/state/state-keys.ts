import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base64url } from 'jose';

import { createWithin } from '../timing/within.ts';
import { decodeKeys } from './decode-keys.ts';
import { randomText } from './random-text.ts';

/**
 * Where the keys of request state come from: base64url texts of at least 256 bits each. The first seals; all of them
 * open. It is asked again at most every 30 seconds, beside the requests that need keys, and when a state names a key
 * that is not known. So keys rotate without a restart: add the new key at the end everywhere, then move it to the
 * front, and drop the old one a minute after its states have expired.
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
  /**
   * Answers the key with an id, or `undefined`. Rejects when it is not known and the keys cannot be read: it may be a
   * good one.
   */
  find(id: string): Promise<StateKey | undefined>;
}

const KEY_BYTES = 32;
const REFRESH_MS = 30_000;
/** How old keys may be that a request is served with while they are read again. */
const MAX_AGE_MS = 60_000;
const UNKNOWN_KEY_MS = 1_000;
/** How long a source may take to answer. */
const MAX_READ_MS = 5_000;

/**
 * Makes a ring over a source. `now` is a monotonic clock in milliseconds. After 30 seconds the source is asked again,
 * and the keys of before serve meanwhile; only after a minute in which nobody needed keys are the new ones waited for.
 * When reading fails, also because it takes longer than 5 seconds, the keys of before stay good, `onFailure` is told,
 * and the next attempt comes as late as after a success.
 */
export function createKeyRing(
  source: StateKeySource,
  options: { readonly now: () => number; readonly onFailure: (error: unknown) => void },
): KeyRing {
  const { now, onFailure } = options;
  let keys: readonly StateKey[] | undefined;
  let attempt: { readonly endedAt: number; readonly failure?: unknown } = { endedAt: -Infinity };
  let reading: Promise<readonly StateKey[]> | undefined;
  const within = createWithin(MAX_READ_MS);

  async function read(): Promise<readonly StateKey[]> {
    try {
      keys = parseStateKeys(await within(source()));
      attempt = { endedAt: now() };
    } catch (failure) {
      attempt = { endedAt: now(), failure };
      if (keys === undefined) throw failure;
      onFailure(failure);
    }
    return keys;
  }

  /**
   * Joins the reading that is under way. It is forgotten from outside, after it was kept: one that throws at once ends
   * before that.
   */
  function readAgain(): Promise<readonly StateKey[]> {
    return (reading ??= read().finally(() => (reading = undefined)));
  }

  function current(): readonly StateKey[] | Promise<readonly StateKey[]> {
    const age = now() - attempt.endedAt;
    if (keys !== undefined && age < REFRESH_MS) return keys;
    const next = readAgain();
    return keys !== undefined && age < MAX_AGE_MS ? keys : next;
  }

  async function findUnknown(id: string): Promise<StateKey | undefined> {
    if (now() - attempt.endedAt >= UNKNOWN_KEY_MS) await readAgain();
    const found = keys?.find((key) => key.id === id);
    if (found === undefined && 'failure' in attempt) throw attempt.failure;
    return found;
  }

  return {
    async first() {
      const [first] = await current();
      return first as StateKey;
    },
    async find(id) {
      return (await current()).find((key) => key.id === id) ?? findUnknown(id);
    },
  };
}

/**
 * Parses the keys of a source; `from` says in messages where they came from.
 *
 * @throws TypeError when there is none, or one is not base64url or has less than 256 bits. No key is repeated in the
 *   message.
 */
export function parseStateKeys(texts: readonly string[], from?: string): readonly StateKey[] {
  return decodeKeys(texts, 'request state', from).map((bytes) => ({
    id: base64url.encode(hkdf(sha256, bytes, undefined, ID_LABEL, 6)),
    secret: hkdf(sha256, bytes, undefined, SECRET_LABEL, KEY_BYTES),
  }));
}

const ID_LABEL = new TextEncoder().encode('switchyard request state key id');
const SECRET_LABEL = new TextEncoder().encode('switchyard request state A256GCM');

/** Answers a source of one key that no other process knows, for development: states do not survive a restart. */
export function developmentStateKeys(): StateKeySource {
  const keys = [randomText(KEY_BYTES)];
  return () => keys;
}
