import { DisconnectsClientError, ErrorReply } from '@redis/client';
import { reasonOf } from '../reason-of.ts';
import { StoreError } from '../store-error.ts';
import type { StoreErrorCode } from '../store-error.ts';

const codes = new Map<string, StoreErrorCode>([
  ['OOM', 'too-large'],
  ['WRONGTYPE', 'corrupt'],
]);

/** True when the server does not know a script by its digest, and so has not run it. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof ErrorReply && error.message.startsWith('NOSCRIPT');
}

/** True when the user may not run the command. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ErrorReply && error.message.startsWith('NOPERM');
}

/**
 * The StoreError for whatever the driver threw: `too-large` where the memory of the server is full, `corrupt` where a
 * key holds something else, else `unavailable`. `what` says in a few words what was tried on which server.
 */
export function toStoreError(error: unknown, what: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason =
    error instanceof DisconnectsClientError
      ? 'the connection was given up, because a command before this one had no answer'
      : reasonOf(error);
  const code = (error instanceof ErrorReply && codes.get(reason.split(' ', 1)[0] ?? '')) || 'unavailable';
  return new StoreError(code, `${what}: ${reason}`, { cause: error });
}
