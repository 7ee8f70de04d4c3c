import {
  calculateJwkThumbprint,
  EmbeddedJWK,
  errors,
  type JWK,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyResult,
} from 'jose';

import { createWithin } from '../timing/within.ts';
import { dpopAlgorithms } from './algorithms.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import type { ReplaySet } from './replay-set.ts';
import { thumbprint } from './thumbprint.ts';

/** What a proof has to be for. */
export interface ProofExpectation {
  /** The HTTP method of the request. */
  readonly method: string;
  /** The public URL of the endpoint. */
  readonly url: string;
  readonly token: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly keyThumbprint: string;
}

/** How proofs are checked. */
export interface ProofOptions {
  readonly replays: ReplaySet;
  readonly nonces: DpopNonces | undefined;
  readonly clockToleranceMs: number;
  readonly epochNow: () => number;
}

/** Answers why a proof does not count, or `undefined` when it does. */
export type CheckProof = (proof: string | undefined, expected: ProofExpectation) => Promise<string | undefined>;

/** How long after it was made a proof counts. */
const MAX_AGE_MS = 60_000;
/** How long a shared replay set may take. */
const REPLAY_TIMEOUT_MS = 5_000;
const MAX_PROOF_CHARS = 8_192;
const MAX_ID_CHARS = 256;

/**
 * Makes the check of a DPoP proof: one header; type, algorithm and signature by the public key within; method, URL
 * without query, age of at most 60 s, token and key as expected; its nonce, where nonces are asked for; used once. The
 * answer is a reason in words with hyphens; `proof-nonce` means that the current nonce was not in it.
 *
 * Spec: RFC 9449 sections 4.3, 7.1 and 11.1.
 */
export function createCheckProof(options: ProofOptions): CheckProof {
  const { replays, nonces, clockToleranceMs, epochNow } = options;
  const within = createWithin(REPLAY_TIMEOUT_MS);
  return async (proof, expected) => {
    if (proof === undefined) return 'proof-missing';
    // Two headers arrive joined by a comma, which no JWT holds.
    if (proof.length > MAX_PROOF_CHARS || proof.includes(',')) return 'proof-malformed';
    const verified = await verify(proof, new Date(epochNow()), clockToleranceMs);
    if (verified === undefined) return 'proof-invalid';
    const { payload, protectedHeader } = verified;
    const { jti, iat } = payload;
    if (typeof jti !== 'string' || jti === '' || jti.length > MAX_ID_CHARS || typeof iat !== 'number')
      return 'proof-invalid';
    const now = epochNow();
    const madeAt = iat * 1000;
    if (madeAt > now + clockToleranceMs || madeAt < now - MAX_AGE_MS - clockToleranceMs) return 'proof-out-of-time';
    if (payload['htm'] !== expected.method || !isSameUrl(payload['htu'], expected.url))
      return 'proof-of-another-request';
    if (payload['ath'] !== (await thumbprint(expected.token))) return 'proof-of-another-token';
    const key = await calculateJwkThumbprint(protectedHeader.jwk as JWK);
    if (key !== expected.keyThumbprint) return 'proof-of-another-key';
    if (nonces !== undefined && !hasNonce(payload, nonces)) return 'proof-nonce';
    // It counts up to this very millisecond, and is remembered for one more.
    const untilMs = madeAt + MAX_AGE_MS + clockToleranceMs + 1;
    return (await within(replays.add(await thumbprint(`${key} ${jti}`), untilMs))) ? undefined : 'proof-replayed';
  };
}

async function verify(
  proof: string,
  currentDate: Date,
  clockToleranceMs: number,
): Promise<JWTVerifyResult | undefined> {
  try {
    // Its age is checked apart: a proof has no end of its own, and one that it claims must not make it live longer.
    return await jwtVerify(proof, EmbeddedJWK, {
      typ: 'dpop+jwt',
      algorithms: [...dpopAlgorithms],
      currentDate,
      clockTolerance: clockToleranceMs / 1000,
    });
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException)
      return undefined;
    throw error;
  }
}

function hasNonce(payload: JWTPayload, nonces: DpopNonces): boolean {
  return typeof payload['nonce'] === 'string' && nonces.accepts(payload['nonce']);
}

/** Spec: RFC 9449 section 4.3: query and fragment are not compared; what else a request has not is in no URL of one. */
function isSameUrl(claimed: unknown, url: string): boolean {
  return typeof claimed === 'string' && URL.canParse(claimed) && comparable(claimed) === comparable(url);
}

function comparable(text: string): string {
  const url = new URL(text);
  url.search = '';
  url.hash = '';
  return url.href;
}
