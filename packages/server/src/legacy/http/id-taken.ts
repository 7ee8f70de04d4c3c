import { ProtocolError } from '@switchyard/protocol';

/**
 * Answers the error for a session whose id another one has: a mistake of whoever makes ids, and nobody may get the
 * session of another.
 */
export function idTaken(): ProtocolError {
  return new ProtocolError('internalError', 'No session was opened: its id belongs to another one', { status: 500 });
}
