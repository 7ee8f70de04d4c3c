/**
 * What is known of the caller whom an event is about, each only where its credentials were verified so far. Never the
 * token.
 */
export interface CallerFacts {
  /** Whom the credentials are for; absent where they were not verified so far. */
  readonly subject?: string;
  /** The tenant of the subject; absent where there is none. */
  readonly tenant?: string;
  /** The OAuth client that the token was issued to; absent where the token does not say. */
  readonly clientId?: string;
  /** Who issued the token; absent where none did. */
  readonly issuer?: string;
  /** The `jti` of the token: its name, which opens nothing. */
  readonly tokenId?: string;
}

/** What every {@link SecurityEvent} says. */
export interface RefusedRequest extends CallerFacts {
  /** The HTTP method. */
  readonly method: string;
  /** The HTTP status of the answer, or the one that it would have had where a stream was open already. */
  readonly status: number;
  /**
   * Why, in one word or a few with hyphens, for example `expired`: a name to count by, never a text of the caller's.
   */
  readonly reason: string;
}

/**
 * A request that was not served because of who sent it:
 *
 * - `unauthenticated`: no valid credentials, 401, or ones that break a rule of their form, 400;
 * - `revoked`: the token was valid and has been revoked, 401;
 * - `forbidden`: the caller, its host or its origin may not do this, 403;
 * - `step-up`: the token lacks scopes of the operation, and the caller was told which it takes, 403;
 * - `unavailable`: nobody could tell who calls, since something that authentication needs does not answer, 503, or
 *   failed, 500.
 */
export type SecurityEvent =
  | (RefusedRequest & { readonly type: 'unauthenticated' | 'revoked' | 'forbidden' | 'unavailable' })
  | (RefusedRequest & { readonly type: 'step-up'; readonly requiredScopes: readonly string[] });

/** Takes security events. What it throws, and what its promise rejects with, is dropped: no request depends on it. */
export type OnSecurityEvent = (event: SecurityEvent) => unknown;

/** Makes the function that reports an event, and never throws. */
export function createSecurityReport(onSecurityEvent: OnSecurityEvent | undefined): (event: SecurityEvent) => void {
  if (onSecurityEvent === undefined) return ignore;
  return (event) => {
    try {
      // An async function is taken, too, and its rejection would end the process.
      Promise.resolve(onSecurityEvent(event)).catch(ignore);
    } catch {
      // The request is answered all the same.
    }
  };
}

function ignore(): void {
  // Nobody wants to know.
}
