import { errorCodes, ProtocolError } from '@switchyard/protocol';
import type { ClientErrorCode } from '../peer/client-error-code.ts';
import { ClientError } from '../peer/client-error.ts';

const finalCodes: ReadonlySet<number> = new Set([
  errorCodes.methodNotFound.code,
  errorCodes.invalidParams.code,
  errorCodes.missingRequiredClientCapability.code,
]);

const finalFailures: ReadonlySet<ClientErrorCode> = new Set([
  'unauthorized',
  'authorization',
  'version',
  'invalid-argument',
]);

/** Answers whether asking again would come to the same: the server does not have it, or not for this caller. */
export function isFinal(error: unknown): boolean {
  if (error instanceof ProtocolError) return finalCodes.has(error.code);
  if (!(error instanceof ClientError)) return false;
  return finalFailures.has(error.code) || (error.code === 'http-status' && error.status === 403);
}
