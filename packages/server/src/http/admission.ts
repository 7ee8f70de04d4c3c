import { type Logger, type Principal, ProtocolError, toMilliseconds } from '@switchyard/protocol';

import { requiredScopesOf } from '../authorization/assert-scopes.ts';
import { renderChallenge } from '../authorization/challenge.ts';
import { admitPrincipal } from '../authorization/principal-grant.ts';
import type { ProtectedResource } from '../authorization/protected-resource.ts';
import type { ToErrorReply } from '../dispatch/error-reply.ts';
import { type Authenticate, type Authenticated, type Challenge, isChallenge } from '../authorization/authenticate.ts';
import type { HttpExchange, HttpHead, HttpHeaders } from '../exchange/http-exchange.ts';
import {
  type CallerFacts,
  createSecurityReport,
  type OnSecurityEvent,
  type SecurityEvent,
} from '../authorization/security-event.ts';
import { abandoned, boundAuthenticate } from './bounded-authenticate.ts';
import type { LogRefusal } from './refusal-log.ts';

/** Who is let in over HTTP, and who learns of those who are not. */
export interface AdmissionOptions {
  /** Establishes who calls. Default: every caller is anonymous. */
  readonly authenticate?: Authenticate;
  /**
   * How long `authenticate` may take, in milliseconds of at least 1: default 30,000; `Infinity` for any time. A caller
   * whom it leaves waiting for longer gets 503 with `Retry-After`, and so does one more than may wait at a time, which
   * are as many as may run.
   */
  readonly authenticateTimeoutMs?: number;
  /** What the server is to authorization servers and their clients; challenges then tell where its metadata lies. */
  readonly protectedResource?: ProtectedResource;
  /**
   * Is told of each request that was refused because of who sent it, beside the line in the log. It gets no token, and
   * is not waited for.
   */
  readonly onSecurityEvent?: OnSecurityEvent;
}

/** An answer instead of the one that the request asked for. */
export interface Refusal {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly text: string;
}

/** What is known of a request before its body is read. */
export type AdmittedExchange = Pick<HttpExchange, 'head' | 'onAbandoned'>;

/** The checks of who calls; nothing in it throws. */
export interface Admission {
  /**
   * Answers who calls, or the refusal, or that the caller went away before that was known; `undefined` without
   * `authenticate`, so that nothing waits.
   */
  readonly admit:
    | ((exchange: AdmittedExchange) => Promise<{ readonly principal: Principal | undefined } | Refusal | 'abandoned'>)
    | undefined;
  /** The headers that go with an error, which is reported where it refuses the caller. */
  refuse(head: HttpHead, error: ProtocolError, caller: CallerFacts | undefined): HttpHeaders;
  /** Reports a refusal for the sake of the host or the origin. */
  reportForbidden(head: HttpHead, reason: string): void;
}

/** What the checks of who calls are made with. */
export interface AdmissionSite {
  readonly toErrorReply: ToErrorReply;
  /** Must not throw; it is told why nobody could be authenticated. */
  readonly logger: Logger;
  readonly logRefusal: LogRefusal;
  /** How many callers may wait for `authenticate` at a time. */
  readonly maxWaiting: number;
}

/** How long `authenticate` may take unless an option says otherwise. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/**
 * Makes the checks of who calls.
 *
 * @throws TypeError when there is a `protectedResource` and no `authenticate`, or the time is out of range.
 */
export function createAdmission(
  options: AdmissionOptions,
  { toErrorReply, logger, logRefusal, maxWaiting }: AdmissionSite,
): Admission {
  const { authenticate, protectedResource, authenticateTimeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const timeoutMs = toMilliseconds('authenticateTimeoutMs', authenticateTimeoutMs, 1);
  if (protectedResource !== undefined && authenticate === undefined)
    throw new TypeError(
      'protectedResource without `authenticate` tells clients to bring tokens that nobody checks: pass both',
    );
  const report = createSecurityReport(options.onSecurityEvent);

  async function admit(
    hook: ReturnType<typeof boundAuthenticate>,
    exchange: AdmittedExchange,
  ): ReturnType<NonNullable<Admission['admit']>> {
    const { head } = exchange;
    let challenge: Challenge | undefined;
    let thrown: unknown;
    try {
      const authenticated = await hook(exchange);
      if (authenticated === abandoned) return 'abandoned';
      if (authenticated === 'anonymous') return { principal: undefined };
      if (isPrincipal(authenticated)) {
        return { principal: admitPrincipal(authenticated, protectedResource) };
      }
      // Whoever was established as nobody is refused: forgetting to throw must not open the endpoint, nor may what
      // JavaScript gives instead of `undefined`, such as `null`, `false` or an object without a subject.
      challenge = isObject(authenticated) && isChallenge(authenticated) ? authenticated : undefined;
      thrown = toError(challenge);
    } catch (error) {
      thrown = error;
    }
    if (thrown instanceof ProtocolError && thrown.cause !== undefined)
      logger.warn({ err: thrown.cause }, 'nobody can be authenticated');
    const { text, error, ...reply } = toErrorReply(undefined, thrown, 'authentication failed');
    // An error within a request may travel with 200; who is not let in must not look served.
    const status = reply.status < 400 ? 500 : reply.status;
    const headers = headersOf(error, protectedResource);
    const event = toEvent(head, error, challenge?.about, challenge?.reason ?? 'refused') ?? {
      type: 'unavailable',
      method: head.method,
      status,
      reason: 'authentication-failed',
    };
    report(event);
    // What failed in the hook has a line of its own, which says more.
    if (error === thrown && error.cause === undefined) logRefusal(head, status, event.reason, event);
    return { status, headers, text };
  }

  const hook = authenticate === undefined ? undefined : boundAuthenticate(authenticate, { timeoutMs, maxWaiting });
  return {
    admit: hook === undefined ? undefined : (exchange) => admit(hook, exchange),
    refuse(head, error, caller) {
      const event = toEvent(head, error, caller, undefined);
      if (event !== undefined) report(event);
      return headersOf(error, protectedResource);
    },
    reportForbidden(head, reason) {
      report({ type: 'forbidden', method: head.method, status: 403, reason });
    },
  };
}

function isObject(authenticated: Authenticated): authenticated is Principal | Challenge {
  return typeof authenticated === 'object' && (authenticated as object | null) !== null;
}

function isPrincipal(authenticated: Authenticated): authenticated is Principal {
  return isObject(authenticated) && !isChallenge(authenticated) && typeof authenticated.subject === 'string';
}

const refusingStatuses: ReadonlySet<number> = new Set([400, 401, 403]);

function toError(challenge: Challenge | undefined): ProtocolError {
  const { message = 'The request carries no valid credentials' } = challenge ?? {};
  if (challenge === undefined) return new ProtocolError('invalidRequest', message, { status: 401 });
  const { wwwAuthenticate } = challenge;
  const listed = typeof wwwAuthenticate === 'string' ? wwwAuthenticate : wwwAuthenticate.join(', ');
  return new ProtocolError('invalidRequest', message, {
    status: refusingStatuses.has(challenge.status) ? challenge.status : 401,
    headers: { ...challenge.headers, 'www-authenticate': listed },
  });
}

/** Spec: RFC 9110 section 15.5.2 demands a challenge with every 401. */
function headersOf(error: ProtocolError, resource: ProtectedResource | undefined): HttpHeaders {
  const { headers = {}, status } = error;
  if (status !== 401 || headers['www-authenticate'] !== undefined) return headers;
  const scopes = requiredScopesOf(error);
  const challenge = renderChallenge('Bearer', resource, scopes === undefined ? {} : { scopes });
  return { ...headers, 'www-authenticate': challenge };
}

function toEvent(
  { method }: HttpHead,
  error: ProtocolError,
  caller: CallerFacts | undefined,
  reason: string | undefined,
): SecurityEvent | undefined {
  const { status } = error;
  const { subject, tenant, clientId, issuer, tokenId } = caller ?? {};
  const about = Object.fromEntries(
    Object.entries({ subject, tenant, clientId, issuer, tokenId }).filter(([, value]) => value !== undefined),
  );
  const requiredScopes = requiredScopesOf(error);
  if (status === 403 && requiredScopes !== undefined)
    return { type: 'step-up', method, status, reason: 'insufficient-scope', requiredScopes, ...about };
  if (status === 403) return { type: 'forbidden', method, status, reason: reason ?? 'refused', ...about };
  if (status === 401 || (status === 400 && reason !== undefined))
    return {
      type: reason === 'revoked' ? 'revoked' : 'unauthenticated',
      method,
      status,
      reason: reason ?? (requiredScopes === undefined ? 'refused' : 'no-credentials'),
      ...about,
    };
  return undefined;
}
