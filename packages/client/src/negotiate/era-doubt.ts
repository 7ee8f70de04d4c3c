import { errorCodes, ProtocolError } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import { isModernError } from '../modern/modern-error.ts';
import type { Session } from '../session/session.ts';

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
