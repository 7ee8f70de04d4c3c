import { once } from 'node:events';
import { createConnection } from 'node:net';
import { createStreamConnection, type Transport } from '@switchyard/client';

/**
 * Reaches a server that listens on a unix socket.
 *
 * Establishment: each connection of the socket is one client, and there is no greeting before the first message.
 * Framing: that of stdio, one message a line. Cancellation: `notifications/cancelled`, as on every shared stream.
 */
export function unixSocketTransport(path: string): Transport {
  return {
    name: path,
    identity: `unix:${path}`,
    async open({ signal, context, handlers }) {
      signal.throwIfAborted();
      const socket = createConnection(path);
      try {
        await once(socket, 'connect', { signal });
      } catch (error) {
        socket.destroy();
        signal.throwIfAborted();
        const message = `nobody answers at ${path}. Look whether the server runs.`;
        throw context.fail('connect-failed', message, { cause: error });
      }
      // A socket says that it broke through whoever reads it, too.
      socket.on('error', () => {});
      return createStreamConnection({
        context,
        handlers,
        readable: socket,
        write: (line) =>
          new Promise((resolve, reject) => {
            socket.write(line, (error) => (error ? reject(error) : resolve()));
          }),
        async close() {
          if (socket.closed) return;
          const closed = once(socket, 'close');
          socket.destroySoon();
          await closed;
        },
      });
    },
  };
}
