import { systemClock } from '../peer/clock.ts';
import { ClientError } from '../peer/client-error.ts';
import { untilAborted, withDeadline } from '../timing/deadline.ts';
import { excerpt, maskedExcerpt } from '../peer/excerpt.ts';
import { describeUrl } from '../http/endpoint.ts';
import type { Hold, HttpCredentials, Refusal } from '../http/credentials.ts';
import { openPlatformFetch } from '../http/fetch.ts';
import { createPeerContext, type PeerContext } from '../peer/peer-context.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { createMemoryTokenStore } from './memory-token-store.ts';
import { type OAuthCredentialsOptions, readGrant, readServerUrl, readSources } from './oauth-options.ts';
import { type Challenge, parameterOf, parseChallenges } from '../http/parse-challenges.ts';
import { parseScope } from './scopes.ts';
import { createSharedWork } from './share-work.ts';
import { createTokenSource, type LiveToken } from './token-source.ts';

/** Credentials that can also be asked for ahead of a call. */
export interface OAuthCredentials extends HttpCredentials {
  /**
   * Obtains a token now, whether there is one or not. A call that finds that the user has to be asked waits for him only
   * as long as its own deadline; whoever knows that before signs in with this. Rejects with a `ClientError`.
   */
  login(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Forgets the token, here and in the store. It is not revoked. With `forgetClient` a registration of this client is
   * forgotten, too, so that it is made anew, for other servers of that authorization server as well.
   */
  logout(options?: { readonly forgetClient?: boolean }): Promise<void>;
}

const defaults = { maxStepUps: 3, authorizationTimeoutMs: 300_000, httpTimeoutMs: 10_000 };
const STEP_UP_WINDOW_MS = 600_000;
/** A user who did not agree is not asked again by each call that comes right after. */
const ASK_AGAIN_MS = 30_000;
/** At most this long before it expires, and in the last tenth of its life, a token is refreshed. */
const REFRESH_AHEAD_MS = 60_000;
/** A server that refuses a request without looking at its token would be asked for ever. */
const MAX_STALE = 2;
const MAX_CHALLENGED_SCOPES = 100;
/** How much of a challenge an error holds. */
const MAX_SHOWN = 1000;

/** What was tried for one request. */
interface Attempts {
  refreshed: boolean;
  obtained: boolean;
  nonces: number;
  stale: number;
}

/**
 * Creates credentials of OAuth 2.1. A request goes out with the token there is; where the server refuses it, the client
 * finds the authorization server, gets itself known there, obtains a token and sends the request again. Tokens are
 * refreshed before they expire and after a 401, once for all who wait; where a scope is missing, more are asked for, up
 * to `maxStepUps` times an operation. The user's sign-in goes on when the call that led to it has ended, and the next
 * call finds the token.
 *
 * Throws a `ClientError` of code `invalid-argument` for options that cannot be used. What it answers rejects with
 * `authorization` (no token could be had; `oauthError` where an authorization server said why), `unauthorized` (a new
 * token is refused), or `timeout`.
 *
 * Spec: basic/authorization (2026-07-28); RFC 9449.
 */
export function createOAuthCredentials(options: OAuthCredentialsOptions): OAuthCredentials {
  const { clock = systemClock, now = () => Date.now(), store = createMemoryTokenStore() } = options;
  const { maxStepUps, authorizationTimeoutMs, httpTimeoutMs } = { ...defaults, ...withoutUndefined(options) };
  const context = createPeerContext({ server: options.name ?? describeUrl(options.serverUrl), clock });
  const server = readServerUrl(context, options.serverUrl);
  let timesAsked = 0;
  const grant = readGrant(context, options, () => (timesAsked += 1));
  const sources = readSources(context, options, grant);
  const platformFetch = options.fetch ?? openPlatformFetch().fetch;
  const source = createTokenSource({
    context: learning(context),
    fetch: createBoundedFetch({ context, fetch: platformFetch, server, timeoutMs: httpTimeoutMs }),
    store,
    server,
    grant,
    sources,
    scopes: parseScope(options.scope),
    dpop: options.dpop ?? 'when-supported',
    now,
  });
  // Calls whose token only has to be refreshed do not wait for a user.
  const refreshes = createSharedWork();
  const asks = createSharedWork();
  const attempts = new WeakMap<AbortSignal, Attempts>();
  const stepUps = new Map<string, readonly number[]>();
  const learners = new Set<(secret: string) => void>();
  let loading: Promise<void> | undefined;
  let isLoaded = false;
  let nonce: string | undefined;
  let refusedAsk: { readonly error: unknown; readonly at: number } | undefined;

  return {
    fieldsFor(request) {
      if (URL.parse(request.url)?.origin !== server.origin) return {};
      const live = source.live();
      if (isLoaded && live?.tokens.tokenType !== 'dpop' && !isDue(live)) return fieldsOf(live);
      return prepareFields(request);
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
    principal: () => source.live()?.principal,
    onSecret(learn) {
      learners.add(learn);
      const { accessToken, refreshToken } = source.live()?.tokens ?? {};
      for (const secret of [accessToken, refreshToken]) if (secret !== undefined) learn(secret);
    },
    async login({ signal = new AbortController().signal } = {}) {
      await load(signal);
      const challenges = await probe(signal);
      const challenged = challengedScopes(challenges);
      await obtain('login', { challenges, challenged, refused: undefined, mustAsk: true, isAsked: true, signal });
    },
    logout: (rest = {}) => guarded(() => source.forget(rest)),
  };

  async function prepareFields(request: Parameters<HttpCredentials['fieldsFor']>[0]) {
    const { signal, httpMethod, url } = request;
    await load(signal);
    const due = source.live();
    if (due !== undefined && isDue(due)) await refreshAhead(due, signal);
    const live = source.live();
    if (live?.key === undefined) return fieldsOf(live);
    const { accessToken } = live.tokens;
    const dpop = await live.key.prove({ httpMethod, url, accessToken, nonce, now: now() });
    return { authorization: `DPoP ${accessToken}`, dpop };
  }

  async function load(signal: AbortSignal): Promise<void> {
    if (isLoaded) return;
    loading ??= guarded(source.load)
      .then(() => void (isLoaded = true))
      .finally(() => (loading = undefined));
    await untilAborted(signal, loading);
  }

  function isDue(live: LiveToken | undefined): boolean {
    if (live === undefined) return false;
    const { expiresAt, obtainedAt, refreshToken } = live.tokens;
    if (expiresAt === undefined || (refreshToken === undefined && isForUser())) return false;
    return now() >= expiresAt - Math.min(REFRESH_AHEAD_MS, (expiresAt - obtainedAt) / 10);
  }

  function isForUser(): boolean {
    return grant.redirectUri !== undefined;
  }

  /** A token that cannot be refreshed is used to its end; a user is asked when a server refuses it. */
  async function refreshAhead({ tokens }: LiveToken, signal: AbortSignal): Promise<void> {
    const { accessToken, expiresAt = Infinity } = tokens;
    try {
      const isRefreshed = await refresh(accessToken, signal);
      if (isRefreshed || isForUser()) return;
      const request = { challenges: [], challenged: [], refused: accessToken, mustAsk: false, signal };
      await obtain(`renew ${accessToken}`, request);
    } catch (error) {
      if (signal.aborted || now() >= expiresAt) throw error;
    }
  }

  function refresh(refused: string, signal: AbortSignal): Promise<boolean> {
    return refreshes.run(`refresh ${refused}`, signal, async () => {
      // Whoever came first did it for all.
      if (source.live()?.tokens.accessToken !== refused) return true;
      return limited(source.refresh);
    });
  }

  function obtain(
    key: string,
    request: Omit<Parameters<typeof source.obtain>[0], 'signal'> & {
      readonly signal: AbortSignal;
      /** Whether the user wants to be asked, so that it does not matter what he said a moment ago. */
      readonly isAsked?: boolean;
      readonly hold?: Hold | undefined;
      /** Is told when the work begins, which others may wait for, too. */
      readonly onStart?: () => void;
      /** Whether, by the time the work could begin, others have done it. */
      readonly isMoot?: () => boolean;
    },
  ): Promise<void> {
    const { signal: waiting, isAsked = false, hold = (work) => work(), onStart, isMoot, ...rest } = request;
    const run = asks.run(key, waiting, async () => {
      if (isMoot?.() === true) return;
      const isRecent = refusedAsk !== undefined && clock.now() - refusedAsk.at < ASK_AGAIN_MS;
      if (isRecent && !isAsked) throw refusedAsk?.error;
      onStart?.();
      const before = timesAsked;
      try {
        await limited((signal) => source.obtain({ ...rest, signal }));
        refusedAsk = undefined;
      } catch (error) {
        if (timesAsked > before) refusedAsk = { error, at: clock.now() };
        throw error;
      }
    });
    // A user takes longer than a server may.
    return isForUser() ? hold(() => run) : run;
  }

  function limited<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const limits = {
      what: 'the authorization',
      totalMs: authorizationTimeoutMs,
      totalOption: 'authorizationTimeoutMs',
    };
    return guarded(() => withDeadline(context, limits, ({ signal }) => work(signal)));
  }

  /** Whatever a store or a grant rejects with comes out as an error that names the server. */
  async function guarded<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ClientError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw context.fail('authorization', `no token could be had: ${reason}`);
    }
  }

  function attemptsOf(signal: AbortSignal): Attempts {
    const known = attempts.get(signal) ?? { refreshed: false, obtained: false, nonces: 0, stale: 0 };
    attempts.set(signal, known);
    return known;
  }

  function wantsNonce({ fields }: Refusal, challenges: readonly Challenge[]): boolean {
    return fields['dpop'] !== undefined && parameterOf(challenges, 'error').includes('use_dpop_nonce');
  }

  /** Spec: RFC 9449 section 9. The nonce itself came with `onResponse`. */
  function takeNonce({ signal, header }: Refusal): boolean {
    const made = attemptsOf(signal);
    made.nonces += 1;
    nonce = header('dpop-nonce') ?? nonce;
    if (made.nonces <= 2 && nonce !== undefined) return true;
    throw context.fail('unauthorized', 'it keeps refusing proofs for their nonce (use_dpop_nonce).', { status: 401 });
  }

  async function renew(
    { fields, signal, challenge, hold }: Refusal,
    challenges: readonly Challenge[],
  ): Promise<boolean> {
    const refused = tokenOf(fields['authorization']);
    const live = source.live();
    const made = attemptsOf(signal);
    // The refusal belongs to a token that has been replaced since.
    if (live !== undefined && live.tokens.accessToken !== refused) {
      made.stale += 1;
      return made.stale <= MAX_STALE;
    }
    if (made.obtained) {
      const [said] = parameterOf(challenges, 'error');
      const reason = said === undefined ? '' : `, ${excerpt(said, 80)}`;
      const error = context.fail(
        'unauthorized',
        `it refuses the token that ${describeUrl(live?.tokens.issuer ?? '')} has just given for it (HTTP 401${reason}). ` +
          'Look whether the server trusts that authorization server and expects itself as the audience.',
        { status: 401, challenge: maskedExcerpt(context, challenge, MAX_SHOWN) },
      );
      // Nor is a user asked by the next call for a token that is worth as little.
      refusedAsk = { error, at: clock.now() };
      throw error;
    }
    if (refused !== undefined && live?.tokens.refreshToken !== undefined && !made.refreshed) {
      made.refreshed = true;
      if (await refresh(refused, signal)) return true;
    }
    made.obtained = true;
    const challenged = challengedScopes(challenges);
    await obtain(`obtain ${refused ?? ''}`, { challenges, challenged, refused, mustAsk: false, signal, hold });
    return true;
  }

  /** Spec: basic/authorization#step-up-authorization-flow (2026-07-28). */
  async function stepUp(refusal: Refusal, challenges: readonly Challenge[]): Promise<boolean> {
    const { fields, operation, signal, challenge, hold } = refusal;
    const refused = tokenOf(fields['authorization']);
    const live = source.live();
    if (refused === undefined || live === undefined) return false;
    if (!parameterOf(challenges, 'error').includes('insufficient_scope')) return false;
    const wanted = challengedScopes(challenges);
    const isCovered = covers(live, wanted);
    if (live.tokens.accessToken !== refused && isCovered) return true;
    const since = clock.now() - STEP_UP_WINDOW_MS;
    const tried = (stepUps.get(operation) ?? []).filter((at) => at > since);
    // Where it does not say what is missing, asking twice is asking for the same.
    if (isCovered || tried.length >= (wanted.length === 0 ? Math.min(1, maxStepUps) : maxStepUps)) {
      const named = wanted.length === 0 ? 'it does not say which' : excerpt(wanted.join(' '));
      throw context.fail(
        'authorization',
        `it refuses ${operation} for want of scopes (insufficient_scope: ${named}), ` +
          (isCovered ? 'which the token has.' : `and ${tried.length} requests for more did not help.`) +
          ' Look at what the user may do there, and sign in again where that has changed.',
        { status: 403, challenge: maskedExcerpt(context, challenge, MAX_SHOWN), oauthError: 'insufficient_scope' },
      );
    }
    const isMoot = (): boolean => {
      const now = source.live();
      return now?.tokens.accessToken !== refused && covers(now, wanted);
    };
    const onStart = (): void => {
      for (const [name, times] of stepUps) if (times.every((at) => at <= since)) stepUps.delete(name);
      stepUps.set(operation, [...tried, clock.now()]);
    };
    const request = { challenges, challenged: wanted, refused, mustAsk: true, signal, hold, onStart, isMoot };
    await obtain(`step up ${refused} ${wanted.join(' ')}`, request);
    return true;
  }

  /** Asks the server without a token, so that it says where its metadata is. */
  async function probe(signal: AbortSignal): Promise<readonly Challenge[]> {
    const limits = { what: 'the first answer', signal, totalMs: httpTimeoutMs, totalOption: 'httpTimeoutMs' };
    return guarded(() =>
      withDeadline(context, limits, async (deadline) => {
        const accept = 'application/json, text/event-stream';
        const init = { method: 'GET', headers: { accept }, signal: deadline.signal, redirect: 'manual' as const };
        const response = await platformFetch(server.href, init);
        response.body?.cancel().catch(() => undefined);
        return parseChallenges(response.headers.get('www-authenticate') ?? '');
      }),
    );
  }

  function learning(base: PeerContext): PeerContext {
    return {
      ...base,
      learnSecret(secret) {
        base.learnSecret(secret);
        for (const learn of learners) learn(secret);
      },
    };
  }
}

function fieldsOf(live: LiveToken | undefined): { readonly [name: string]: string } {
  return live === undefined ? {} : { authorization: `Bearer ${live.tokens.accessToken}` };
}

/** Whether a token has what a challenge names. */
function covers(live: LiveToken | undefined, wanted: readonly string[]): boolean {
  const has = new Set(live?.tokens.granted ?? live?.tokens.scopes);
  return wanted.length > 0 && wanted.every((scope) => has.has(scope));
}

function challengedScopes(challenges: readonly Challenge[]): readonly string[] {
  return parseScope(parameterOf(challenges, 'scope').join(' ')).slice(0, MAX_CHALLENGED_SCOPES);
}

function tokenOf(authorization: string | undefined): string | undefined {
  return authorization?.replace(/^\S+ /, '');
}

function withoutUndefined(options: OAuthCredentialsOptions): Partial<typeof defaults> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
