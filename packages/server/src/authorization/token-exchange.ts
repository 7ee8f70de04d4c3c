import { assertKnownOptions, type KnownOptions, type Principal, toLimit } from '@switchyard/protocol';
import { LRUCache } from 'lru-cache';
import {
  type AuthorizationServer,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi';

import { createWithin } from '../timing/within.ts';
import { createServerMetadata, endpointOf } from './authorization-server.ts';
import { createBoundedFetch, type FetchOptions, fetchOptions, monotonicNow } from './bounded-fetch.ts';
import { type ClientCredentials, createOauthClient } from './client-authentication.ts';
import { oauthErrorCode, toServerFailure } from './oauth-failure.ts';
import type { ExchangedToken, PrincipalGrant } from './principal-grant.ts';
import { toSecureUrl } from './secure-url.ts';
import { readScopes, toScopes } from './scopes.ts';
import { thumbprint } from './thumbprint.ts';
import { TokenExchangeError } from './token-exchange-error.ts';

/** How this server gets tokens for other resources in a caller's name. */
export interface TokenExchangeOptions extends FetchOptions {
  /** The authorization server that exchanges, exactly as it calls itself. */
  readonly issuer: string;
  /** As what this server asks: the actor that the new token names beside the user. */
  readonly client: ClientCredentials;
  /** Where to ask. Default: as the issuer's metadata says. */
  readonly tokenEndpoint?: string;
  /**
   * A token of this server itself, where the authorization server wants the actor proved by more than the
   * authentication of the client. Asked for each exchange, for at most 5 s. Default: none.
   */
  readonly actorToken?: () => Promise<{ readonly token: string; readonly type: string }>;
  /** How the target is named. Default: an http(s) URL as `resource`, anything else as `audience`. */
  readonly targetParameter?: 'resource' | 'audience';
  /** How many tokens are kept, each until 30 s before its end: default 1,000, at most 1,000,000. */
  readonly maxCached?: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly epochNow?: () => number;
}

const tokenExchangeOptions: KnownOptions<TokenExchangeOptions> = {
  ...fetchOptions,
  issuer: true,
  client: true,
  tokenEndpoint: true,
  actorToken: true,
  targetParameter: true,
  maxCached: true,
  epochNow: true,
};

/** Exchanges inbound tokens. Made by {@link createTokenExchange}. */
export interface TokenExchange {
  /** Answers the exchange of one inbound token, which nothing else can read. */
  forToken(token: string, principal: Principal): NonNullable<PrincipalGrant['exchange']>;
}

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const ACTOR_TIMEOUT_MS = 5_000;
/** A token that ends while it is used would fail at the other side. */
const MARGIN_MS = 30_000;
const accessTokenTypes: ReadonlySet<unknown> = new Set([
  ACCESS_TOKEN,
  'urn:ietf:params:oauth:token-type:jwt',
  undefined,
]);

/**
 * Makes the exchange of inbound tokens for ones of other resources. The new token speaks for the user, by the subject
 * token, and names this server as actor, by the authentication of its client and, where given, its actor token. Tokens
 * are kept in memory by the inbound token's digest, target and scopes, never beyond the inbound token's own end; calls
 * for the same one share one request.
 *
 * Spec: RFC 8693 section 2.
 *
 * @throws TypeError when a URL is not secure, or an option is unknown or out of range.
 */
export function createTokenExchange(options: TokenExchangeOptions): TokenExchange {
  assertKnownOptions('createTokenExchange', options, tokenExchangeOptions);
  const { epochNow = Date.now, now = monotonicNow, actorToken } = options;
  const maxCached = toLimit('maxCached', options.maxCached ?? 1_000, 1, 1_000_000);
  const issuer = toSecureUrl('issuer', options.issuer);
  const within = createWithin(ACTOR_TIMEOUT_MS);
  const fetch = createBoundedFetch({ maxResponseBytes: 64 * 1024, ...options });
  const oauth = createOauthClient(options.client, fetch);
  const metadata = createServerMetadata(issuer, fetch, now);
  const endpoint =
    options.tokenEndpoint === undefined ? undefined : toSecureUrl('tokenEndpoint', options.tokenEndpoint);
  const cached = new LRUCache<string, { readonly token: Promise<ExchangedToken>; readonly untilMs: number }>({
    max: maxCached,
  });

  async function exchange(subjectToken: string, audience: string, scopes: readonly string[]): Promise<ExchangedToken> {
    const target = options.targetParameter ?? (/^https?:/i.test(audience) ? 'resource' : 'audience');
    const actor = actorToken === undefined ? undefined : await within(actorToken());
    const parameters = {
      subject_token: subjectToken,
      subject_token_type: ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
      [target]: audience,
      ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      ...(actor === undefined ? {} : { actor_token: actor.token, actor_token_type: actor.type }),
    };
    const server: AuthorizationServer =
      endpoint === undefined ? await metadata() : { issuer, token_endpoint: endpoint };
    const url = endpointOf(server, 'token_endpoint');
    try {
      const { client, authentication } = oauth;
      const response = await genericTokenEndpointRequest(
        server,
        client,
        authentication,
        GRANT_TYPE,
        parameters,
        oauth.requestTo(url),
      );
      return toExchanged(await processGenericTokenEndpointResponse(server, client, response), epochNow());
    } catch (error) {
      const code = oauthErrorCode(error);
      if (code !== undefined)
        throw new TokenExchangeError('refused', `the authorization server refused a token for ${audience}: ${code}`);
      throw error instanceof TokenExchangeError ? error : toServerFailure(error, url);
    }
  }

  async function exchangeSafely(...given: Parameters<typeof exchange>): Promise<ExchangedToken> {
    try {
      return await exchange(...given);
    } catch (error) {
      if (error instanceof TokenExchangeError) throw error;
      throw new TokenExchangeError('unavailable', `no token could be had for ${given[1]}`, { cause: error });
    }
  }

  return {
    forToken: (subjectToken, { expiresAtMs = Infinity }) => {
      let digest: Promise<string> | undefined;
      return async (audience, scopes) => {
        const wanted = toScopes('scopes', scopes).toSorted();
        const key = JSON.stringify([await (digest ??= thumbprint(subjectToken)), audience, wanted]);
        const held = cached.get(key);
        if (held !== undefined && held.untilMs > now()) return held.token;
        const token = exchangeSafely(subjectToken, audience, wanted);
        const entry = { token, untilMs: now() + MARGIN_MS };
        cached.set(key, entry);
        try {
          const got = await token;
          const lastsMs = Math.min(got.expiresAtMs ?? 0, expiresAtMs) - epochNow() - MARGIN_MS;
          if (lastsMs > 0) cached.set(key, { token, untilMs: now() + lastsMs });
          else if (cached.get(key) === entry) cached.delete(key);
          return got;
        } catch (error) {
          if (cached.get(key) === entry) cached.delete(key);
          throw error;
        }
      };
    },
  };
}

function toExchanged(response: TokenEndpointResponse, now: number): ExchangedToken {
  if (!accessTokenTypes.has(response['issued_token_type']))
    throw new TokenExchangeError('refused', 'the authorization server issued a token that is no access token');
  return Object.freeze({
    accessToken: response.access_token,
    tokenType: response.token_type,
    ...(response.expires_in === undefined ? {} : { expiresAtMs: now + response.expires_in * 1000 }),
    ...(response.scope === undefined ? {} : { scopes: readScopes(response.scope) }),
  });
}
