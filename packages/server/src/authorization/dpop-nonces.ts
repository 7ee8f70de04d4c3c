import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { assertKnownOptions, type KnownOptions, toMilliseconds } from '@switchyard/protocol';
import { base64url } from 'jose';

import { decodeKeys } from '../state/decode-keys.ts';

/** Nonces that proofs must hold, so that none can be made in advance. Spec: RFC 9449 sections 8 and 9. */
export interface DpopNonces {
  /** The nonce that callers should use now. */
  current(): string;
  /** Answers whether a proof may still hold it. */
  accepts(nonce: string): boolean;
}

/** Options of {@link createDpopNonces}. */
export interface DpopNoncesOptions {
  /**
   * What nonces are made of, base64url texts of at least 256 bits each: the first makes them, those of all are
   * accepted. Instances that serve the same callers need the same ones, or each refuses the nonces of the others. To
   * change them, add the new one at the end everywhere, then move it to the front. Default: one of this process.
   */
  readonly keys?: readonly string[];
  /**
   * How long a nonce is the current one, in milliseconds; it is accepted for as long again, and as long before for an
   * instance whose clock is behind. Default 300,000; at most about 12 days.
   */
  readonly periodMs?: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly epochNow?: () => number;
}

const dpopNoncesOptions: KnownOptions<DpopNoncesOptions> = { keys: true, periodMs: true, epochNow: true };

const KEY_BYTES = 32;
const NONCE_BYTES = 16;

/**
 * Makes nonces of a period of the clock, and accepts those of this period, the one before it and the next one, which an
 * instance with a faster clock gives already. Nothing is kept of them, so that every instance with the same keys knows
 * them all.
 *
 * @throws TypeError when an option is unknown, a key is none or too short, or `periodMs` is no number of at least 1.
 */
export function createDpopNonces(options: DpopNoncesOptions = {}): DpopNonces {
  assertKnownOptions('createDpopNonces', options, dpopNoncesOptions);
  const { epochNow = Date.now } = options;
  const keys =
    options.keys === undefined
      ? [crypto.getRandomValues(new Uint8Array(KEY_BYTES))]
      : decodeKeys(options.keys, 'nonces of DPoP');
  const periodMs = toMilliseconds('periodMs', options.periodMs ?? 300_000, 1);
  let made: { readonly period: number; readonly nonces: readonly string[] } | undefined;

  /** All that are accepted now, the current one first. */
  function nonces(): readonly string[] {
    const period = Math.floor(epochNow() / periodMs);
    if (made?.period !== period)
      made = { period, nonces: [period, period - 1, period + 1].flatMap((of) => keys.map((key) => toNonce(key, of))) };
    return made.nonces;
  }

  return {
    current: () => nonces()[0] as string,
    accepts: (nonce) => nonces().includes(nonce),
  };
}

function toNonce(key: Uint8Array, period: number): string {
  const text = new TextEncoder().encode(`switchyard DPoP nonce ${period}`);
  return base64url.encode(hmac(sha256, key, text).subarray(0, NONCE_BYTES));
}
