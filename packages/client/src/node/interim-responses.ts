import type { Socket } from 'node:net';

/** How an interim response begins; 101 is none, since it ends HTTP on its socket. */
const BEGINNING = 'HTTP/1.1 1';
const NOT_INTERIM = 'HTTP/1.1 101';
const END_OF_HEAD = '\r\n\r\n';
/** What undici takes of a head, too. */
const MAX_HEAD_BYTES = 16 * 1024;
const nothing: Buffer = Buffer.alloc(0);

/**
 * Lets whoever reads a socket see no interim responses of HTTP/1.1 (100, 102, 103 and others) that come before the
 * answer to a request: undici ends a socket at 100, which a server or a proxy may send unasked. Only what is read
 * between a write and the answer to it is looked at, so it takes one request at a time, written at once. A head that does
 * not end within 16 KiB is passed on as it is.
 *
 * Spec: RFC 9110, section 15.2.
 */
export function passOverInterimResponses(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let isAwaiting = false;
  let held = nothing;

  socket.write = (...args: unknown[]) => {
    isAwaiting = true;
    return write(...args);
  };
  socket.read = (size) => {
    const piece = read(size);
    if (piece === null || !isAwaiting) return piece;
    held = withoutInterim(held.length === 0 ? piece : Buffer.concat([held, piece]));
    if (mayBeInterim(held) && held.length < MAX_HEAD_BYTES) return null;
    isAwaiting = false;
    const answer = held;
    held = nothing;
    return answer;
  };
}

function withoutInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (rest.length >= NOT_INTERIM.length && mayBeInterim(rest)) {
    const end = rest.subarray(0, MAX_HEAD_BYTES).indexOf(END_OF_HEAD);
    if (end === -1) break;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
  return rest;
}

/** Whether bytes are, or may become, the head of an interim response. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, NOT_INTERIM.length);
  return start.length < BEGINNING.length
    ? BEGINNING.startsWith(start)
    : start.startsWith(BEGINNING) && start !== NOT_INTERIM;
}
