import { isIP, Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';
import { passOverInterimResponses } from './interim-responses.ts';

/**
 * Opens the pool of one origin as undici does by itself, but over sockets that pass over interim responses, and that
 * name no address to TLS as if it were a name: Node refuses that, and undici does it for a proxy that is given by its
 * address. A factory for its agents.
 */
export function openSockets(origin: string | URL, options: Pool.Options): Pool {
  const { connect } = options;
  return new Pool(origin, {
    ...options,
    connect: mended(typeof connect === 'function' ? connect : buildConnector(connect)),
  });
}

function mended(connect: buildConnector.connector): buildConnector.connector {
  // What it answers is the socket, by which undici gives up an attempt.
  return (options, callback) =>
    connect(isAddress(options.servername) ? { ...options, servername: '' } : options, (...outcome) => {
      const [, socket] = outcome;
      if (socket instanceof Socket) passOverInterimResponses(socket);
      callback(...outcome);
    });
}

/** For a server by its address, undici says `null`. */
function isAddress(servername: string | null | undefined): boolean {
  return isIP((servername ?? '').replace(/^\[(.*)\]$/, '$1')) !== 0;
}
