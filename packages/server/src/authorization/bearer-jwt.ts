import { assertKnownOptions, type KnownOptions, toMilliseconds } from '@switchyard/protocol';
import { decodeJwt, decodeProtectedHeader, errors, type JWTVerifyOptions } from 'jose';

import type { Authenticate } from './authenticate.ts';
import { toTokenAlgorithms } from './algorithms.ts';
import { createServerMetadata, endpointOf } from './authorization-server.ts';
import { createBoundedFetch, type FetchOptions, fetchOptions, monotonicNow } from './bounded-fetch.ts';
import { toClockToleranceMs } from './clock-tolerance.ts';
import { createKeySet } from './key-set.ts';
import type { ProtectedResource } from './protected-resource.ts';
import { toSecureUrl } from './secure-url.ts';
import { toIssuer } from './to-issuer.ts';
import {
  createTokenAuthenticate,
  type RefusedToken,
  type TokenOptions,
  tokenOptions,
  type Verified,
} from './token-authenticate.ts';

/** How JWT access tokens are checked. */
export interface BearerJwtOptions extends TokenOptions, FetchOptions {
  /** The issuer, exactly as tokens name it. Default: the resource's authorization server, where it has one only. */
  readonly issuer?: string;
  /** Where the keys are. Default: as the issuer's metadata says. */
  readonly jwksUri?: string;
  /** Signature algorithms: asymmetric ones only. Default: RS, PS and ES 256 to 512, EdDSA and Ed25519. */
  readonly algorithms?: readonly string[];
  /** Whether a token must have the type `at+jwt` (RFC 9068). Default: `JWT` and no type at all are taken as well. */
  readonly requireAccessTokenType?: boolean;
  /** How long keys are used, in milliseconds: default 600,000. */
  readonly keysMaxAgeMs?: number;
  /** How long after the keys were got an unknown key has them got anew, in milliseconds: default 30,000. */
  readonly keysCooldownMs?: number;
}

const bearerJwtOptions: KnownOptions<BearerJwtOptions> = {
  ...tokenOptions,
  ...fetchOptions,
  issuer: true,
  jwksUri: true,
  algorithms: true,
  requireAccessTokenType: true,
  keysMaxAgeMs: true,
  keysCooldownMs: true,
};

/**
 * Authenticates callers by JWT access tokens that one authorization server signed, without asking it: its keys are
 * fetched once and kept. Tokens of other issuers, and those that are no JWT, are left to another hook of `anyOf`.
 *
 * Spec: basic/authorization#token-handling (2026-07-28); RFC 9068 section 4, RFC 8725.
 *
 * @throws TypeError when an option is unknown or out of range, or a URL is not secure.
 */
export function bearerJwt(resource: ProtectedResource, options: BearerJwtOptions = {}): Authenticate {
  assertKnownOptions('bearerJwt', options, bearerJwtOptions);
  const { epochNow = Date.now, now = monotonicNow, requireAccessTokenType = false } = options;
  const issuer = toIssuer(resource, options.issuer);
  const fetch = createBoundedFetch(options);
  const metadata = createServerMetadata(issuer, fetch, now);
  const jwksUri = options.jwksUri === undefined ? undefined : toSecureUrl('jwksUri', options.jwksUri);
  const keys = createKeySet(
    async () => fetch(jwksUri ?? endpointOf(await metadata(), 'jwks_uri'), { headers: { accept: 'application/json' } }),
    {
      maxAgeMs: toMilliseconds('keysMaxAgeMs', options.keysMaxAgeMs ?? 600_000, 0),
      cooldownMs: toMilliseconds('keysCooldownMs', options.keysCooldownMs ?? 30_000, 0),
      now,
    },
  );
  const verifying: JWTVerifyOptions = {
    issuer,
    algorithms: toTokenAlgorithms(options.algorithms),
    clockTolerance: toClockToleranceMs(options.clockToleranceMs) / 1000,
    requiredClaims: ['exp', 'aud'],
  };

  return createTokenAuthenticate(resource, { ...options, epochNow }, async (token) => {
    const unlike = inspect(token, issuer, requireAccessTokenType);
    if (unlike !== undefined) return unlike;
    try {
      const { payload } = await keys.verify(token, { ...verifying, currentDate: new Date(epochNow()) });
      return { claims: payload } satisfies Verified;
    } catch (error) {
      const refused = toRefused(error);
      if (refused === undefined) throw error;
      return refused;
    }
  });
}

/** What may be said of a token before its signature was checked: that it is not ours to check. */
function inspect(token: string, issuer: string, requireAccessTokenType: boolean): RefusedToken | undefined {
  let type: unknown;
  let claimedIssuer: unknown;
  try {
    type = decodeProtectedHeader(token).typ;
    claimedIssuer = decodeJwt(token).iss;
  } catch {
    return { refused: 'not-a-jwt', foreign: true };
  }
  if (claimedIssuer !== issuer) return { refused: 'other-issuer', foreign: true };
  const kind = typeof type === 'string' ? type.toLowerCase().replace(/^application\//, '') : type;
  // Proofs, ID tokens of some servers and logout tokens are signed by the same keys.
  const isAccessToken = kind === 'at+jwt' || (!requireAccessTokenType && (kind === undefined || kind === 'jwt'));
  return isAccessToken ? undefined : { refused: 'other-token-type' };
}

function toRefused(error: unknown): RefusedToken | undefined {
  if (error instanceof errors.JWTExpired) return { refused: 'expired', claims: error.payload };
  if (error instanceof errors.JWTClaimValidationFailed)
    return {
      refused: error.claim === 'nbf' ? 'not-yet-valid' : error.claim === 'aud' ? 'other-audience' : 'invalid-claims',
      claims: error.payload,
    };
  if (error instanceof errors.JWKSNoMatchingKey) return { refused: 'unknown-key' };
  if (error instanceof errors.JWSSignatureVerificationFailed) return { refused: 'bad-signature' };
  if (error instanceof errors.JOSEAlgNotAllowed) return { refused: 'algorithm' };
  if (
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid
  )
    return { refused: 'malformed-token' };
  return undefined;
}
