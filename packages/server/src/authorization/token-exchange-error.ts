/**
 * No token could be got in a caller's name:
 *
 * - `no-exchange`: the caller has no token, or the server was not told where to exchange it;
 * - `refused`: the authorization server does not give one; trying again changes nothing;
 * - `unavailable`: it does not answer, or not as it must; the cause says why.
 *
 * It holds no token.
 */
export class TokenExchangeError extends Error {
  override readonly name = 'TokenExchangeError';
  readonly code: 'no-exchange' | 'refused' | 'unavailable';

  constructor(code: TokenExchangeError['code'], message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
