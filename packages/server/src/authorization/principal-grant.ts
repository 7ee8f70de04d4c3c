import type { Principal } from '@switchyard/protocol';

import { toEpochMs } from './epoch-time.ts';
import type { ProtectedResource } from './protected-resource.ts';

/** A token that this server got for another resource, in a caller's name. Pass it on to nobody but that resource. */
export interface ExchangedToken {
  /** The token itself, a secret. */
  readonly accessToken: string;
  /** `bearer`, or `dpop` where the authorization server bound it to a key of this server. */
  readonly tokenType: string;
  /** When it ends, in milliseconds since 1970; absent where the authorization server does not say. */
  readonly expiresAtMs?: number;
  /** What it may, where the authorization server says. */
  readonly scopes?: readonly string[];
}

/** What belongs to a principal and is out of a handler's reach. */
export interface PrincipalGrant {
  /** The resource that the principal was admitted to. */
  readonly resource?: ProtectedResource;
  /** How long after its end the principal was still admitted, for clocks that differ. Default 0. */
  readonly clockToleranceMs?: number;
  /**
   * Answers whether the credentials that the principal was admitted by still count. Rejects where that cannot be found
   * out now.
   */
  readonly stillCounts?: () => Promise<boolean>;
  /** Gets a token for another resource in the principal's name. */
  readonly exchange?: (audience: string, scopes: readonly string[]) => Promise<ExchangedToken>;
}

/** By the principal object itself: a copy of one carries nothing, and whoever holds one reads nothing. */
const grants = new WeakMap<Principal, PrincipalGrant>();

/** Answers a frozen principal that has a grant. */
export function grantPrincipal(principal: Principal, grant: PrincipalGrant): Principal {
  const { scopes } = principal;
  const granted = Object.freeze({
    ...principal,
    ...(scopes ? { scopes: Object.freeze([...scopes]) } : {}),
  });
  grants.set(granted, grant);
  return granted;
}

/**
 * Answers a principal that may do the same and has no end of its own, for what goes on under whatever credentials the
 * same caller brings next.
 */
export function withoutEnd(principal: Principal): Principal {
  const { expiresAtMs, ...lasting } = principal;
  const { stillCounts, ...grant } = grantOf(principal);
  return expiresAtMs === undefined && stillCounts === undefined ? principal : grantPrincipal(lasting, grant);
}

/**
 * Answers the principal of an author's own hook as a frozen copy with the resource that it was admitted to, so that no
 * handler changes who the next caller is; one that has a grant as it is.
 *
 * @throws TypeError when its scopes are no list, or its end is no time.
 */
export function admitPrincipal(principal: Principal, resource: ProtectedResource | undefined): Principal {
  if (grants.has(principal)) return principal;
  const { subject, tenant, scopes, clientId, issuer, expiresAtMs } = principal;
  assertPrincipal('the principal that authenticate answered', principal);
  // Members that stand in a class are not copied by a spread.
  const named = Object.entries({ subject, tenant, scopes, clientId, issuer, expiresAtMs });
  const given = Object.fromEntries(named.filter(([, value]) => value !== undefined));
  return grantPrincipal({ ...principal, subject, ...given }, resource === undefined ? {} : { resource });
}

/**
 * @throws TypeError when the scopes of a principal are no list, since a text would hold every scope that is a part of
 *   it, or its end is no time; the message calls it `name`.
 */
export function assertPrincipal(name: string, { scopes, expiresAtMs }: Principal): void {
  if (!Array.isArray(scopes ?? [])) throw new TypeError(`${name}: its scopes must be a list of texts`);
  toEpochMs(`${name}: its expiresAtMs`, expiresAtMs ?? Infinity);
}

/** Answers what belongs to a principal, as far as it was made here. */
export function grantOf(principal: Principal | undefined): PrincipalGrant {
  return (principal === undefined ? undefined : grants.get(principal)) ?? {};
}
