import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A reverse proxy in front of several instances. */
export interface RoundRobin extends AsyncDisposable {
  readonly url: string;
  /** How many requests each instance got. */
  readonly counts: readonly number[];
}

/** Starts a reverse proxy on loopback that hands each request to the next instance in turn. */
export async function startRoundRobin(targets: readonly string[]): Promise<RoundRobin> {
  const counts = targets.map(() => 0);
  let next = 0;
  const proxy = createServer((incoming, outgoing) => {
    const turn = next;
    next = (next + 1) % targets.length;
    counts[turn] = (counts[turn] ?? 0) + 1;
    const target = new URL(targets[turn] ?? '');
    const { method, headers, url: path } = incoming;
    const options = {
      host: target.hostname,
      port: target.port,
      method,
      path,
      headers: { ...headers, host: target.host },
    };
    const forwarded = httpRequest(options, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    outgoing.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const { port } = proxy.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    counts,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise<void>((resolve) => {
        proxy.close(() => resolve());
      });
    },
  };
}
