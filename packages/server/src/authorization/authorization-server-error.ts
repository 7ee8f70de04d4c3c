/**
 * An authorization server does not answer, or not as it must. It holds no token, and its message is for the operator.
 */
export class AuthorizationServerError extends Error {
  override readonly name = 'AuthorizationServerError';
}
