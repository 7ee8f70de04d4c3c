import {
  allowInsecureRequests,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  processPushedAuthorizationResponse,
  pushedAuthorizationRequest,
  validateAuthResponse,
} from 'oauth4webapi';
import { base64url } from 'jose';
import { ClientError } from '../peer/client-error.ts';
import { excerpt } from '../peer/excerpt.ts';
import type { Grant, GrantRequest } from './grant.ts';
import { toAuthorizationError } from './oauth-failure.ts';
import type { Redirect } from './redirect.ts';

/** What the grant needs. */
export interface AuthorizationCodeGrantOptions {
  readonly redirect: Redirect;
  /** Answers random bytes; the platform's by default. */
  readonly randomBytes?: (length: number) => Uint8Array;
}

const RANDOM_BYTES = 32;

/**
 * Creates the grant of a user who agrees in a browser: PKCE with S256, `state`, `resource`, and `iss` of the answer
 * compared with the issuer that was recorded before. What an answer of somebody else says is neither used nor shown.
 * `obtain` rejects with a `ClientError` of code `authorization`: an authorization server without PKCE, an answer that
 * is not to this request, a user who did not agree (`oauthError`: `access_denied`).
 *
 * Spec: basic/authorization#authorization-flow-steps, #authorization-response-validation (2026-07-28).
 */
export function authorizationCodeGrant(options: AuthorizationCodeGrantOptions): Grant {
  const { redirect, randomBytes = (length) => crypto.getRandomValues(new Uint8Array(length)) } = options;
  const random = (): string => base64url.encode(randomBytes(RANDOM_BYTES));
  return {
    type: 'authorization_code',
    redirectUri: redirect.uri,

    async obtain(request) {
      const { server, client, context, signal } = request;
      assertPkce(request);
      const [verifier, state] = [random(), random()];
      const parameters = {
        response_type: 'code',
        client_id: client.client.client_id,
        redirect_uri: redirect.uri,
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        resource: request.resource,
        ...(request.scopes.length === 0 ? {} : { scope: request.scopes.join(' ') }),
        // OpenID Connect gives a refresh token only to whom the user was asked about.
        ...(request.scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
        ...(request.dpop === undefined ? {} : { dpop_jkt: await request.dpop.calculateThumbprint() }),
      };
      const url = await authorizationUrl(request, parameters);
      const answer = toParameters(
        await asked(request, () => request.asksUser(() => redirect.authorize(url, { signal, state }))),
      );
      let validated: URLSearchParams;
      try {
        validated = validateAuthResponse(server, client.client, answer, state);
      } catch (error) {
        throw describeAnswer(request, answer, { state, error });
      }
      const code = validated.get('code');
      if (code === null || code === '') {
        throw context.fail('authorization', 'the answer of the authorization server holds no code. Try again.');
      }
      return request.token(
        'authorization_code',
        { code, redirect_uri: redirect.uri, code_verifier: verifier },
        { withoutScope: true },
      );
    },
  };
}

/** Spec: basic/authorization/security-considerations#authorization-code-protection (2026-07-28). */
function assertPkce({ server, context }: GrantRequest): void {
  if (server.code_challenge_methods_supported?.includes('S256') === true) return;
  throw context.fail(
    'authorization',
    `the authorization server ${excerpt(server.issuer)} does not say that it supports PKCE with S256 ` +
      '(code_challenge_methods_supported), without which a code could be stolen. It has to be set up there.',
  );
}

async function authorizationUrl(request: GrantRequest, parameters: Readonly<Record<string, string>>): Promise<URL> {
  const { server, client, context, http, signal } = request;
  if (typeof server.authorization_endpoint !== 'string') {
    throw context.fail('authorization', 'the authorization server has no authorization_endpoint for users.');
  }
  const url = new URL(server.authorization_endpoint);
  if (server.require_pushed_authorization_requests !== true) {
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  }
  try {
    const pushed = await processPushedAuthorizationResponse(
      server,
      client.client,
      await pushedAuthorizationRequest(
        server,
        client.client,
        client.authentication,
        { ...parameters },
        {
          ...http,
          [allowInsecureRequests]: true,
        },
      ),
    );
    url.searchParams.set('client_id', client.client.client_id);
    url.searchParams.set('request_uri', pushed.request_uri);
    return url;
  } catch (error) {
    throw toAuthorizationError(context, 'the pushed authorization request', error, signal);
  }
}

async function asked<T>({ context, signal }: GrantRequest, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ClientError) throw error;
    const reason = error instanceof Error ? excerpt(error.message) : 'it failed';
    throw context.fail('authorization', `the user could not be asked: ${reason}.`);
  }
}

function toParameters(answer: Awaited<ReturnType<Redirect['authorize']>>): URLSearchParams {
  if (answer instanceof URLSearchParams) return answer;
  if (answer instanceof URL) return answer.searchParams;
  if (typeof answer !== 'string') return new URLSearchParams({ ...answer });
  return URL.parse(answer)?.searchParams ?? new URLSearchParams(answer);
}

/** Says why an answer is not used. Only one of the right server, to this request, may speak for itself. */
function describeAnswer(
  { server, context, signal }: GrantRequest,
  answer: URLSearchParams,
  { state, error }: { readonly state: string; readonly error: unknown },
): unknown {
  const issuers = answer.getAll('iss');
  const expected = `the issuer "${excerpt(server.issuer)}"`;
  if (issuers.length > 1 || (issuers[0] !== undefined && issuers[0] !== server.issuer)) {
    return context.fail(
      'authorization',
      `an answer of "${excerpt(issuers[0] ?? '')}" came back instead of one of ${expected}. It was dropped, ` +
        'since a code could have been meant for somebody else. The two must be identical, a slash at the end included.',
    );
  }
  if (issuers[0] === undefined && isIssuerPromised(server)) {
    return context.fail(
      'authorization',
      `an answer without the parameter iss came back, which ${expected} promises to send. It was dropped.`,
    );
  }
  if (answer.get('state') !== state) {
    return context.fail('authorization', 'an answer to another request came back (state differs). It was dropped.');
  }
  return toAuthorizationError(context, 'the authorization', error, signal);
}

function isIssuerPromised(server: AuthorizationServer): boolean {
  return server.authorization_response_iss_parameter_supported === true;
}
