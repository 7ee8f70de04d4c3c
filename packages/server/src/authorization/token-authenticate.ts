import { type JsonObject, type KnownOptions, type Principal, toBound } from '@switchyard/protocol';

import type { HttpHead } from '../exchange/http-exchange.ts';
import { createWithin } from '../timing/within.ts';
import type { Authenticate, Challenge } from './authenticate.ts';
import { cannotAuthenticate } from './cannot-authenticate.ts';
import { toClockToleranceMs } from './clock-tolerance.ts';
import { readCredentials } from './credentials.ts';
import type { DpopNonces } from './dpop-nonces.ts';
import { createCheckProof } from './dpop-proof.ts';
import { grantPrincipal } from './principal-grant.ts';
import type { ProtectedResource } from './protected-resource.ts';
import { createReplaySet, type ReplaySet } from './replay-set.ts';
import type { RevocationCheck } from './revocations.ts';
import { createCheckBond } from './token-bond.ts';
import { type CallerClaims, callerClaims, createReadCaller, factsOf, factsOfCaller } from './token-caller.ts';
import type { TokenExchange } from './token-exchange.ts';
import { createTokenRefusals, type Scheme } from './token-refusals.ts';

/** What every hook for tokens of an authorization server takes. */
export interface TokenOptions extends CallerClaims {
  /** How far clocks may be apart, in milliseconds: default 5,000, at most 300,000. */
  readonly clockToleranceMs?: number;
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

/** The members of {@link TokenOptions}. */
export const tokenOptions: KnownOptions<TokenOptions> = {
  ...callerClaims,
  clockToleranceMs: true,
  maxTokenChars: true,
  revocations: true,
  exchange: true,
  dpopReplays: true,
  dpopNonces: true,
  epochNow: true,
};

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

/**
 * Makes the hook for tokens of one kind. All that is common to them is checked here, in this order: the form of the
 * header (400), issuer and form by `verify`, times, audience, subject and tenant, the bond to a key or a certificate,
 * and revocation (401). The caller is told no more than that its token does not count; the reason goes to
 * `onSecurityEvent`.
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
  const { epochNow = Date.now, maxTokenChars = 8_192, dpopNonces: nonces, revocations } = options;
  const clockToleranceMs = toClockToleranceMs(options.clockToleranceMs);
  toBound('maxTokenChars', maxTokenChars);
  const refusals = createTokenRefusals(resource, nonces);
  const readCaller = createReadCaller(resource, options, { epochNow, clockToleranceMs });
  const replays = options.dpopReplays ?? createReplaySet({ epochNow });
  const checkBond = createCheckBond(resource, createCheckProof({ replays, nonces, clockToleranceMs, epochNow }));
  const isRevoked = revocations === undefined ? undefined : createIsRevoked(revocations);

  return async (head) => {
    const credentials = readCredentials(head);
    if ('problem' in credentials) return refusals.malformed(credentials.reason, credentials.problem);
    if ('none' in credentials) return refusals.absent(credentials.none);
    const { token, scheme } = credentials;
    if (token.length > maxTokenChars) return refusals.invalid(scheme, 'token-too-long');
    try {
      return await admit(head, token, scheme);
    } catch (cause) {
      // What cannot be checked is not let in, and a caller with a good token must not throw it away.
      throw cannotAuthenticate(cause);
    }
  };

  async function admit(head: HttpHead, token: string, scheme: Scheme): Promise<Principal | Challenge> {
    const verified = await verify(token);
    if ('refused' in verified) {
      const challenge = refusals.invalid(scheme, verified.refused, factsOf(verified.claims));
      return verified.foreign === true ? { ...challenge, foreign: true } : challenge;
    }
    const { claims } = verified;
    const caller = readCaller(claims);
    if (typeof caller === 'string') return refusals.invalid(scheme, caller, factsOf(claims));
    const about = { ...factsOf(claims), ...factsOfCaller(caller) };
    const unproved = await checkBond({ head, scheme, token, claims });
    if (unproved !== undefined) return refusals.unbound(scheme, unproved, about);
    if ((await isRevoked?.(caller, claims)) === true) return refusals.invalid(scheme, 'revoked', about);
    const exchange = options.exchange?.forToken(token, caller);
    const stillCounts = (): Promise<boolean> => counts(token);
    return grantPrincipal(caller, {
      resource,
      clockToleranceMs,
      stillCounts,
      ...(exchange === undefined ? {} : { exchange }),
    });
  }

  /** Whether a token still counts that was admitted, its bond aside: that is proved by a request, and there is none. */
  async function counts(token: string): Promise<boolean> {
    const verified = await verify(token);
    if ('refused' in verified) return false;
    const caller = readCaller(verified.claims);
    return typeof caller !== 'string' && (await isRevoked?.(caller, verified.claims)) !== true;
  }
}

/** Makes what asks whether a token was revoked, with the deadline of a custom check. */
function createIsRevoked(revocations: RevocationCheck): (caller: Principal, claims: JsonObject) => Promise<boolean> {
  const within = createWithin(REVOCATION_TIMEOUT_MS);
  return async ({ subject, issuer, clientId }, { jti, iat }) => {
    const answered: unknown = await within(
      revocations.isRevoked({
        subject,
        ...(issuer === undefined ? {} : { issuer }),
        ...(clientId === undefined ? {} : { clientId }),
        ...(typeof jti === 'string' ? { tokenId: jti } : {}),
        ...(typeof iat === 'number' ? { issuedAtMs: iat * 1000 } : {}),
      }),
    );
    // Whatever else a check answers that has no types, it does not say that the token counts.
    return answered !== false;
  };
}
