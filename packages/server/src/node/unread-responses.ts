import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { toBound } from '../limits/bound.ts';

/** How much of responses that are finished may wait in memory for callers to read it. */
export interface UnreadResponseOptions {
  /**
   * Of all callers together, in bytes: default 128 MiB; `Infinity` for any. Past it, those that have waited for longest are cut off, down to
   * three quarters of it; the one that came last is not.
   */
  readonly maxUnreadBytes?: number;
}

/** How much of finished responses waits unless an option says otherwise. */
export const DEFAULT_MAX_UNREAD_BYTES = 128 * 1024 * 1024;

/** How much of the limit is left when it was passed, so that what waits is not measured for each further response. */
const LEFT_AFTER_CUT = 0.75;

/** How long a finished response waits for a caller who reads nothing of it. */
const STALLED_MS = 60_000;

/**
 * Holds the responses that are finished and not read yet. A request gives its place back when its response is finished, and a server of Node
 * has no limit on how much, or for how long, lies unread in its memory.
 */
export interface UnreadResponses {
  /**
   * Holds a response that was ended just now and is not sent yet. `onGone` must call back when its connection ends before
   * it is sent: a response that waits behind others is not always told.
   */
  add(request: IncomingMessage, response: ServerResponse, onGone: (callback: () => void) => void): void;
}

/** @throws TypeError when the limit is no number of at least 1. */
export function createUnreadResponses(
  { maxUnreadBytes = DEFAULT_MAX_UNREAD_BYTES }: UnreadResponseOptions,
  onCut: () => void,
): UnreadResponses {
  const max = toBound('maxUnreadBytes', maxUnreadBytes);
  /** In the order in which they were finished, with their bytes as they were measured last. */
  const waiting = new Map<ServerResponse, { readonly connection: Socket; bytes: number }>();
  let total = 0;

  function forget(response: ServerResponse): void {
    total -= waiting.get(response)?.bytes ?? 0;
    waiting.delete(response);
  }

  function measure(): void {
    total = 0;
    for (const [response, held] of waiting) {
      held.bytes = response.writableLength;
      total += held.bytes;
    }
  }

  function cutOff(latest: ServerResponse): void {
    measure();
    if (total <= max) return;
    for (const [response, { connection }] of waiting) {
      if (total <= max * LEFT_AFTER_CUT || response === latest) return;
      forget(response);
      // A response that waits behind others has no connection of its own that it could end.
      connection.destroy();
      onCut();
    }
  }

  return {
    add(request, response, onGone) {
      const bytes = response.writableLength;
      response.setTimeout(STALLED_MS, () => response.destroy());
      waiting.set(response, { connection: request.socket, bytes });
      total += bytes;
      const gone = (): void => forget(response);
      response.once('finish', gone).once('close', gone);
      onGone(gone);
      if (total > max) cutOff(response);
    },
  };
}
