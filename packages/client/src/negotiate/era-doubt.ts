import { errorCodes, ProtocolError } from '@switchyard/protocol';
import { ClientError } from '../client-error.ts';
import { isModernError } from '../modern/modern-error.ts';
import type { Session } from '../session.ts';

/** HTTP statuses of access, load and timing: whoever sends them has not looked at the message. */
const statusesWithoutMeaning: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/** Statuses of a server that does not take the POSTs of a revision. */
const statusesOfOtherServers: ReadonlySet<number | undefined> = new Set([400, 404, 405, 406, 415]);

const codesOfModernServers: ReadonlySet<number> = new Set([
  errorCodes.methodNotFound.code,
  errorCodes.invalidParams.code,
  errorCodes.internalError.code,
  errorCodes.parseError.code,
  errorCodes.headerMismatch.code,
  errorCodes.missingRequiredClientCapability.code,
  errorCodes.unsupportedProtocolVersion.code,
]);

/** Answers whether an HTTP status comes from whoever looked at the message. */
export function isMeaningful(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && !statusesWithoutMeaning.has(status));
}

/**
 * Answers whether what a request came to gives reason to look anew which era a server is of: a server that was updated,
 * or set back, while a client knew it. The request was refused, not executed.
 */
export function doubtsEra({ era, isOutdated }: Session, error: unknown): boolean {
  if (era === 'legacy') return isOutdated?.() === true || isModernError(error);
  if (error instanceof ClientError) return error.code === 'http-status' && statusesOfOtherServers.has(error.status);
  if (!(error instanceof ProtocolError) || !statusesOfOtherServers.has(error.status)) return false;
  return !codesOfModernServers.has(error.code);
}

/** Answers whether a failed start speaks against what was known of the server, and not of its being reached at all. */
export function contradicts(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.status === undefined || isMeaningful(error.status);
  if (!(error instanceof ClientError)) return false;
  if (error.code === 'http-status')
    return error.status !== undefined && error.status >= 400 && isMeaningful(error.status);
  return error.code === 'version' || error.code === 'invalid-response';
}
