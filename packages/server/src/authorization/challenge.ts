import { dpopAlgorithms } from './algorithms.ts';
import type { ProtectedResource } from './protected-resource.ts';

/** What a challenge of the scheme `Bearer` or `DPoP` says. */
export interface ChallengeFacts {
  /** A code of RFC 6750 section 3.1 or RFC 9449; absent where the request carried no credentials. */
  readonly error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope' | 'invalid_dpop_proof' | 'use_dpop_nonce';
  /** One sentence; characters that a quoted string would have to escape are left out. */
  readonly description?: string;
  /** The scopes that the request takes. Default: those that the resource asks for first. */
  readonly scopes?: readonly string[];
}

/**
 * Answers one challenge as it stands in `WWW-Authenticate`. Each parameter stands once; `resource_metadata` is there
 * where the resource is known.
 *
 * Spec: basic/authorization#scope-challenge-handling (2026-07-28); RFC 6750 section 3, RFC 9449 section 7.1, RFC 9728
 * section 5.1.
 */
export function renderChallenge(
  scheme: 'Bearer' | 'DPoP',
  resource: ProtectedResource | undefined,
  facts: ChallengeFacts = {},
): string {
  const scopes = facts.scopes ?? resource?.challengeScopes ?? [];
  const parameters: readonly (readonly [string, string | undefined])[] = [
    ['error', facts.error],
    ['error_description', facts.description?.replace(/[^\x20-\x7e]|["\\]/g, '')],
    ['scope', scopes.length === 0 ? undefined : scopes.join(' ')],
    ['resource_metadata', resource?.metadataUrl],
    ['algs', scheme === 'DPoP' ? dpopAlgorithms.join(' ') : undefined],
  ];
  const rendered = parameters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${value}"`]));
  return rendered.length === 0 ? scheme : `${scheme} ${rendered.join(', ')}`;
}
