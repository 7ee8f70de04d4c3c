/**
 * Why a token store of this package could not be used. The set is closed:
 *
 * - `wrong-key`: what is stored was encrypted with another key or passphrase; it stays as it is.
 * - `corrupt`: what is stored is damaged, or was moved to where it does not belong; it stays as it is.
 * - `unsafe`: others than the user can read where the tokens are kept, or it belongs to somebody else.
 * - `too-large`: a value over the limit.
 * - `unavailable`: the storage failed.
 * - `invalid-argument`: the caller's own option cannot be used.
 */
export type TokenStoreErrorCode = 'wrong-key' | 'corrupt' | 'unsafe' | 'too-large' | 'unavailable' | 'invalid-argument';

/** What a token store of this package rejects with. The message says what to do, and holds no value and no key. */
export class TokenStoreError extends Error {
  override readonly name = 'TokenStoreError';
  readonly code: TokenStoreErrorCode;

  constructor(code: TokenStoreErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
