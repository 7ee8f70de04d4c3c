import type { Principal } from '@switchyard/protocol';

import { type ExchangedToken, grantOf } from './principal-grant.ts';
import { TokenExchangeError } from './token-exchange-error.ts';

/**
 * Gets an access token for another resource in a caller's name. `audience` is the resource's URL or the name that the
 * authorization server knows it by; without scopes the authorization server chooses. The caller's own token is never
 * passed on: the new one is the only way.
 *
 * Spec: basic/authorization/security-considerations#access-token-privilege-restriction (2026-07-28); RFC 8693.
 *
 * @throws (as a rejection) TokenExchangeError; TypeError when a scope is none.
 */
export async function exchangeTokenFor(
  principal: Principal | undefined,
  audience: string,
  scopes: readonly string[] = [],
): Promise<ExchangedToken> {
  const { exchange } = grantOf(principal);
  if (exchange === undefined)
    throw new TokenExchangeError(
      'no-exchange',
      'the caller has no token that could be exchanged: authenticate it by bearerJwt or introspection with the option `exchange`',
    );
  return exchange(audience, scopes);
}
