import { dropBody } from '../http/drop-body.ts';
import { systemClock } from '../peer/clock.ts';
import { createPeerContext, type PeerContext } from '../peer/peer-context.ts';
import { withDeadline } from '../timing/deadline.ts';
import { untilAborted } from '../timing/until-aborted.ts';
import type { HeaderFields } from '../message/connection.ts';
import type { CredentialedRequest, HttpCredentials, Refusal } from '../http/credentials.ts';
import { describeUrl } from '../http/endpoint.ts';
import { failedFetch } from '../http/failed-fetch.ts';
import { openPlatformFetch } from '../http/fetch.ts';
import { type Challenge, parameterOf, parseChallenges } from '../http/parse-challenges.ts';
import { createAskGate } from './ask-gate.ts';
import { createAttempts } from './attempts.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { createBoundedWork } from './bounded-work.ts';
import { createMemoryTokenStore } from './memory-token-store.ts';
import {
  assertOAuthOptions,
  type OAuthCredentialsOptions,
  readGrant,
  readLimits,
  readServerUrl,
  readSources,
} from './oauth-options.ts';
import { createRenew } from './renew.ts';
import { parseScope } from './scopes.ts';
import { createSharedWork } from './share-work.ts';
import { createStepUp } from './step-up.ts';
import { bearerFields, challengedScopes, fieldsOf } from './token-fields.ts';
import type { LiveToken } from './token-keeper.ts';
import { createTokenSource } from './token-source.ts';

/** Credentials that can also be asked for ahead of a call. */
export interface OAuthCredentials extends HttpCredentials {
  /**
   * Obtains a token now, whether there is one or not, and keeps it in the store; where a call has the user asked already,
   * for all the scopes that are wanted, that question is this one, too. A call that finds that the user has to be asked
   * waits for him only as long as its own deadline; whoever knows that before signs in with this. Rejects with a
   * `ClientError`, also where the store does not keep the token.
   */
  login(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Forgets the token, here and in the store, a damaged one, too. It is not revoked. A refresh or a sign-in that is
   * under way ends in no token. With `forgetClient` the registration of this client is forgotten, too, so that it is
   * made anew; tokens of other servers that it got are still refreshed.
   */
  logout(options?: { readonly forgetClient?: boolean }): Promise<void>;
}

/** At most this long before it expires, and in the last tenth of its life, a token is refreshed. */
const REFRESH_AHEAD_MS = 60_000;
const MAX_NONCES = 2;

/**
 * Creates credentials of OAuth 2.1. A request goes out with the token there is; where the server refuses it, the client
 * finds the authorization server, gets itself known there, obtains a token and sends the request again. Tokens are
 * refreshed before they expire and after a 401, once for all who wait; where a scope is missing, more are asked for, up
 * to `maxStepUps` times an operation. The deadline of a call stands still while its user is asked. His sign-in goes on
 * when the call that led to it has ended, and the next call finds the token.
 *
 * Throws a `ClientError` of code `invalid-argument` for options that cannot be used, a `TypeError` for an option that
 * there is not. What it answers rejects with `authorization` (no token could be had; `oauthError` where an
 * authorization server said why), `unauthorized` (a new token is refused), `connect-failed`, `closed`, or `timeout`.
 *
 * Spec: basic/authorization (2026-07-28); RFC 9449.
 */
export function createOAuthCredentials(options: OAuthCredentialsOptions): OAuthCredentials {
  assertOAuthOptions(options);
  const { clock = systemClock, epochNow: now = () => Date.now(), store = createMemoryTokenStore() } = options;
  const { client, onWarning } = options;
  const secrets = typeof client?.secret === 'string' ? [client.secret] : [];
  const name = options.name ?? describeUrl(options.serverUrl);
  const context = createPeerContext({ server: name, clock, secrets, onWarning });
  const { maxStepUps, authorizationTimeoutMs, httpTimeoutMs } = readLimits(context, options);
  const server = readServerUrl(context, options.serverUrl);
  const grant = readGrant(context, options);
  const platformFetch = options.fetch ?? openPlatformFetch().fetch;
  const learners = new Set<(secret: string) => void>();
  const source = createTokenSource({
    context: teaching(context, learners),
    fetch: createBoundedFetch({ context, fetch: platformFetch, server, timeoutMs: httpTimeoutMs }),
    store,
    server,
    grant,
    sources: readSources(context, options, grant),
    scopes: parseScope(options.scope),
    dpop: options.dpop ?? 'when-supported',
    now,
  });
  const { live } = source;
  const { guarded, limited } = createBoundedWork(context, authorizationTimeoutMs);
  const gate = createAskGate({ clock, limited, obtain: source.obtain });
  // Calls whose token only has to be refreshed do not wait for a user.
  const refreshes = createSharedWork();
  const renew = createRenew({ context, source, gate, refresh });
  const stepUp = createStepUp({ context, clock, live, gate, maxStepUps });
  const noncesOf = createAttempts(() => ({ taken: 0 }));
  /** By the fields of a request, in whose name it is sent. */
  const senders = new WeakMap<HeaderFields, string>();
  const isForUser = grant.redirectUri !== undefined;
  let loading: Promise<void> | undefined;
  let isLoaded = false;
  let nonce: string | undefined;

  return {
    fieldsFor(request) {
      if (URL.parse(request.url)?.origin !== server.origin) return {};
      const token = live();
      const isReady = isLoaded && !source.mustWrite() && !isDue(token);
      return isReady && token?.key === undefined ? noted(token, bearerFields(token)) : prepareFields(request);
    },
    async onRefusal(refusal) {
      await load(refusal.signal);
      const challenges = parseChallenges(refusal.challenge);
      if (wantsNonce(refusal, challenges)) return takeNonce(refusal);
      return refusal.status === 401 ? renew(refusal, challenges) : stepUp(refusal, challenges);
    },
    onResponse(header) {
      nonce = header('dpop-nonce') ?? nonce;
    },
    principal(fields) {
      const sentAs = fields && senders.get(fields);
      if (sentAs !== undefined) return sentAs;
      // Before the store was asked nobody can say who calls: that is not the same as nobody.
      if (!isLoaded) return null;
      if (fields === undefined) return live()?.principal;
      // Fields of somebody else may carry any token.
      return fields['authorization'] === undefined ? undefined : null;
    },
    onSecret(learn) {
      learners.add(learn);
      const { accessToken, refreshToken } = live()?.tokens ?? {};
      for (const secret of [accessToken, refreshToken]) if (secret !== undefined) learn(secret);
      return () => void learners.delete(learn);
    },
    async login({ signal = new AbortController().signal } = {}) {
      const agreements = gate.agreements();
      await load(signal);
      const challenges = await probe(signal);
      const challenged = challengedScopes(challenges);
      // He was being asked when he wanted to be.
      const isMoot = () => gate.agreements() > agreements && isAskedFor(challenged);
      const wanted = { mustAsk: true, isWanted: true, isMoot };
      await gate.obtain('login', { challenges, challenged, refused: undefined, ...wanted, signal });
      await limited(source.write);
    },
    logout: ({ forgetClient = false } = {}) => limited((signal) => source.forget({ forgetClient, signal })),
  };

  async function prepareFields(request: CredentialedRequest) {
    const { signal, httpMethod, url } = request;
    await load(signal);
    // It was warned of; this token is good all the same.
    if (source.mustWrite()) await limited(source.write).catch(() => undefined);
    const due = live();
    if (due !== undefined && isDue(due)) await refreshAhead(due, request);
    const token = live();
    // While a proof is signed, somebody else may log in.
    return noted(token, await fieldsOf(token, { httpMethod, url, nonce, now: now() }));
  }

  function noted(token: LiveToken | undefined, fields: HeaderFields): HeaderFields {
    if (token !== undefined) senders.set(fields, token.principal);
    return fields;
  }

  async function load(signal: AbortSignal): Promise<void> {
    if (isLoaded) return;
    loading ??= guarded(source.load)
      .then(() => void (isLoaded = true))
      .finally(() => (loading = undefined));
    await untilAborted(signal, loading);
  }

  /** Whether the token is one that was asked for with scopes, among others. */
  function isAskedFor(scopes: readonly string[]): boolean {
    const { tokens } = live() ?? {};
    return tokens !== undefined && scopes.every((scope) => tokens.scopes.includes(scope));
  }

  function isDue(token: LiveToken | undefined): boolean {
    if (token === undefined) return false;
    const { expiresAt, obtainedAt, refreshToken } = token.tokens;
    if (expiresAt === undefined || (refreshToken === undefined && isForUser)) return false;
    return now() >= expiresAt - Math.min(REFRESH_AHEAD_MS, (expiresAt - obtainedAt) / 10);
  }

  /** A token that cannot be refreshed is used to its end; a user is asked when a server refuses it. */
  async function refreshAhead({ tokens }: LiveToken, { signal, hold }: CredentialedRequest): Promise<void> {
    const { accessToken, expiresAt = Infinity } = tokens;
    try {
      const isRefreshed = await refresh(accessToken, [], signal);
      if (isRefreshed || isForUser) return;
      const request = { challenges: [], challenged: [], refused: accessToken, mustAsk: false, signal, hold };
      await gate.obtain(`renew ${accessToken}`, request);
    } catch (error) {
      if (signal.aborted || now() >= expiresAt) throw error;
    }
  }

  function refresh(refused: string, challenges: readonly Challenge[], signal: AbortSignal): Promise<boolean> {
    return refreshes.run(`refresh ${refused}`, signal, async () => {
      // Whoever came first did it for all.
      if (live()?.tokens.accessToken !== refused) return live() !== undefined;
      return limited((limit) => source.refresh({ challenges, signal: limit }));
    });
  }

  function wantsNonce({ fields }: Refusal, challenges: readonly Challenge[]): boolean {
    return fields['dpop'] !== undefined && parameterOf(challenges, 'error').includes('use_dpop_nonce');
  }

  /** Spec: RFC 9449 section 9. The nonce itself came with `onResponse`. */
  function takeNonce(refusal: Refusal): boolean {
    const nonces = noncesOf(refusal);
    nonces.taken += 1;
    nonce = refusal.header('dpop-nonce') ?? nonce;
    if (nonces.taken <= MAX_NONCES && nonce !== undefined) return true;
    throw context.fail('unauthorized', 'it keeps refusing proofs for their nonce (use_dpop_nonce).', { status: 401 });
  }

  /** Asks the server without a token, so that it says where its metadata is. */
  function probe(signal: AbortSignal): Promise<readonly Challenge[]> {
    const limits = { what: 'the first answer', signal, totalMs: httpTimeoutMs, totalOption: 'httpTimeoutMs' };
    return withDeadline(context, limits, async (deadline) => {
      const accept = 'application/json, text/event-stream';
      const init = { method: 'GET', headers: { accept }, signal: deadline.signal, redirect: 'manual' as const };
      try {
        const response = await platformFetch(server.href, init);
        dropBody(response.body);
        return parseChallenges(response.headers.get('www-authenticate') ?? '');
      } catch (error) {
        deadline.signal.throwIfAborted();
        throw failedFetch(context, { shown: describeUrl(server), what: 'the first request', error, isExact: false });
      }
    });
  }
}

/** A context that tells who listens, too, what must never be shown. */
function teaching(context: PeerContext, learners: ReadonlySet<(secret: string) => void>): PeerContext {
  return {
    ...context,
    learnSecret(secret) {
      context.learnSecret(secret);
      for (const learn of learners) learn(secret);
    },
  };
}
