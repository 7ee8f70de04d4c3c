/**
 * Why a store refused or failed:
 *
 * - `closed`: the store was closed before or during the call.
 * - `conflict`: a log record does not continue its stream (a gap, a repeat, or a sequence that is no positive integer).
 * - `corrupt`: what is stored cannot be read as this kind of store, or the given text cannot be kept unchanged (a lone
 *   surrogate, U+0000, an empty key or stream name).
 * - `newer-schema`: the file was written by a newer version of the software.
 * - `unavailable`: the storage cannot be reached or written now (missing, no permission, full, locked for too long).
 * - `too-large`: a key, a value, a record or the whole store would pass its limit.
 */
export type StoreErrorCode = 'closed' | 'conflict' | 'corrupt' | 'newer-schema' | 'unavailable' | 'too-large';

/**
 * The only error that a store throws or rejects with. `code` is for programs, `message` says what happened and what to
 * do and holds no stored text; `cause` is the driver's error where there is one.
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;

  constructor(code: StoreErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
