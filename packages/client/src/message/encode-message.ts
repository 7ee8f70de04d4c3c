import { type Notification, type Request, type Response, stringifyJson } from '@switchyard/protocol';
import type { PeerContext } from '../peer/peer-context.ts';

/**
 * Answers the JSON text of a message. Throws a `ClientError` with code `invalid-argument` for params of the caller that
 * JSON cannot carry, such as a cycle.
 */
export function encodeMessage(context: PeerContext, message: Request | Notification | Response): string {
  try {
    return stringifyJson(message);
  } catch (error) {
    throw context.fail('invalid-argument', `the params cannot be written as JSON: ${String(error)}`, { cause: error });
  }
}

/** Answers what a message is called in an error. */
export function nameOfMessage(message: Request | Notification | Response): string {
  return 'method' in message ? message.method : 'a response';
}
