import { ProtocolError } from '@switchyard/protocol';

/**
 * Answers the error for what there is no room for at the moment: -32603, over HTTP with status 503 and `Retry-After`.
 * `cause` is for the log.
 */
export function busy(message: string, cause?: unknown): ProtocolError {
  return new ProtocolError('internalError', message, { status: 503, headers: { 'retry-after': '1' }, cause });
}
