import { ResponseBodyError } from 'oauth4webapi';

import { AuthorizationServerError } from './authorization-server-error.ts';

const ERROR_CODE = /^[a-z_]{1,64}$/;

/** Answers the code of an error response of an authorization server, or `undefined` for another failure. */
export function oauthErrorCode(error: unknown): string | undefined {
  if (!(error instanceof ResponseBodyError)) return undefined;
  return ERROR_CODE.test(error.error) ? error.error : 'an error code of its own';
}

/**
 * Answers what may be logged of a failed request to an authorization server. The library's error holds the response,
 * and texts of the other side may repeat what was sent, so nothing but its code is kept.
 */
export function toServerFailure(error: unknown, endpoint: string): AuthorizationServerError {
  if (error instanceof AuthorizationServerError) return error;
  const code = oauthErrorCode(error);
  return new AuthorizationServerError(
    code === undefined
      ? `${endpoint} answered what is no valid response: check that it is the right URL and that this server is registered there`
      : `${endpoint} refused the request: ${code}`,
  );
}
