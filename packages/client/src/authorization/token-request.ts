import {
  type AuthorizationServer,
  allowInsecureRequests,
  genericTokenEndpointRequest,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
} from 'oauth4webapi';
import type { PeerContext } from '../peer/peer-context.ts';
import { httpOptionsOf, type BoundedFetch } from './bounded-fetch.ts';
import type { DpopKey } from './dpop-key.ts';
import type { GrantClient, GrantedTokens } from './grant.ts';
import { toAuthorizationError } from './oauth-failure.ts';
import { isTokenText } from './stored-tokens.ts';

/** A request to a token endpoint. */
export interface TokenRequest {
  readonly server: AuthorizationServer;
  readonly client: GrantClient;
  readonly grantType: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** The key that the token is bound to. */
  readonly dpop: DpopKey | undefined;
  /** Whether a token that is bound to no key is refused. */
  readonly mustBeBound: boolean;
  readonly signal: AbortSignal;
}

/** Ten years: what is said to be good for longer, or for ever, is found out by using it. */
const MAX_LIFETIME_S = 315_360_000;

/**
 * Asks a token endpoint, a second time with its nonce where it wants one. Rejects with a `ClientError` of code
 * `authorization`, `oauthError` and `status` where the server gave them; no secret is in it.
 *
 * Spec: RFC 6749 section 5; RFC 9449 sections 5 and 8.
 */
export async function requestToken(
  context: PeerContext,
  fetch: BoundedFetch,
  request: TokenRequest,
): Promise<GrantedTokens> {
  const { grantType, parameters, dpop, mustBeBound, signal } = request;
  const { client, authentication } = request.client;
  const server = withoutAliases(request.server);
  const send = async (): Promise<GrantedTokens> => {
    const response = await genericTokenEndpointRequest(
      server,
      client,
      authentication,
      grantType,
      { ...parameters },
      {
        ...httpOptionsOf(fetch, signal),
        // The bounded fetch lets HTTP through for this machine only.
        [allowInsecureRequests]: true,
        ...(dpop === undefined ? {} : { DPoP: dpop.handle }),
      },
    );
    const answer = await processGenericTokenEndpointResponse(server, client, await withoutIdToken(response));
    const { access_token: accessToken, token_type: type, expires_in: expiresIn, refresh_token: refreshToken } = answer;
    context.learnSecret(accessToken);
    if (refreshToken !== undefined) context.learnSecret(refreshToken);
    if (!isTokenText(accessToken)) {
      throw context.fail(
        'authorization',
        'the authorization server gave an access token that no header can carry: it must be visible ASCII, of at most ' +
          '16,384 characters.',
      );
    }
    const tokenType = type === 'dpop' ? 'dpop' : 'bearer';
    if (mustBeBound ? tokenType !== 'dpop' : tokenType === 'dpop' && dpop === undefined) {
      throw context.fail(
        'authorization',
        `the authorization server gave a token of type ${tokenType}, which is not what was asked for (dpop).`,
      );
    }
    return {
      accessToken,
      tokenType,
      ...(expiresIn === undefined ? {} : { expiresIn: Math.min(expiresIn, MAX_LIFETIME_S) }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(answer.scope === undefined ? {} : { scope: answer.scope }),
    };
  };
  try {
    return await send().catch((error: unknown) => {
      if (dpop === undefined || !isDPoPNonceError(error)) throw error;
      return send();
    });
  } catch (error) {
    throw toAuthorizationError(context, `the request for a token (${grantType})`, error, signal);
  }
}

/** Endpoints for certificates are not checked as the others are, and not used. */
function withoutAliases(server: AuthorizationServer): AuthorizationServer {
  const { mtls_endpoint_aliases: _, ...rest } = server;
  return rest;
}

/** Who the user is does not matter here, so an identity that is not asked for cannot make the token fail. */
async function withoutIdToken(response: Response): Promise<Response> {
  if (response.status !== 200) return response;
  let body: unknown;
  try {
    body = await response.clone().json();
  } catch {
    // Said by who reads it.
    return response;
  }
  if (typeof body !== 'object' || body === null || !('id_token' in body)) return response;
  const { id_token: _, ...rest } = body;
  return new Response(JSON.stringify(rest), { status: response.status, headers: response.headers });
}
