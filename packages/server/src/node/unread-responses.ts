import { toBound } from '@switchyard/protocol';

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { createDeadlines, Watched } from '../timing/deadlines.ts';

/** How much of responses that are finished may wait in memory for callers to read it. */
export interface UnreadResponseOptions {
  /**
   * Of all callers together, in bytes: default 128 MiB; `Infinity` for any. Past it, the connections whose callers have
   * read nothing for longest are cut off, down to three quarters of it; one on which nothing lies but the response that
   * came last is not. Whoever reads nothing for a minute is cut off in any case. A response that waits behind another
   * one of its connection is not read unless that one is: behind a stream that goes on it lies there a minute.
   */
  readonly maxUnreadBytes?: number;
}

/** How much of finished responses waits unless an option says otherwise. */
export const DEFAULT_MAX_UNREAD_BYTES = 128 * 1024 * 1024;

/** How much of the limit is left when it was passed, so that what waits is not measured for each further response. */
const LEFT_AFTER_CUT = 0.75;

/** How long a finished response waits for a caller who reads nothing. */
const STALLED_MS = 60_000;

/**
 * How often it is looked at whether a caller reads: whoever reads nothing is cut off later than he might be by about as
 * much.
 */
const LOOK_MS = STALLED_MS / 4;

/**
 * Holds the responses that are finished and not read yet. A request gives its place back when its response is finished,
 * and a server of Node has no limit on how much, or for how long, lies unread in its memory.
 */
export interface UnreadResponses {
  /**
   * Holds a response that was ended just now and is not sent yet. `onGone` must call back when its connection ends
   * before it is sent: a response that waits behind others is not always told.
   */
  add(request: IncomingMessage, response: ServerResponse, onGone: (callback: () => void) => void): void;
}

/** Why a caller was cut off: too much lay unread altogether, or it read nothing for too long. */
export type CutReason = 'too-much' | 'stalled';

/**
 * `now` is in milliseconds and never goes back; `onCut` is told of each connection that is cut off.
 *
 * @throws TypeError when the limit is no number of at least 1.
 */
export function createUnreadResponses(
  { maxUnreadBytes = DEFAULT_MAX_UNREAD_BYTES }: UnreadResponseOptions,
  { now, onCut }: { readonly now: () => number; readonly onCut: (reason: CutReason) => void },
): UnreadResponses {
  const max = toBound('maxUnreadBytes', maxUnreadBytes);
  const waiting = new Map<ServerResponse, HeldResponse>();
  // A time limit of the socket's own would outlast the response, and end a request that runs after it.
  const looks = createDeadlines(LOOK_MS);
  let total = 0;

  function forget(response: ServerResponse): void {
    const held = waiting.get(response);
    if (held === undefined) return;
    total -= held.bytes;
    waiting.delete(response);
    looks.forget(held);
  }

  function measure(): void {
    total = 0;
    for (const held of waiting.values()) {
      held.look();
      total += held.bytes;
    }
  }

  function cutOff(latest: ServerResponse): void {
    measure();
    if (total <= max) return;
    const idlestFirst = [...waiting.values()].sort((a, b) => a.movedAt - b.movedAt);
    // All that wait on one connection end with it, and count no longer: nobody else is cut off for them.
    for (const [connection, held] of Map.groupBy(idlestFirst, (each) => each.connection)) {
      if (total <= max * LEFT_AFTER_CUT) return;
      if (held.every(({ response }) => response === latest)) continue;
      for (const { response } of held) forget(response);
      connection.destroy();
      onCut('too-much');
    }
  }

  return {
    add(request, response, onGone) {
      const held = new HeldResponse(request.socket, response, now, onCut);
      waiting.set(response, held);
      looks.watch(held);
      total += held.bytes;
      const gone = (): void => forget(response);
      response.once('finish', gone).once('close', gone);
      onGone(gone);
      if (total > max) cutOff(response);
    },
  };
}

/** A response that is finished and not sent, with what was seen of it when it was looked at last. */
class HeldResponse extends Watched {
  readonly connection: Socket;
  readonly response: ServerResponse;
  readonly #now: () => number;
  readonly #onCut: (reason: CutReason) => void;
  #unsent: number;
  bytes: number;
  /** When its caller was last seen to have read something since the look before, or else when it was finished. */
  movedAt: number;

  constructor(connection: Socket, response: ServerResponse, now: () => number, onCut: (reason: CutReason) => void) {
    super();
    this.connection = connection;
    this.response = response;
    this.#now = now;
    this.#onCut = onCut;
    this.movedAt = now();
    this.#unsent = unsentOf(connection);
    this.bytes = response.writableLength;
  }

  look(): void {
    this.bytes = this.response.writableLength;
    const unsent = unsentOf(this.connection);
    // Who has read everything that was sent has read of this response, but not where it waits behind another one: that
    // may be a stream that goes on for ever, and is read.
    if (unsent === this.#unsent && (unsent > 0 || this.response.socket === null)) return;
    this.#unsent = unsent;
    this.movedAt = this.#now();
  }

  expire(): boolean {
    this.look();
    const stalled = this.#now() - this.movedAt >= STALLED_MS;
    // A response that waits behind others has no connection of its own that it could end, and they end with it.
    if (stalled && !this.connection.destroyed) {
      this.connection.destroy();
      this.#onCut('stalled');
    }
    return stalled;
  }
}

/**
 * Answers how many bytes are with the system and not sent. `writableLength` stays as it is until the last byte of a
 * response is sent, so that it does not tell who reads; Node goes by this number, too, where it decides whether a
 * socket is idle.
 */
function unsentOf(connection: Socket): number {
  const { _handle: handle } = connection as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? connection.writableLength;
}
