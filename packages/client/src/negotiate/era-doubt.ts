import { errorCodes, modernErrorCodes, ProtocolError } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';
import { isModernError, offeredRevisions } from '../modern/modern-error.ts';
import { isRefused } from '../session/refused.ts';
import type { Session } from '../session/session.ts';

/** Statuses of a server that does not take the POSTs of a revision. */
const statusesOfOtherServers: ReadonlySet<number | undefined> = new Set([400, 404, 405, 406, 415]);

const codesOfModernServers: ReadonlySet<number> = new Set([
  errorCodes.methodNotFound.code,
  errorCodes.invalidParams.code,
  errorCodes.internalError.code,
  errorCodes.parseError.code,
  ...modernErrorCodes,
]);

/**
 * Answers whether what a request came to gives reason to look anew which era a server is of: a server that was updated,
 * or set back, while a client knew it. Over HTTP alone: what a duplex connection ends at stays the one that was met, and
 * the codes of modern errors are free to a legacy server. Whether the request was executed is another question: see
 * {@link wasNotExecuted}.
 */
export function doubtsEra({ era, kind, isOutdated }: Session, error: unknown): boolean {
  if (kind === 'duplex') return false;
  if (era === 'legacy') return isOutdated?.() === true || isModernError(error);
  if (error instanceof ClientError) return error.code === 'http-status' && statusesOfOtherServers.has(error.status);
  if (!(error instanceof ProtocolError) || !statusesOfOtherServers.has(error.status)) return false;
  return !codesOfModernServers.has(error.code);
}

/**
 * Answers whether a request certainly was not executed, so that even a call with effects may be sent once more to a
 * server of another era. An error code alone never says so: one that is kept for refusals in one revision is free in
 * another. What does: a refusal that is not addressed to the request (a bare HTTP status, an error without an id), a
 * session that the server had dropped, and HTTP 400 with -32022 that does not offer the revision which was used.
 */
export function wasNotExecuted({ facts, kind }: Session, error: unknown): boolean {
  if (kind === 'duplex') return false;
  if (isRefused(error)) return true;
  if (error instanceof ClientError) return error.code === 'http-status' && statusesOfOtherServers.has(error.status);
  if (!(error instanceof ProtocolError) || error.status !== errorCodes.unsupportedProtocolVersion.status) return false;
  const offered = offeredRevisions(error) ?? [];
  return offered.length > 0 && !offered.includes(facts.revision);
}
