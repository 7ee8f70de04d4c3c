import { ProtocolError } from '@switchyard/protocol';

/**
 * Answers the error for a request whose body somebody in front has read: a mistake of whoever put the application
 * together.
 */
export function bodyReadBefore(advice: string): ProtocolError {
  return new ProtocolError('internalError', `The body was read before the request reached the MCP server: ${advice}`, {
    status: 500,
  });
}
