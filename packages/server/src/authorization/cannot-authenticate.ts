import { ProtocolError } from '@switchyard/protocol';

/**
 * Answers the error for a caller of whom nobody can tell now who it is: 503 with `Retry-After`, so that it keeps
 * credentials that may be good. `cause` is for the log.
 */
export function cannotAuthenticate(cause: unknown): ProtocolError {
  return new ProtocolError('internalError', 'Nobody can be authenticated at the moment: try again', {
    status: 503,
    headers: { 'retry-after': '5' },
    cause,
  });
}
