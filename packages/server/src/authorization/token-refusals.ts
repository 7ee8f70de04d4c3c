import type { Challenge } from './authenticate.ts';
import { type ChallengeFacts, renderChallenge } from './challenge.ts';
import type { Credentials } from './credentials.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import type { ProtectedResource } from './protected-resource.ts';
import type { CallerFacts } from './security-event.ts';

/** The scheme that a token was sent with. */
export type Scheme = Extract<Credentials, { readonly token: string }>['scheme'];

/** What a caller whose token does not count is told; why goes to security events. */
export interface TokenRefusals {
  /** No token of ours was sent: another hook may know what was. */
  absent(reason: string): Challenge;
  /** The request breaks a rule of RFC 6750. */
  malformed(reason: string, problem: string): Challenge;
  invalid(scheme: Scheme, reason: string, about?: CallerFacts): Challenge;
  /** The token is bound, and the request does not prove that its sender is who it is bound to. */
  unbound(scheme: Scheme, reason: string, about: CallerFacts): Challenge;
}

const descriptions = {
  absent: 'A token is needed',
  invalid: 'The token is not valid here: get a new one from the authorization server of this resource',
  proof: 'The token is bound to a key, and the request does not prove it',
  bound: 'The token is bound, and must be sent with the scheme DPoP and a proof',
  nonce: 'The proof must hold the nonce of the header DPoP-Nonce',
} as const;

/** Makes the refusals of one resource. Spec: OAuth 2.1 section 5.2, RFC 9449 sections 7.1 and 9. */
export function createTokenRefusals(resource: ProtectedResource, nonces: DpopNonces | undefined): TokenRefusals {
  const ownScheme = resource.dpop === 'required' ? 'DPoP' : 'Bearer';

  function refuse(
    scheme: 'Bearer' | 'DPoP',
    status: 400 | 401,
    reason: string,
    facts: ChallengeFacts,
    message: string = facts.description ?? descriptions.invalid,
  ): Challenge {
    return { status, reason, message, wwwAuthenticate: renderChallenge(scheme, resource, facts) };
  }

  function invalid(scheme: Scheme, reason: string, about?: CallerFacts): Challenge {
    const facts = { error: 'invalid_token', description: descriptions.invalid } as const;
    const challenge = refuse(scheme === 'dpop' && resource.dpop !== 'off' ? 'DPoP' : ownScheme, 401, reason, facts);
    return about === undefined ? challenge : { ...challenge, about };
  }

  return {
    absent: (reason) => ({ ...refuse(ownScheme, 401, reason, {}, descriptions.absent), foreign: true }),
    malformed: (reason, description) => refuse('Bearer', 400, reason, { error: 'invalid_request', description }),
    invalid,
    unbound(scheme, reason, about) {
      if (!reason.startsWith('proof-')) return invalid(scheme, reason, about);
      if (scheme === 'bearer')
        return { ...refuse('DPoP', 401, reason, { error: 'invalid_token', description: descriptions.bound }), about };
      if (reason !== 'proof-nonce' || nonces === undefined) {
        const facts = { error: 'invalid_dpop_proof', description: descriptions.proof } as const;
        return { ...refuse('DPoP', 401, reason, facts), about };
      }
      return {
        ...refuse('DPoP', 401, reason, { error: 'use_dpop_nonce', description: descriptions.nonce }),
        headers: { 'dpop-nonce': nonces.current() },
        about,
      };
    },
  };
}
