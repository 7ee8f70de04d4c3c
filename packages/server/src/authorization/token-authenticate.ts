import { type JsonObject, type Principal, ProtocolError } from '@switchyard/protocol';

import type { Authenticate, Challenge } from '../http/authenticate.ts';
import type { HttpHead } from '../http/http-exchange.ts';
import type { CallerFacts } from '../http/security-event.ts';
import { toBound } from '../limits/bound.ts';
import { createWithin } from '../limits/within.ts';
import { type ChallengeFacts, renderChallenge } from './challenge.ts';
import { readCredentials } from './credentials.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { createCheckProof } from './dpop-proof.ts';
import { grantPrincipal } from './principal-grant.ts';
import type { ProtectedResource } from './protected-resource.ts';
import { createReplaySet, type ReplaySet } from './replay-set.ts';
import { MAX_TOLERANCE_MS, type RevocationCheck } from './revocations.ts';
import { createCheckBond } from './token-bond.ts';
import { type CallerClaims, createReadCaller, factsOf, factsOfCaller } from './token-caller.ts';
import type { TokenExchange } from './token-exchange.ts';

/** What every hook for tokens of an authorization server takes. */
export interface TokenOptions extends CallerClaims {
  /** How far clocks may be apart, in seconds: default 5, at most 300. */
  readonly clockToleranceSeconds?: number;
  /** Longest token, in characters: default 8,192. */
  readonly maxTokenChars?: number;
  /** Asked of each valid token, for at most 5 s; when it fails, nobody is let in. Default: nothing is revoked. */
  readonly revocations?: RevocationCheck;
  /** Gets tokens for other resources in a caller's name. Default: there are none. */
  readonly exchange?: TokenExchange;
  /** Where used proofs of DPoP are remembered. Default: in memory, 100,000. */
  readonly dpopReplays?: ReplaySet;
  /** Nonces that proofs of DPoP must hold. Default: none are asked for. */
  readonly dpopNonces?: DpopNonces;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly epochNow?: () => number;
}

/** The claims of a token whose issuer was proved, or why it does not count. */
export type Verified = { readonly claims: JsonObject } | RefusedToken;

/** Why a token does not count. */
export interface RefusedToken {
  /** In words with hyphens, for security events. */
  readonly refused: string;
  /** Whether the token may be another hook's. */
  readonly foreign?: boolean;
  /** What the token says, where its issuer was proved. */
  readonly claims?: JsonObject;
}

/** Proves the issuer of a token and answers what it says. Rejects where that cannot be found out now. */
export type VerifyToken = (token: string) => Promise<Verified>;

/** How long a custom check of revocation may take. */
const REVOCATION_TIMEOUT_MS = 5_000;

const descriptions = {
  absent: 'A token is needed',
  invalid: 'The token is not valid here: get a new one from the authorization server of this resource',
  proof: 'The token is bound to a key, and the request does not prove it',
  bound: 'The token is bound, and must be sent with the scheme DPoP and a proof',
  nonce: 'The proof must hold the nonce of the header DPoP-Nonce',
} as const;

/**
 * Makes the hook for tokens of one kind. All that is common to them is checked here, in this order: the form of the header (400), issuer
 * and form by `verify`, times, audience, subject and tenant, the bond to a key or a certificate, and revocation (401). The caller is told
 * no more than that its token does not count; the reason goes to `onSecurityEvent`.
 *
 * Spec: basic/authorization#token-handling, #error-handling (2026-07-28); OAuth 2.1 section 5.2.
 *
 * @throws TypeError when an option is out of range.
 */
export function createTokenAuthenticate(
  resource: ProtectedResource,
  options: TokenOptions,
  verify: VerifyToken,
): Authenticate {
  const { epochNow = Date.now, clockToleranceSeconds = 5, maxTokenChars = 8_192, dpopNonces, revocations } = options;
  if (!(clockToleranceSeconds >= 0) || clockToleranceSeconds * 1000 > MAX_TOLERANCE_MS)
    throw new TypeError(
      `clockToleranceSeconds must be from 0 to ${MAX_TOLERANCE_MS / 1000}, not ${clockToleranceSeconds}`,
    );
  toBound('maxTokenChars', maxTokenChars);
  const readCaller = createReadCaller(resource, options, { epochNow, clockToleranceSeconds });
  const replays = options.dpopReplays ?? createReplaySet({ epochNow });
  const checkBond = createCheckBond(
    resource,
    createCheckProof({ replays, nonces: dpopNonces, clockToleranceSeconds, epochNow }),
  );
  const within = createWithin(REVOCATION_TIMEOUT_MS);

  return async (head) => {
    const credentials = readCredentials(head);
    if ('problem' in credentials)
      return refuse('Bearer', 400, credentials.reason, { error: 'invalid_request', description: credentials.problem });
    if ('none' in credentials)
      return { ...refuse(ownScheme(), 401, credentials.none, {}, descriptions.absent), foreign: true };
    const { token, scheme } = credentials;
    if (token.length > maxTokenChars) return invalid(scheme, 'token-too-long');
    try {
      return await admit(head, token, scheme);
    } catch (cause) {
      // What cannot be checked is not let in, and a caller with a good token must not throw it away.
      throw new ProtocolError('internalError', 'Nobody can be authenticated at the moment: try again', {
        status: 503,
        headers: { 'retry-after': '5' },
        cause,
      });
    }
  };

  async function admit(head: HttpHead, token: string, scheme: 'bearer' | 'dpop'): Promise<Principal | Challenge> {
    const verified = await verify(token);
    if ('refused' in verified) {
      const challenge = invalid(scheme, verified.refused, factsOf(verified.claims));
      return verified.foreign === true ? { ...challenge, foreign: true } : challenge;
    }
    const caller = readCaller(verified.claims);
    if (typeof caller === 'string') return invalid(scheme, caller, factsOf(verified.claims));
    const about = { ...factsOf(verified.claims), ...factsOfCaller(caller) };
    const unproved = await checkBond({ head, scheme, token, claims: verified.claims });
    if (unproved !== undefined) return unbound(scheme, unproved, about);
    if (revocations !== undefined) {
      const { jti, iat } = verified.claims;
      const isRevoked: unknown = await within(
        revocations.isRevoked({
          subject: caller.subject,
          ...(caller.issuer === undefined ? {} : { issuer: caller.issuer }),
          ...(caller.clientId === undefined ? {} : { clientId: caller.clientId }),
          ...(typeof jti === 'string' ? { tokenId: jti } : {}),
          ...(typeof iat === 'number' ? { issuedAtMs: iat * 1000 } : {}),
        }),
      );
      if (isRevoked !== false) return invalid(scheme, 'revoked', about);
    }
    const exchange = options.exchange?.forToken(token, caller);
    return grantPrincipal(caller, { resource, ...(exchange === undefined ? {} : { exchange }) });
  }

  function unbound(scheme: 'bearer' | 'dpop', reason: string, about: CallerFacts): Challenge {
    if (!reason.startsWith('proof-')) return invalid(scheme, reason, about);
    if (scheme === 'bearer')
      return { ...refuse('DPoP', 401, reason, { error: 'invalid_token', description: descriptions.bound }), about };
    if (reason !== 'proof-nonce' || dpopNonces === undefined)
      return {
        ...refuse('DPoP', 401, reason, { error: 'invalid_dpop_proof', description: descriptions.proof }),
        about,
      };
    return {
      ...refuse('DPoP', 401, reason, { error: 'use_dpop_nonce', description: descriptions.nonce }),
      headers: { 'dpop-nonce': dpopNonces.current() },
      about,
    };
  }

  function ownScheme(): 'Bearer' | 'DPoP' {
    return resource.dpop === 'required' ? 'DPoP' : 'Bearer';
  }

  function invalid(scheme: 'bearer' | 'dpop', reason: string, about?: CallerFacts): Challenge {
    const facts = { error: 'invalid_token', description: descriptions.invalid } as const;
    const challenge = refuse(scheme === 'dpop' && resource.dpop !== 'off' ? 'DPoP' : ownScheme(), 401, reason, facts);
    return about === undefined ? challenge : { ...challenge, about };
  }

  function refuse(
    scheme: 'Bearer' | 'DPoP',
    status: 400 | 401,
    reason: string,
    facts: ChallengeFacts,
    message: string = facts.description ?? descriptions.invalid,
  ): Challenge {
    return { status, reason, message, wwwAuthenticate: renderChallenge(scheme, resource, facts) };
  }
}
