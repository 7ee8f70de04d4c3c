import { clip, type JsonObject, type KnownOptions, type Principal } from '@switchyard/protocol';

import type { CallerFacts } from './security-event.ts';
import type { ProtectedResource } from './protected-resource.ts';
import { canonicalResource } from './canonical-resource.ts';
import { readScopes } from './scopes.ts';

/** Which claims say who calls. */
export interface CallerClaims {
  /**
   * Audiences of which a token must name one, exactly. Default: the resource's canonical URL, in any spelling of scheme
   * and host.
   */
  readonly audience?: readonly string[];
  /** The claim that is the subject. Default `sub`. */
  readonly subjectClaim?: string;
  /** The claim that is the tenant; a token without it is refused. Default: callers have no tenant. */
  readonly tenantClaim?: string;
  /** Claims that hold scopes, of which the first that is there counts. Default `scope`, then `scp`. */
  readonly scopeClaims?: readonly string[];
}

/** The members of {@link CallerClaims}. */
export const callerClaims: KnownOptions<CallerClaims> = {
  audience: true,
  subjectClaim: true,
  tenantClaim: true,
  scopeClaims: true,
};

/** The clock of a check, and how far it may be off. */
export interface TokenClock {
  /** Milliseconds since 1970. */
  readonly epochNow: () => number;
  readonly clockToleranceMs: number;
}

/**
 * Makes the function that answers who a token speaks for, or in words with hyphens why it does not count: its times,
 * its id, its audience, its subject and its tenant.
 *
 * Spec: basic/authorization/security-considerations#token-audience-binding-and-validation (2026-07-28).
 */
export function createReadCaller(
  resource: ProtectedResource,
  options: CallerClaims,
  clock: TokenClock,
): (claims: JsonObject) => Principal | string {
  const { audience, subjectClaim = 'sub', tenantClaim, scopeClaims = ['scope', 'scp'] } = options;
  const own = canonicalResource(resource.resource);
  const isOwn =
    audience === undefined
      ? (named: string): boolean => canonicalResource(named) === own
      : (named: string): boolean => audience.includes(named);

  return (claims) => {
    const { exp, nbf, aud, iss, jti, client_id: clientId, azp } = claims;
    const now = clock.epochNow();
    if (exp !== undefined && typeof exp !== 'number') return 'invalid-claims';
    if (nbf !== undefined && typeof nbf !== 'number') return 'invalid-claims';
    // Under another name than a text it could not be revoked.
    if (jti !== undefined && typeof jti !== 'string') return 'invalid-claims';
    if (exp !== undefined && exp * 1000 + clock.clockToleranceMs <= now) return 'expired';
    if (nbf !== undefined && nbf * 1000 - clock.clockToleranceMs > now) return 'not-yet-valid';
    const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
    if (!audiences.some((named) => typeof named === 'string' && isOwn(named))) return 'other-audience';
    const subject = claims[subjectClaim];
    if (typeof subject !== 'string' || subject === '') return 'no-subject';
    const tenant = tenantClaim === undefined ? undefined : claims[tenantClaim];
    if (tenantClaim !== undefined && (typeof tenant !== 'string' || tenant === '')) return 'no-tenant';
    const client = clientId ?? azp;
    return {
      subject,
      scopes: readScopes(scopeClaims.map((claim) => claims[claim]).find((claim) => claim !== undefined)),
      ...(typeof tenant === 'string' ? { tenant } : {}),
      ...(typeof client === 'string' ? { clientId: client } : {}),
      ...(typeof iss === 'string' ? { issuer: iss } : {}),
      ...(exp === undefined ? {} : { expiresAtMs: exp * 1000 }),
    };
  };
}

const MAX_FACT_CHARS = 256;

/** Answers what security events may say of a caller. */
export function factsOfCaller({ subject, tenant }: Principal): CallerFacts {
  return {
    subject: clip(subject, MAX_FACT_CHARS),
    ...(tenant === undefined ? {} : { tenant: clip(tenant, MAX_FACT_CHARS) }),
  };
}

/** Answers what security events may say of a token. */
export function factsOf(claims: JsonObject | undefined): CallerFacts | undefined {
  if (claims === undefined) return undefined;
  const facts = {
    subject: claims['sub'],
    clientId: claims['client_id'],
    issuer: claims['iss'],
    tokenId: claims['jti'],
  };
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, clip(value, MAX_FACT_CHARS)]] : [],
    ),
  );
}
