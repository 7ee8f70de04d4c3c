import { ProtocolError } from '@switchyard/protocol';
import { ClientError } from '../peer/client-error.ts';

/** HTTP statuses of access, load and timing: whoever sends them has not looked at the message. */
const statusesWithoutMeaning: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/** Answers whether an HTTP status comes from whoever looked at the message. */
export function isMeaningful(status: number): boolean {
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && !statusesWithoutMeaning.has(status));
}

/** Answers whether a failed start speaks against what was known of the server, and not of its being reached at all. */
export function contradicts(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.status === undefined || isMeaningful(error.status);
  if (!(error instanceof ClientError)) return false;
  if (error.code === 'http-status')
    return error.status !== undefined && error.status >= 400 && isMeaningful(error.status);
  return error.code === 'version' || error.code === 'invalid-response';
}
