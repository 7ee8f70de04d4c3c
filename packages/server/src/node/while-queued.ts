import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** By connection, what is to be done at its end for each response that waits behind others on it. */
const queued = new WeakMap<Socket, Set<() => void>>();

/**
 * Destroys a response, and calls back, when its connection ends before its turn has come, or has ended already. Node 22
 * tells such a response nothing: its request would run, and count as running, for ever.
 */
export function whileQueued(connection: Socket, response: ServerResponse, callback: () => void): void {
  const end = (): void => {
    response.destroy();
    callback();
  };
  if (connection.destroyed) return end();
  let ends = queued.get(connection);
  if (ends === undefined) {
    // One listener a connection: how many requests lie in the queue is up to the caller.
    const all = new Set<() => void>();
    ends = all;
    queued.set(connection, all);
    connection.once('close', () => all.forEach((end) => end()));
  }
  const waiting = ends;
  waiting.add(end);
  return void response.once('socket', () => waiting.delete(end));
}
