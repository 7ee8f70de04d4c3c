import type { ClientError } from '../peer/client-error.ts';
import { markUnsent } from '../message/unsent.ts';
import type { PeerContext } from '../peer/peer-context.ts';

/** What a peer may leave unread before it gets no more; one message may be larger. */
export const MAX_UNREAD_CHARS = 16 * 1024 * 1024;

/**
 * Answers `write` with a bound: once 16 Mi characters wait for a peer that does not read, it rejects with code
 * `closed`, until the peer has read some. Otherwise requests that are given up would pile up in memory, and everything
 * after them. `where` is what the peer should read, as it stands in the message: `its stdin`.
 */
export function boundWrite(
  context: PeerContext,
  write: (line: string) => Promise<void>,
  where: string,
): (line: string) => Promise<void> {
  let unreadChars = 0;
  return async (line) => {
    if (unreadChars > MAX_UNREAD_CHARS) {
      throw unreadError(context, where, unreadChars);
    }
    unreadChars += line.length;
    try {
      await write(line);
    } finally {
      unreadChars -= line.length;
    }
  };
}

/** The error of a message of which nothing is written, since `unread` characters wait at `where` already. */
export function unreadError(context: PeerContext, where: string, unread: number): ClientError {
  return markUnsent(
    context.fail(
      'closed',
      `it does not read ${where}: ${unread} characters wait there, so it gets no more. Look whether it is stuck.`,
    ),
  );
}
