import type { PeerContext } from '../peer/peer-context.ts';
import { dropLeftover, MAX_LEFTOVER_BYTES } from './drop-leftover.ts';
import type { FetchResponse } from './fetch.ts';
import { statusError } from './read-answer.ts';
import { readBeginning } from './read-body.ts';

/**
 * Resolves when a message that gets no answer of its own was accepted, and rejects with the error for its status when
 * it was not. The status says it all; a body is not waited for, since some servers answer with a stream that never
 * ends.
 */
export async function assertAccepted(
  context: PeerContext,
  response: FetchResponse,
  { what, signal }: { readonly what: string; readonly signal: AbortSignal },
): Promise<void> {
  if (response.status >= 200 && response.status < 300) {
    if (response.body !== null) void dropLeftover(response.body.getReader(), context);
    return;
  }
  const { bytes } = await readBeginning(response.body, { clock: context.clock, maxBytes: MAX_LEFTOVER_BYTES });
  signal.throwIfAborted();
  throw statusError(context, response, what, new TextDecoder().decode(bytes));
}
