import { assertKnownOptions, type JsonObject, type KnownOptions, toBound } from '@switchyard/protocol';
import { LRUCache } from 'lru-cache';
import { type AuthorizationServer, introspectionRequest, processIntrospectionResponse } from 'oauth4webapi';

import type { Authenticate } from './authenticate.ts';
import { createServerMetadata, endpointOf } from './authorization-server.ts';
import { AuthorizationServerError } from './authorization-server-error.ts';
import { createBoundedFetch, type FetchOptions, fetchOptions, monotonicNow } from './bounded-fetch.ts';
import { type ClientCredentials, createOauthClient } from './client-authentication.ts';
import { toServerFailure } from './oauth-failure.ts';
import type { ProtectedResource } from './protected-resource.ts';
import { toSecureUrl } from './secure-url.ts';
import { thumbprint } from './thumbprint.ts';
import { toIssuer } from './to-issuer.ts';
import { createTokenAuthenticate, type TokenOptions, tokenOptions, type Verified } from './token-authenticate.ts';

/** How tokens are checked that only their issuer can read. */
export interface IntrospectionOptions extends TokenOptions, FetchOptions {
  /** As what this server asks. */
  readonly client: ClientCredentials;
  /** The issuer, exactly as it calls itself. Default: the resource's authorization server, where it has one only. */
  readonly issuer?: string;
  /** Where to ask. Default: as the issuer's metadata says. */
  readonly introspectionEndpoint?: string;
  /**
   * How long an answer counts after it was asked for, in milliseconds: default and most 30,000; 0 asks for each
   * request.
   */
  readonly cacheTtlMs?: number;
  /** How many tokens are asked about at a time: default 256. One more gets 503. */
  readonly maxPending?: number;
}

const introspectionOptions: KnownOptions<IntrospectionOptions> = {
  ...tokenOptions,
  ...fetchOptions,
  client: true,
  issuer: true,
  introspectionEndpoint: true,
  cacheTtlMs: true,
  maxPending: true,
};

const MAX_CACHE_MS = 30_000;
const MAX_CACHED_CHARS = 16 * 1024 * 1024;
/** What an entry takes beside its answer. */
const ENTRY_CHARS = 128;

/**
 * Authenticates callers by asking the authorization server about their tokens. Answers are kept for at most 30 s, under
 * a digest of the token, and revocations are asked for each time. Any bearer token is taken for one that the server
 * knows, so in `anyOf` it stands last.
 *
 * Spec: RFC 7662 sections 2 and 4.
 *
 * @throws TypeError when an option is unknown or out of range, or a URL is not secure.
 */
export function introspection(resource: ProtectedResource, options: IntrospectionOptions): Authenticate {
  assertKnownOptions('introspection', options, introspectionOptions);
  const { epochNow = Date.now, now = monotonicNow, cacheTtlMs = MAX_CACHE_MS, maxPending = 256 } = options;
  if (!(cacheTtlMs >= 0 && cacheTtlMs <= MAX_CACHE_MS))
    throw new TypeError(
      `cacheTtlMs must be from 0 to ${MAX_CACHE_MS}, not ${cacheTtlMs}: a revoked token would count for longer`,
    );
  toBound('maxPending', maxPending);
  const issuer = toIssuer(resource, options.issuer);
  const fetch = createBoundedFetch({ maxResponseBytes: 64 * 1024, ...options });
  const oauth = createOauthClient(options.client, fetch);
  const metadata = createServerMetadata(issuer, fetch, now);
  const endpoint =
    options.introspectionEndpoint === undefined
      ? undefined
      : toSecureUrl('introspectionEndpoint', options.introspectionEndpoint);
  const answers = new LRUCache<string, { readonly verified: Verified; readonly untilMs: number }>({
    maxSize: MAX_CACHED_CHARS,
    sizeCalculation: ({ verified }) => JSON.stringify(verified).length + ENTRY_CHARS,
  });
  const pending = new Map<string, Promise<Verified>>();

  return createTokenAuthenticate(resource, { ...options, epochNow }, async (token) => {
    const digest = await thumbprint(token);
    const known = answers.get(digest);
    if (known !== undefined && known.untilMs > now()) return known.verified;
    const asked = pending.get(digest);
    if (asked !== undefined) return asked;
    if (pending.size >= maxPending) throw new AuthorizationServerError(`${maxPending} tokens are being asked about`);
    // The answer may be about this very moment, whenever it comes.
    const untilMs = now() + cacheTtlMs;
    const asking = ask(token).finally(() => pending.delete(digest));
    pending.set(digest, asking);
    const verified = await asking;
    if (cacheTtlMs > 0) answers.set(digest, { verified, untilMs });
    return verified;
  });

  async function ask(token: string): Promise<Verified> {
    const server: AuthorizationServer =
      endpoint === undefined ? await metadata() : { issuer, introspection_endpoint: endpoint };
    const url = endpointOf(server, 'introspection_endpoint');
    try {
      const response = await introspectionRequest(server, oauth.client, oauth.authentication, token, {
        ...oauth.requestTo(url),
        additionalParameters: { token_type_hint: 'access_token' },
      });
      return toVerified(await processIntrospectionResponse(server, oauth.client, response), issuer);
    } catch (error) {
      throw toServerFailure(error, url);
    }
  }
}

const accessTokenTypes: ReadonlySet<unknown> = new Set(['bearer', 'dpop', undefined]);

function toVerified(answer: JsonObject, issuer: string): Verified {
  if (answer['active'] !== true) return { refused: 'inactive' };
  const { iss, token_type: type, client_id: client } = answer;
  if (iss !== undefined && iss !== issuer) return { refused: 'other-issuer' };
  // A refresh token is known to the authorization server, too, and is active for much longer.
  if (!accessTokenTypes.has(typeof type === 'string' ? type.toLowerCase() : type))
    return { refused: 'other-token-type' };
  // A client that speaks for itself is its own subject, as in RFC 9068 section 2.2.
  return { claims: { iss: issuer, ...(client === undefined ? {} : { sub: client }), ...answer } };
}
