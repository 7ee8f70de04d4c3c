import { ProtocolError } from '@switchyard/protocol';

import { errorText } from './error-reply.ts';
import type { Incoming } from './incoming.ts';

/** Answers the error response to input that is no message, or `undefined` for a message that gets no response. */
export function refusalText(incoming: Incoming): string | undefined {
  if (incoming.kind === 'unparsable')
    return errorText(undefined, new ProtocolError('parseError', 'The message is not JSON'));
  if (incoming.kind === 'invalid')
    return errorText(incoming.id, new ProtocolError('invalidRequest', `Invalid message: ${incoming.problem}`));
  return undefined;
}
