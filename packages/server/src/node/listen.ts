import type { Server } from 'node:http';

/**
 * Has a server listen. Rejects with the error of the system, with its code; where the port is taken, it says what to
 * do.
 */
export function listen(http: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(toListenError(error, port, host));
    http.once('error', fail);
    http.listen(port, host, () => {
      http.off('error', fail);
      resolve();
    });
  });
}

function toListenError(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const { code } = error;
  if (code !== 'EADDRINUSE') return error;
  const message = `port ${port} on ${host} is taken by another process (${code}): end that, or use another port (0 takes any free one)`;
  return Object.assign(new Error(message, { cause: error }), { code });
}
