import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP server between a test and a real server, which fails when it is told to. */
export interface FlakyProxy {
  /** The URL of the real server, through the proxy. */
  readonly url: string;
  /** From now on nothing passes over the connections that are open, and nothing ends them: the network hangs. */
  freeze(): void;
  /** Freezes, and accepts new connections over which nothing passes either. */
  stall(): void;
  /** Ends every connection and refuses new ones. */
  stop(): void;
  /** Ends every connection; new ones work, as after a restart of the server. */
  restart(): Promise<void>;
}

/** Starts a proxy in front of the server with the URL `target`, for the running test. */
export async function startFlakyProxy(target: string): Promise<FlakyProxy> {
  const { hostname, port, protocol } = new URL(target);
  const targetPort = Number(port === '' ? (protocol.startsWith('redis') ? 6379 : 5432) : port);
  const sockets = new Set<Socket>();
  const frozen = new WeakSet<Socket>();
  let isStalled = false;

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  }

  const server = createServer((incoming) => {
    track(incoming);
    if (isStalled) return;
    const outgoing = connect(targetPort, hostname);
    track(outgoing);
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      from.on('data', (chunk: Buffer) => {
        if (!frozen.has(incoming)) to.write(chunk);
      });
      from.once('close', () => {
        if (!frozen.has(incoming)) to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;

  function freeze(): void {
    for (const socket of sockets) frozen.add(socket);
  }

  function stop(): void {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
  onTestFinished(stop);

  const url = new URL(target);
  url.host = `127.0.0.1:${address.port}`;
  return {
    url: url.href,
    freeze,
    stall: () => {
      isStalled = true;
      freeze();
    },
    stop,
    restart: async () => {
      isStalled = false;
      stop();
      server.listen(address.port, '127.0.0.1');
      await once(server, 'listening');
    },
  };
}
