import { toMilliseconds } from '../limits/milliseconds.ts';
import { randomText } from '../random-text.ts';

/** Nonces that proofs must hold, so that none can be made in advance. Spec: RFC 9449 sections 8 and 9. */
export interface DpopNonces {
  /** The nonce that callers should use now. */
  current(): string;
  /** Answers whether a proof may still hold it. */
  accepts(nonce: string): boolean;
}

/** Options of {@link createDpopNonces}. */
export interface DpopNoncesOptions {
  /** How long a nonce is the current one, in milliseconds; it is accepted for as long again. Default 300,000; at most about 12 days. */
  readonly periodMs?: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly epochNow?: () => number;
  /** Makes a nonce that nobody can guess. Default: 16 random bytes in Base64url. */
  readonly createNonce?: () => string;
}

const NONCE_BYTES = 16;

/**
 * Makes nonces of this process: the current one and the one before it.
 *
 * @throws TypeError when `periodMs` is no number of at least 1.
 */
export function createDpopNonces(options: DpopNoncesOptions = {}): DpopNonces {
  const { epochNow = Date.now, createNonce = () => randomText(NONCE_BYTES) } = options;
  const periodMs = toMilliseconds('periodMs', options.periodMs ?? 300_000, 1);
  let current = createNonce();
  let previous: string | undefined;
  let since = epochNow();

  function turn(): void {
    const age = epochNow() - since;
    if (age < periodMs) return;
    previous = age < 2 * periodMs ? current : undefined;
    current = createNonce();
    since = epochNow();
  }

  return {
    current() {
      turn();
      return current;
    },
    accepts(nonce) {
      turn();
      return nonce === current || nonce === previous;
    },
  };
}
