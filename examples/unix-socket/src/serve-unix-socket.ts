import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Server } from '@switchyard/server';
import { serveStdio } from '@switchyard/server/node';

/**
 * Serves a server on a unix socket, each connection as a client of its own. Who may connect is up to the rights of the
 * folder that holds the socket: put it into one that only its user may enter.
 */
export async function serveUnixSocket(server: Server, path: string): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  // What was asked before the client ended its side is still answered.
  const listener = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    void serveStdio(server, { input: socket, output: socket }).then(({ closed }) => closed.then(() => socket.end()));
  });
  listener.listen(path);
  await once(listener, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(listener, 'close');
      listener.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
