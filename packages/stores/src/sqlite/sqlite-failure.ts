import { StoreError } from '../store-error.ts';
import type { StoreErrorCode } from '../store-error.ts';

const BUSY = 5;
const LOCKED = 6;
const CORRUPT = 11;
const TOO_BIG = 18;
const NOT_A_DATABASE = 26;

const codes = new Map<number, StoreErrorCode>([
  [CORRUPT, 'corrupt'],
  [NOT_A_DATABASE, 'corrupt'],
  [TOO_BIG, 'too-large'],
]);

/** SQLite's primary result code in an error of `node:sqlite`, or undefined for any other value. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  // The upper bits of an extended code only refine the primary one.
  return error.errcode & 0xff;
}

/** True when another connection held the lock that a statement needed, so that trying again later can help. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/**
 * The StoreError for whatever a driver or file system call threw: `corrupt` and `too-large` where SQLite says so, else
 * `unavailable`. `what` says in a few words what was tried on which file.
 */
export function toStoreError(error: unknown, what: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = codes.get(resultCode(error) ?? 0) ?? 'unavailable';
  const reason = error instanceof Error ? error.message : String(error);
  const hint = isBusy(error) ? ' (another process holds the lock; end it or try again)' : '';
  return new StoreError(code, `${what}: ${reason}${hint}`, { cause: error });
}
