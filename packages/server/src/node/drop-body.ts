import type { IncomingMessage, ServerResponse } from 'node:http';

/** How long a caller may go on sending a body that nobody wants after its reply was handed over. */
const LINGERING_MS = 5_000;

/**
 * Drops what is left of a body as it comes: closing with unread bytes could take the reply from a caller who sends
 * everything before it reads. Whoever still sends some seconds after the reply is cut off.
 */
export function dropBody(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.once('finish', () => {
    if (request.complete) return;
    const cutOff = setTimeout(() => request.destroy(), LINGERING_MS);
    request.once('close', () => clearTimeout(cutOff));
  });
}
