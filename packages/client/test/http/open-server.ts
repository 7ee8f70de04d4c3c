import type { RequestListener } from 'node:http';
import type { AddressInfo, Server, Socket } from 'node:net';

/** Answers discovery and an empty list of tools. */
export const modernServer: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { readonly id: number };
    const result = {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      tools: [],
      ttlMs: 0,
      cacheScope: 'private',
    };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
};

/** Has a server of any kind listen on loopback, and answers its port and what ends it with all its sockets. */
export async function openServer(
  server: Server,
): Promise<{ readonly port: number; readonly end: () => Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const end = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  return { port: (server.address() as AddressInfo).port, end };
}
